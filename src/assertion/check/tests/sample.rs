//! Captures in the making, and what one check says of them.

use crate::jq::Input;
use serde_json::{Map, Value, json};

use crate::assertion::check::Survey;
use crate::assertion::{Catalog, Look, View, subjects};
use crate::capture::{Flow, Role, Step, read_events};
use crate::contract::{Builder, Contract};
use crate::score::Cost;

/// A capture of a server that speaks one revision.
#[derive(Clone)]
pub struct Sample {
    events: Vec<Value>,
    revision: &'static str,
    params: Value,
    cases: Value,
}

/// The newest handshake revision, in which tools may have everything that the checks look at.
pub fn sample() -> Sample {
    Sample::of("2025-11-25")
}

impl Sample {
    /// A server that speaks a revision.
    pub fn of(revision: &'static str) -> Sample {
        Sample::introduced(revision, json!({ "name": "acme-server", "version": "2" }), Value::Null)
    }

    /// A server with this `serverInfo` and these `instructions`.
    pub fn introduced(revision: &'static str, server: Value, instructions: Value) -> Sample {
        let sample = Sample { events: Vec::new(), revision, params: json!({}), cases: json!({}) };
        let capabilities = json!({ "tools": {}, "resources": {} });
        let (method, mut answer) = if revision == "2026-07-28" {
            (
                "server/discover",
                json!({
                    "resultType": "complete",
                    "supportedVersions": [revision],
                    "capabilities": capabilities,
                    "_meta": { "io.modelcontextprotocol/serverInfo": server },
                }),
            )
        } else {
            (
                "initialize",
                json!({
                    "protocolVersion": revision, "capabilities": capabilities, "serverInfo": server,
                }),
            )
        };
        if !instructions.is_null() {
            answer["instructions"] = instructions;
        }
        sample.request(
            method,
            json!({ "protocolVersion": revision }),
            json!({ "result": answer }),
            None,
        )
    }

    /// What the scenario says.
    pub fn scenario(mut self, params: Value, cases: Value) -> Sample {
        self.params = params;
        self.cases = cases;
        self
    }

    /// A request with what comes back: `{"result": ..}`, `{"error": ..}`, or null for nothing.
    pub fn request(
        mut self,
        method: &str,
        mut params: Value,
        answer: Value,
        step: Option<Step>,
    ) -> Sample {
        let id = self.events.len();
        if self.revision == "2026-07-28" {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.push("client-to-server", message, step.as_ref());
        if let Some(member) = answer.as_object() {
            let mut message = json!({ "jsonrpc": "2.0", "id": id });
            message.as_object_mut().unwrap().extend(member.clone());
            self.push("server-to-client", message, step.as_ref());
        }
        self
    }

    /// A `tools/list` with its whole result.
    pub fn tools(self, tools: Value) -> Sample {
        self.request("tools/list", json!({}), json!({ "result": { "tools": tools } }), None)
    }

    /// Whether the tools were listed already.
    pub fn lists_tools(&self) -> bool {
        self.events.iter().any(|event| event["payload"]["method"] == "tools/list")
    }

    /// A list of tools that have nothing but a name and an input schema.
    pub fn named(self, names: &[&str]) -> Sample {
        self.tools(
            names
                .iter()
                .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
                .collect(),
        )
    }

    /// A call with what comes back.
    pub fn call(self, tool: &str, arguments: Value, answer: Value) -> Sample {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }), answer, None)
    }

    /// A call within a case.
    pub fn step(
        self,
        at: (Flow, &str, Role),
        tool: &str,
        arguments: Value,
        answer: Value,
    ) -> Sample {
        let step = Step::new(at.0, at.1).role(at.2);
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
            answer,
            Some(step),
        )
    }

    fn push(&mut self, direction: &str, payload: Value, step: Option<&Step>) {
        let mut event = json!({
            "seq": self.events.len(), "direction": direction, "transport": "stdio",
            "kind": "message", "payload": payload,
        });
        if let Some(step) = step {
            event["step"] = serde_json::to_value(step).unwrap();
        }
        self.events.push(event);
    }

    fn contract(&self) -> Contract {
        let mut events = self.events.clone();
        events[0]["hallmark"] = json!({
            "capture": { "major": 1, "minor": 0 }, "version": "0.0.0",
            "target": { "kind": "stdio", "name": "demo" }, "revision": "auto", "sets": [],
            "scenario": { "id": "demo", "digest": "sha256:0", "params": self.params, "cases": self.cases },
            "permissions": { "mutations": true }, "started": "2026-11-30T00:00:00Z", "seed": 1,
        });
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        let mut builder = Builder::new();
        read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
        builder.finish()
    }

    /// Every look of a check of the built-in catalog.
    pub fn looks(&self, id: &str) -> Vec<Look> {
        let contract = self.contract();
        let checks = Catalog::builtin()
            .assertions()
            .iter()
            .flat_map(|a| &a.versions)
            .flat_map(|v| &v.checks);
        let check = checks
            .into_iter()
            .find(|check| check.id == id)
            .unwrap_or_else(|| panic!("no check {id}"));
        let (with, cost) = (Map::new(), Cost::default());
        let survey = Survey::default();
        let view = View { contract: &contract, with: &with, cost: &cost, survey: &survey };
        subjects(&contract, check.each)
            .iter()
            .map(|subject| check.executor.look(check, &view, subject, &Input::of(&subject.value)))
            .collect()
    }

    /// What a check says over all of its subjects: `faulty` before `ask` before `fine` before
    /// `inapplicable` before `skip`; `none` without a subject.
    pub fn says(&self, id: &str) -> &'static str {
        let looks = self.looks(id);
        let any = |test: fn(&Look) -> bool| looks.iter().any(test);
        if any(|look| matches!(look, Look::Faulty(_))) {
            "faulty"
        } else if any(|look| matches!(look, Look::Ask(_))) {
            "ask"
        } else if any(|look| matches!(look, Look::Fine)) {
            "fine"
        } else if any(|look| matches!(look, Look::Inapplicable(_))) {
            "inapplicable"
        } else if any(|look| matches!(look, Look::Skip(_))) {
            "skip"
        } else {
            "none"
        }
    }

    /// The message of the first finding of a check.
    pub fn complaint(&self, id: &str) -> String {
        let first = self.looks(id).into_iter().find_map(|look| match look {
            Look::Faulty(findings) => findings.into_iter().next(),
            _ => None,
        });
        first.map(|finding| finding.message).unwrap_or_default()
    }
}

/// A success with structured content and its JSON as text.
pub fn ok(structured: Value) -> Value {
    let text = structured.to_string();
    json!({ "result": {
        "resultType": "complete",
        "content": [{ "type": "text", "text": text }], "structuredContent": structured,
    } })
}

/// An error result with an envelope.
pub fn failed(envelope: Value) -> Value {
    json!({ "result": {
        "resultType": "complete", "isError": true,
        "content": [{ "type": "text", "text": "It failed." }], "structuredContent": envelope,
    } })
}

/// An error result that is prose alone.
pub fn prose(text: &str) -> Value {
    json!({ "result": { "isError": true, "content": [{ "type": "text", "text": text }] } })
}

/// A JSON-RPC error.
pub fn rpc_error(code: i64, message: &str, data: Value) -> Value {
    json!({ "error": { "code": code, "message": message, "data": data } })
}

/// A full envelope with a code; `more` replaces and adds members.
pub fn envelope(code: &str, more: Value) -> Value {
    let mut envelope = json!({ "code": code, "message": "It failed.", "temporary": false, "retry_after_ms": null });
    envelope.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    envelope
}

/// A tool with these input properties, the first `required` of which are required.
pub fn tool(name: &str, properties: Value, required: &[&str], more: Value) -> Value {
    let mut tool = json!({ "name": name, "description": "", "inputSchema": {
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    } });
    tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    tool
}
