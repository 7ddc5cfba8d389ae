//! Streamable HTTP, spoken over a bare socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use reference_server::{ServeError, ServeOptions, serve};
use serde_json::{Value, json};

use crate::client::{MODERN, meta, options};

/// One server for all tests of this file. The port is free when it is picked, and the server reports what it bound.
fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let address = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port");
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime
                .block_on(serve(ServeOptions { http: Some(address), ..options() }))
                .expect("serves");
        });
        for _ in 0..200 {
            if TcpStream::connect(address).is_ok() {
                return address;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("the server does not listen");
    })
}

struct Reply {
    status: u16,
    headers: String,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        assert!(self.headers.contains("content-type: application/json"), "{}", self.headers);
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// The last message of an event stream.
    fn event(&self) -> Value {
        assert!(self.headers.contains("text/event-stream"), "{}", self.headers);
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .next_back()
            .expect("an event");
        serde_json::from_str(data).expect("JSON")
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn exchange(method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = TcpStream::connect(address()).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let mut request = format!(
        "{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request += &format!("Host: {}\r\n", address());
    }
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    write!(stream, "{request}\r\n{body}").expect("the server reads");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the server answers");
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let headers = head.to_lowercase();
    let body = if headers.contains("transfer-encoding: chunked") {
        unchunk(body)
    } else {
        body.to_owned()
    };
    Reply { status, headers, body }
}

fn unchunk(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a chunk size");
        body += &tail[..size];
        rest = tail[size..].trim_start_matches("\r\n");
        if size == 0 {
            break;
        }
    }
    body
}

const MEDIA: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

fn request(method: &str, params: Value) -> String {
    let mut params = params;
    params["_meta"] = meta(MODERN);
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn modern(method: &str, name: Option<&str>, params: Value) -> Reply {
    let mut headers = MEDIA.to_vec();
    headers.extend([("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)]);
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    exchange("POST", &headers, &request(method, params))
}

#[test]
fn the_stateless_era_answers_json_and_names_the_server() {
    let reply = modern("tools/list", None, json!({}));
    assert_eq!(reply.status, 200);
    let result = reply.json()["result"].clone();
    assert_eq!(result["tools"].as_array().map(Vec::len), Some(8));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "github-issues-mcp");
    assert!(reply.header("mcp-session-id").is_none());
    let issue = json!({"name": "github_get_issue", "arguments": {"owner": "acme", "repo": "widgets", "issue_number": 1423}});
    let called = modern("tools/call", Some("github_get_issue"), issue);
    assert_eq!(called.json()["result"]["structuredContent"]["issue"]["issue_number"], 1423);
    let missing =
        modern("resources/read", Some("github://nowhere"), json!({"uri": "github://nowhere"}));
    assert_eq!((missing.status, missing.json()["error"]["code"].clone()), (200, json!(-32602)));
    let unknown = modern("nonsense", None, json!({}));
    assert_eq!(
        (unknown.status, unknown.json()["error"]["data"]["method"].clone()),
        (404, json!("nonsense"))
    );
}

#[test]
fn any_accepted_type_will_do() {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "*/*"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/list"),
    ];
    assert_eq!(exchange("POST", &headers, &request("tools/list", json!({}))).status, 200);
}

#[test]
fn routing_headers_are_held_against_the_body() {
    let call = json!({"name": "github_get_capabilities", "arguments": {}});
    for headers in [
        vec![
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "github_get_capabilities"),
        ],
        vec![
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/list"),
            ("Mcp-Name", "github_get_capabilities"),
        ],
        vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call")],
        vec![
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "github_find_issues"),
        ],
    ] {
        let all: Vec<_> = MEDIA.into_iter().chain(headers).collect();
        let reply = exchange("POST", &all, &request("tools/call", call.clone()));
        assert_eq!(
            (reply.status, reply.json()["error"]["code"].clone()),
            (400, json!(-32020)),
            "{all:?}"
        );
    }
}

#[test]
fn other_hosts_and_origins_are_refused() {
    for (header, value, status) in [
        ("Host", "evil.example", 403),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Host", "localhost", 200),
        ("Origin", "http://localhost:5173", 200),
        ("Origin", "http://127.0.0.1", 200),
    ] {
        let mut headers = MEDIA.to_vec();
        headers.extend([
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/list"),
            (header, value),
        ]);
        for body in [request("tools/list", json!({})), "garbage".to_owned()] {
            let expected = if status == 200 && body == "garbage" { 400 } else { status };
            let reply = exchange("POST", &headers, &body);
            assert_eq!(reply.status, expected, "{header}: {value}");
            reply.json();
        }
    }
}

#[test]
fn malformed_bodies_get_json_errors() {
    for (body, code) in [
        ("garbage", -32700),
        ("", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32600),
    ] {
        let reply = exchange("POST", &MEDIA, body);
        assert_eq!(
            (reply.status, reply.json()["error"]["code"].clone()),
            (400, json!(code)),
            "{body}"
        );
    }
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let versioned: Vec<_> =
        MEDIA.into_iter().chain([("MCP-Protocol-Version", "2099-01-01")]).collect();
    let reply = exchange("POST", &versioned, list);
    assert_eq!((reply.status, reply.json()["error"]["code"].clone()), (400, json!(-32022)));
    assert_eq!(reply.json()["error"]["data"]["requested"], "2099-01-01");
    let reply = exchange("POST", &[("Content-Type", "text/plain"), ("Accept", "*/*")], list);
    assert_eq!((reply.status, reply.json()["error"]["code"].clone()), (415, json!(-32600)));
    let reply = exchange("PUT", &MEDIA, list);
    assert_eq!(reply.status, 405);
    let cursor = modern("tools/list", None, json!({"cursor": 5}));
    assert_eq!(cursor.json()["error"]["data"]["details"]["field"], "cursor");
}

#[test]
fn the_handshake_era_has_sessions() {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
    let hello =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let reply = exchange("POST", &MEDIA, &hello);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.event()["result"]["protocolVersion"], "2025-11-25");
    let session = reply.header("mcp-session-id").expect("a session").to_owned();
    let headers: Vec<_> = MEDIA
        .into_iter()
        .chain([("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Session-Id", session.as_str())])
        .collect();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(exchange("POST", &headers, initialized).status, 202);
    let list =
        exchange("POST", &headers, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#).event();
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(8));
    assert!(list["result"].get("ttlMs").is_none() && list["result"].get("resultType").is_none());
    let unknown =
        exchange("POST", &headers, r#"{"jsonrpc":"2.0","id":3,"method":"nonsense"}"#).event();
    assert_eq!(unknown["error"]["data"]["method"], "nonsense");
    assert_eq!(exchange("DELETE", &headers, "").status, 202);
    let gone = exchange("POST", &headers, r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#);
    assert_eq!((gone.status, gone.json()["id"].clone()), (404, json!(4)));
}

#[test]
fn a_port_in_use_and_a_bad_clock_are_said_before_serving() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let error = runtime
        .block_on(serve(ServeOptions { http: Some(address), ..options() }))
        .expect_err("taken");
    assert!(matches!(error, ServeError::Bind { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    let error =
        runtime.block_on(serve(ServeOptions { fixed_clock: Some("noon".to_owned()), ..options() }));
    assert!(matches!(error.expect_err("no instant"), ServeError::Clock(_)));
    let db = std::env::temp_dir().join("no-such-folder-for-hallmark/issues.db");
    let error = runtime
        .block_on(serve(ServeOptions { db: Some(db), ..options() }))
        .expect_err("unwritable");
    assert!(matches!(error, ServeError::Open(_)), "{error}");
}
