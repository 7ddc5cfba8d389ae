//! Judging takes time in proportion to what is judged: tools, calls, sessions, HTTP exchanges,
//! resources and cases all at once.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use mcp_hallmark::assertion::{AssertionSet, Catalog, judge};
use serde_json::{Value, json};

use super::reference::contract;

/// Four times as much may take this many times as long. In proportion it is four, and sixteen
/// where every thing is compared with every other.
const MOST: u32 = 9;

#[test]
fn four_times_the_tools_take_about_four_times_as_long() {
    let (few, many) = (capture(125), capture(500));
    // The fastest of a few rounds: whatever else the machine does only adds.
    let mut fastest = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        fastest = (fastest.0.min(time(&few)), fastest.1.min(time(&many)));
        if fastest.1 < fastest.0 * MOST / 2 {
            break;
        }
    }
    let (few, many) = fastest;
    assert!(many < few * MOST, "125 tools take {few:.2?}, 500 take {many:.2?}");
}

/// How long reading and judging takes.
fn time(capture: &[u8]) -> Duration {
    let catalog = Catalog::builtin();
    let sets: Vec<&AssertionSet> = catalog.sets().iter().collect();
    let start = Instant::now();
    let contract = contract(capture);
    let card = judge(&contract, catalog, &sets, &str::len);
    let spent = start.elapsed();
    assert_eq!(card.coverage.tools.called as usize, contract.tools.len());
    spent
}

/// Events of a capture in the making.
#[derive(Default)]
struct Events {
    text: String,
    seq: u64,
}

impl Events {
    fn push(&mut self, session: usize, mut event: Value) {
        event["seq"] = json!(self.seq);
        event["t_us"] = json!(self.seq * 100);
        event["session"] = json!(session);
        event["transport"] = json!("streamable-http");
        writeln!(self.text, "{event}").unwrap();
        self.seq += 1;
    }

    /// A request with its result, over HTTP.
    fn exchange(
        &mut self,
        session: usize,
        step: Value,
        method: &str,
        params: Value,
        result: Value,
    ) {
        let number = self.seq;
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let headers = json!({
            "mcp-protocol-version": "2026-07-28", "mcp-method": method,
            "mcp-name": params["name"].as_str().unwrap_or("-"),
        });
        let request = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        let answer = json!({ "jsonrpc": "2.0", "id": number, "result": result });
        let head =
            |direction: &str| json!({ "kind": "http", "direction": direction, "exchange": number });
        let mut asks = head("client-to-server");
        (asks["method"], asks["headers"]) = (json!("POST"), headers);
        let mut answers = head("server-to-client");
        (answers["status"], answers["headers"]) =
            (json!(200), json!({ "content-type": "application/json" }));
        let message = |direction: &str, payload: Value| {
            json!({
                "kind": "message", "direction": direction, "payload": payload,
                "exchange": number, "step": step,
            })
        };
        self.push(session, asks);
        self.push(session, message("client-to-server", request));
        self.push(session, answers);
        self.push(session, message("server-to-client", answer));
    }
}

/// So many tools and resources, and a session for each, in which the tool succeeds, fails, and
/// leaves the state as it was.
fn capture(count: usize) -> Vec<u8> {
    let mut events = Events::default();
    let cold = || json!({ "flow": "cold_start", "case": "discovery" });
    let opening = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "resources": {} }, "serverInfo": { "name": "notes" },
    });
    events.exchange(0, cold(), "server/discover", json!({}), opening);
    let tools: Vec<Value> = (0..count).map(tool).collect();
    let listed = json!({ "resultType": "complete", "tools": tools });
    events.exchange(0, cold(), "tools/list", json!({}), listed);
    let resources: Vec<Value> = (0..count)
        .map(|at| json!({ "uri": format!("notes://{at}"), "name": format!("note {at}") }))
        .collect();
    let listed = json!({ "resultType": "complete", "resources": resources });
    events.exchange(0, cold(), "resources/list", json!({}), listed);
    for at in 0..count {
        let uri = format!("notes://{at}");
        let read =
            json!({ "resultType": "complete", "contents": [{ "uri": uri, "text": "A note." }] });
        events.exchange(at + 1, cold(), "resources/read", json!({ "uri": uri }), read);
        let list = || json!({ "resultType": "complete", "tools": [tool(at)] });
        events.exchange(at + 1, cold(), "tools/list", json!({}), list());
        call(&mut events, at);
    }
    events.text.into_bytes()
}

/// The calls of one tool.
fn call(events: &mut Events, at: usize) {
    let name = name(at);
    let ok = |structured: Value| {
        let text = structured.to_string();
        let content = json!([{ "type": "text", "text": text }]);
        json!({ "resultType": "complete", "content": content, "structuredContent": structured })
    };
    let state = || ok(json!({ "items": [{ "id": 1, "title": "A note" }] }));
    let reader = || json!({ "name": self::name(0), "arguments": { "owner": "acme" } });
    let step =
        |role: &str| json!({ "flow": "read_only", "case": format!("{name} reads"), "role": role });
    events.exchange(at + 1, step("before"), "tools/call", reader(), state());
    events.exchange(at + 1, step("control"), "tools/call", reader(), state());
    let done = ok(json!({ "items": [{ "id": at, "title": format!("Note {at}") }] }));
    let arguments = json!({ "owner": format!("owner {at}"), "state": "open" });
    let params = json!({ "name": name, "arguments": arguments });
    events.exchange(at + 1, step("call"), "tools/call", params, done);
    events.exchange(at + 1, step("after"), "tools/call", reader(), state());
    let forced = json!({ "flow": "forced_error", "case": format!("{name}: enum") });
    let envelope = json!({
        "code": "note_not_found", "message": format!("No note {at}."), "temporary": false,
        "retry_after_ms": null, "details": { "field": "state", "reason": "unknown" },
    });
    let failed = json!({
        "resultType": "complete", "isError": true, "structuredContent": envelope,
        "content": [{ "type": "text", "text": "It failed." }],
    });
    let params = json!({ "name": name, "arguments": { "owner": "acme", "state": "shut" } });
    events.exchange(at + 1, forced, "tools/call", params, failed);
}

fn name(at: usize) -> String {
    let verbs = ["list", "find", "open", "close", "search", "get"];
    format!("notes_{}_item{}", verbs[at % verbs.len()], at / verbs.len())
}

fn tool(at: usize) -> Value {
    let (text, even) = (json!({ "type": "string" }), at.is_multiple_of(2));
    json!({
        "name": name(at),
        "description": format!(
            "Works on item {at}. It does not modify data. Limited to 30 requests per minute. On \
             note_not_found, use {} first.",
            name(at + 1)
        ),
        "annotations": { "readOnlyHint": true, "openWorldHint": even },
        "inputSchema": {
            "type": "object", "required": ["owner"], "additionalProperties": false,
            "properties": {
                "owner": text, "item": { "type": if even { "string" } else { "integer" } },
                "state": { "enum": ["open", "closed"] },
            },
        },
        "outputSchema": {
            "type": "object", "required": ["items"], "additionalProperties": false,
            "properties": {
                "items": { "type": "array", "items": {
                    "type": "object", "properties": { "id": {}, "title": text },
                } },
                "has_more": { "type": "boolean" }, "next_cursor": text,
            },
        },
    })
}
