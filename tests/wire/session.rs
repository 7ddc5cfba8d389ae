//! Small captures for the tests of the wire checks, and what the checks say of them.

use std::fmt::Write;

use mcp_hallmark::assertion::{Catalog, judge};
use mcp_hallmark::capture::read_events;
use mcp_hallmark::contract::Builder;
use mcp_hallmark::score::{CheckScore, Verdict};
use serde_json::{Value, json};

/// Events of a stdio session: `c` from the client, `s` from the server, `+` seconds of waiting. A
/// payload that is not JSON is kept as text, as the recorder does.
pub fn stdio(lines: &[&str]) -> String {
    let mut capture = String::new();
    let mut t_us = 0;
    for line in lines {
        let (direction, text) = line.split_once(' ').unwrap();
        let direction = match direction {
            "c" => "client-to-server",
            "s" => "server-to-client",
            _ => {
                t_us += text.parse::<u64>().unwrap() * 1_000_000;
                continue;
            }
        };
        let text = expand(text);
        let payload = match serde_json::from_str::<Value>(&text) {
            Ok(_) => text,
            Err(_) => json!(text).to_string(),
        };
        event(
            &mut capture,
            direction,
            "stdio",
            t_us,
            &format!(r#""kind":"message","payload":{payload}"#),
        );
    }
    let close = r#""kind":"lifecycle","event":"transport-close""#;
    event(&mut capture, "client-to-server", "stdio", t_us, close);
    capture
}

pub fn event(capture: &mut String, direction: &str, transport: &str, t_us: u64, members: &str) {
    let seq = capture.lines().count();
    writeln!(
        capture,
        r#"{{"seq":{seq},"direction":"{direction}","transport":"{transport}","t_us":{t_us},{members}}}"#
    )
    .unwrap();
}

/// Short forms: `ask ID METHOD [MEMBERS]` is a request of 2026-07-28 with further params, `old ID
/// METHOD [PARAMS]` one of a handshake session, `give ID RESULT`, `fail ID CODE`.
fn expand(text: &str) -> String {
    let mut words = text.splitn(4, ' ');
    let (verb, id) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (third, rest) = (words.next().unwrap_or(""), words.next());
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    match verb {
        "ask" => {
            let more = rest.map_or(String::new(), |rest| format!(",{rest}"));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{third}","params":{{{meta}{more}}}}}"#)
        }
        "old" => {
            let params = rest.unwrap_or("{}");
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{third}","params":{params}}}"#)
        }
        "give" => {
            let rest = rest.map_or(String::new(), |rest| format!(" {rest}"));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{third}{rest}}}"#)
        }
        "fail" => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{third},"message":"m"}}}}"#)
        }
        _ => text.to_owned(),
    }
}

/// Discovery of a server with tools alone.
pub const DISCOVER: [&str; 2] = [
    "c ask 1 server/discover",
    r#"s give 1 {"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}"#,
];
/// A list of the tools `a` and `b`.
pub const TOOLS: &str = r#"{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}"#;
/// A handshake of 2025-11-25 with a server that has tools alone.
pub const SHAKE: [&str; 2] = [
    r#"c old 1 initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}"#,
    r#"s give 1 {"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
];

pub fn check(capture: &str, id: &str) -> CheckScore {
    let mut builder = Builder::new();
    read_events(capture.as_bytes(), |event| builder.see(event)).unwrap();
    let catalog = Catalog::builtin();
    let wire = catalog.sets().iter().find(|set| set.set.id == "wire").unwrap();
    let scorecard = judge(&builder.finish(), catalog, &[wire], &|text| text.len() / 4);
    let checks = scorecard.wire.assertions.into_iter().flat_map(|assertion| assertion.checks);
    checks.into_iter().find(|check| check.id == id).unwrap_or_else(|| panic!("no check {id}"))
}

pub fn after(opening: &[&str], lines: &[&str]) -> String {
    stdio(&[opening, lines].concat())
}

#[track_caller]
pub fn fails(id: &str, capture: &str, words: &str) {
    let score = check(capture, id);
    assert_eq!(score.verdict, Verdict::Fail, "{id}: {score:?}");
    let said: Vec<_> = score.findings.iter().map(|finding| &*finding.message).collect();
    assert!(said.iter().any(|message| message.contains(words)), "{id}: {said:?}");
}

#[track_caller]
pub fn passes(id: &str, capture: &str) {
    let score = check(capture, id);
    assert_eq!(score.verdict, Verdict::Pass, "{id}: {score:?}");
}

#[track_caller]
pub fn says_nothing(id: &str, capture: &str) {
    let score = check(capture, id);
    let silent = matches!(score.verdict, Verdict::NotObserved(_) | Verdict::NotApplicable(_));
    assert!(silent, "{id}: {score:?}");
}

/// One POST with a request of 2026-07-28 and its response, after a discovery over HTTP.
pub fn http(request_headers: Value, status: u16, headers: Value, answer: &str) -> String {
    let mut capture = String::new();
    let exchanges = [
        (DISCOVER[0], json!({}), 200, json!({"content-type": "application/json"}), DISCOVER[1]),
        ("c ask 2 tools/list", request_headers, status, headers, answer),
    ];
    for (number, (ask, sent, status, received, answer)) in exchanges.into_iter().enumerate() {
        let up = |members: String| format!(r#""exchange":{number},{members}"#);
        let (c, s) = ("client-to-server", "server-to-client");
        let http = "streamable-http";
        event(
            &mut capture,
            c,
            http,
            0,
            &up(format!(r#""kind":"http","method":"POST","headers":{sent}"#)),
        );
        event(
            &mut capture,
            c,
            http,
            0,
            &up(format!(r#""kind":"message","payload":{}"#, expand(&ask[2..]))),
        );
        event(
            &mut capture,
            s,
            http,
            0,
            &up(format!(r#""kind":"http","status":{status},"headers":{received}"#)),
        );
        event(
            &mut capture,
            s,
            http,
            0,
            &up(format!(r#""kind":"message","payload":{}"#, expand(&answer[2..]))),
        );
    }
    capture
}
