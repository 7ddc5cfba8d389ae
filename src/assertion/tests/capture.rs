//! Small captures and assertion files for the tests.

use serde_json::{Value, json};

use crate::assertion::loader::Source;
use crate::assertion::{Catalog, SetId, judge};
use crate::capture::read_events;
use crate::contract::{Builder, Contract};
use crate::score::Scorecard;

/// A capture in the making: a handshake of 2025-06-18 and what is added to it.
pub struct Script {
    events: Vec<Value>,
    header: bool,
}

impl Script {
    /// The handshake.
    pub fn new() -> Script {
        let script = Script { events: Vec::new(), header: false };
        let answer = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "demo", "version": "2" },
        });
        script.exchange("initialize", json!({ "protocolVersion": "2025-06-18" }), answer, None)
    }

    /// Makes it a capture of hallmark's own.
    pub fn header(mut self) -> Script {
        self.header = true;
        self
    }

    /// A request with its result, in a flow and case when they are given.
    pub fn exchange(
        mut self,
        method: &str,
        params: Value,
        result: Value,
        step: Option<Value>,
    ) -> Script {
        let id = self.events.len();
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.push("client-to-server", json!({ "payload": request, "step": step }));
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.push("server-to-client", json!({ "payload": answer, "step": step }));
        self
    }

    /// A list of tools of these names.
    pub fn tools(self, names: &[&str]) -> Script {
        let tools: Vec<_> = names
            .iter()
            .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
            .collect();
        self.exchange("tools/list", json!({}), json!({ "tools": tools }), None)
    }

    /// A call with its result.
    pub fn call(self, tool: &str, arguments: Value, result: Value) -> Script {
        let params = json!({ "name": tool, "arguments": arguments });
        self.exchange("tools/call", params, result, None)
    }

    /// The closing event.
    pub fn end(self, cause: &str) -> Script {
        self.closing(json!({ "cause": cause }))
    }

    /// The closing event of a complete run that withheld something.
    pub fn end_withholding(self, kind: Value, what: &str, needs: &str) -> Script {
        let withheld = json!([{ "kind": kind, "what": what, "needs": needs }]);
        self.closing(json!({ "cause": "complete", "withheld": withheld }))
    }

    fn closing(mut self, mut end: Value) -> Script {
        end["counts"] =
            json!({ "requests": 0, "events": self.events.len() + 1, "bytes_received": 0 });
        let event = json!({ "kind": "lifecycle", "event": "transport-close", "end": end });
        self.push("client-to-server", event);
        self
    }

    /// The same with one event cut out by hand.
    pub fn without(mut self, seq: usize) -> Script {
        self.events.remove(seq);
        self
    }

    fn push(&mut self, direction: &str, members: Value) {
        let seq = self.events.len();
        let mut event = json!({
            "seq": seq, "direction": direction, "transport": "stdio", "kind": "message",
        });
        for (key, value) in members.as_object().unwrap() {
            if !value.is_null() {
                event[key] = value.clone();
            }
        }
        self.events.push(event);
    }

    /// The contract that it holds.
    pub fn contract(&self) -> Contract {
        let mut events = self.events.clone();
        if self.header {
            events[0]["hallmark"] = json!({
                "capture": { "major": 1, "minor": 0 },
                "version": "0.0.0",
                "target": { "kind": "stdio", "name": "demo" },
                "revision": "auto",
                "sets": [],
                "permissions": { "mutations": false },
                "started": "2026-11-30T00:00:00Z",
                "seed": 1,
            });
        }
        let text: String = events.iter().map(|event| format!("{event}\n")).collect();
        let mut builder = Builder::new();
        read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
        builder.finish()
    }
}

/// A registry of two rules.
pub fn rules() -> Source {
    let rule = |id: &str| {
        format!(
            "- id: {id}\n  title: t\n  requires: r\n  evidence: listing\n  check: c\n  \
             false_positive_guard: g\n  revision: all\n  severity: major\n  feeds: [A9]\n  \
             mutant: null\n"
        )
    };
    let text = format!("{}{}", rule("3.output-schema"), rule("3.naming"));
    Source { path: "assertions/rules.yaml".to_owned(), text }
}

/// A check; `how` is its executor, such as `jq: 'true'`.
pub fn check_file(id: &str, each: &str, how: &str) -> String {
    let kind = how.split(':').next().unwrap();
    format!(
        "      - id: {id}
        rule: 3.output-schema
        severity: major
        required: true
        essential: false
        each: {each}
        use: {kind}
        {how}
        message: \"{{name}} is wrong\"
        expected: right
        pass: \"{{n}} subjects are right\"
"
    )
}

/// Judges by one assertion of these checks.
pub fn judged(script: &Script, checks: &[String]) -> Scorecard {
    judged_by(script, checks, &["mine"])
}

/// The same by sets of these ids, each of that assertion.
pub fn judged_by(script: &Script, checks: &[String], sets: &[&str]) -> Scorecard {
    let text = format!(
        "id: X1\ntitle: t\nwhy: w\nexample_ok: o\nexample_bad: b\nversions:\n  - version: 1\n    \
         checks:\n{}",
        checks.concat()
    );
    let mut sources = vec![rules(), Source { path: "X1.yaml".to_owned(), text }];
    sources.extend(sets.iter().chain(&["wire"]).map(|id| Source {
        path: format!("sets/{id}@2026-01-01.yaml"),
        text: format!(
            "id: {id}\nedition: 2026-01-01\ntitle: t\nassertions:\n  - {{ id: X1, version: 1 }}\n"
        ),
    }));
    let (catalog, errors) = Catalog::gather(&sources);
    assert!(errors.is_empty(), "{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>());
    let sets: Vec<_> = sets
        .iter()
        .map(|id| catalog.set(&SetId { id: (*id).to_owned(), edition: None }).unwrap())
        .collect();
    judge(&script.contract(), &catalog, &sets, &str::len)
}
