//! Every wire check over small hand-written captures: what it must find, and what it must let pass.

#[path = "wire/session.rs"]
mod session;

use serde_json::json;

use session::{DISCOVER, SHAKE, TOOLS, after, event, fails, http, passes, says_nothing, stdio};

#[test]
fn frames_and_shapes() {
    let listed = ["c ask 2 tools/list", &format!("s give 2 {TOOLS}")];
    passes("message-frame-valid", &after(&DISCOVER, &listed));
    passes("result-valid", &after(&DISCOVER, &listed));
    fails(
        "message-frame-valid",
        &after(&DISCOVER, &["c ask 2 tools/list", r#"s {"id":2,"result":{}}"#]),
        "no jsonrpc",
    );
    fails(
        "message-frame-valid",
        &after(
            &DISCOVER,
            &["c ask 2 tools/list", r#"s {"jsonrpc":"2.0","id":2,"result":{"a":1,"a":2}}"#],
        ),
        "/result/a",
    );
    let wrapped = r#"s give 2 {"resultType":"complete","toolResult":{"content":[]}}"#;
    fails(
        "result-valid",
        &after(&DISCOVER, &["c ask 2 tools/call", wrapped]),
        "/content is absent",
    );
    let kind = r#"s give 2 {"resultType":"done","content":[]}"#;
    fails(
        "result-valid",
        &after(&DISCOVER, &["c ask 2 tools/call", kind]),
        "/resultType is \"done\"",
    );
    // What W3 judges is not charged twice.
    let bare = r#"s give 2 {"tools":[]}"#;
    passes("result-valid", &after(&DISCOVER, &["c ask 2 tools/list", bare]));
    // The shapes of one era are not asked of the other.
    passes("result-valid", &after(&SHAKE, &["c old 2 tools/list", bare]));
    says_nothing("result-valid", &stdio(&["c old 2 tools/list", r#"s give 2 {"tools":5}"#]));
    fails(
        "error-valid",
        &after(
            &DISCOVER,
            &["c ask 2 x/y", r#"s {"jsonrpc":"2.0","id":2,"error":{"code":"E1","message":"m"}}"#],
        ),
        "error/code is a string",
    );
    fails(
        "error-valid",
        &after(&DISCOVER, &["c ask 2 tools/list", "s fail 2 -32022"]),
        "error/data is absent",
    );
    fails(
        "notification-valid",
        &after(
            &DISCOVER,
            &[r#"s {"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#],
        ),
        "progressToken is absent",
    );
    fails(
        "server-request-valid",
        &after(
            &SHAKE,
            &[r#"s {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#],
        ),
        "messages is absent",
    );
    says_nothing(
        "notification-valid",
        &after(&DISCOVER, &[r#"s {"jsonrpc":"2.0","method":"notifications/vendor/x"}"#]),
    );
}

#[test]
fn the_lifecycle() {
    let served = ["c ask 2 tools/list", &format!("s give 2 {TOOLS}")];
    passes("discover-answered", &after(&DISCOVER, &[]));
    fails(
        "discover-answered",
        &stdio(&[&served[..], &["c ask 3 server/discover", "s fail 3 -32603"]].concat()),
        "-32603",
    );
    says_nothing(
        "discover-answered",
        &stdio(&[&["c ask 9 server/discover", "s fail 9 -32601"], &SHAKE[..]].concat()),
    );
    let absurd = r#"c {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#;
    fails(
        "version-honest",
        &after(&DISCOVER, &[absurd, r#"s give 5 {"tools":[]}"#]),
        "made-up version",
    );
    fails("version-honest", &after(&DISCOVER, &[absurd, "s fail 5 -32600"]), "refused with -32600");
    passes("version-honest", &after(&DISCOVER, &[absurd, "s fail 5 -32022"]));
    let agrees = r#"s give 1 {"protocolVersion":"9.9","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
    fails("version-honest", &stdio(&[SHAKE[0], agrees]), "\"9.9\"");
    passes("version-honest", &after(&SHAKE, &[]));
    fails(
        "capabilities-agree",
        &after(&DISCOVER, &["c ask 2 tools/list", "s fail 2 -32601"]),
        "not found",
    );
    fails(
        "capabilities-agree",
        &after(&DISCOVER, &["c ask 2 prompts/list", r#"s give 2 {"prompts":[{"name":"p"}]}"#]),
        "does not advertise prompts",
    );
    passes("capabilities-agree", &after(&DISCOVER, &["c ask 2 prompts/list", "s fail 2 -32601"]));
    passes(
        "capabilities-agree",
        &after(&DISCOVER, &["c ask 2 prompts/list", r#"s give 2 {"prompts":[]}"#]),
    );
    fails(
        "handshake-capabilities-agree",
        &after(&SHAKE, &["c old 2 tools/list", "s fail 2 -32601"]),
        "not found",
    );
    let roots = r#"s {"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    fails("server-requests-declared", &after(&DISCOVER, &[roots]), "roots/list");
    fails("server-requests-declared", &after(&SHAKE, &[roots]), "without roots");
    passes(
        "server-requests-declared",
        &after(&SHAKE, &[r#"s {"jsonrpc":"2.0","id":1,"method":"ping"}"#]),
    );
    let input = r#"s give 2 {"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}"#;
    fails(
        "interim-results-declared",
        &after(&DISCOVER, &["c ask 2 tools/call", input]),
        "without elicitation",
    );
    fails(
        "interim-results-declared",
        &after(
            &DISCOVER,
            &["c ask 2 tools/call", r#"s give 2 {"resultType":"task","taskId":"t"}"#],
        ),
        "without tasks",
    );
    fails("ping-answered", &after(&SHAKE, &["c old 2 ping", "s fail 2 -32601"]), "-32601");
    says_nothing("ping-answered", &after(&DISCOVER, &["c ask 2 ping", "s fail 2 -32601"]));
    // Era probes before a handshake are nobody's fault.
    let early = ["c ask 7 ping", "s fail 7 -32601"];
    says_nothing("ping-answered", &stdio(&[&early[..], &SHAKE].concat()));
}

#[test]
fn requests_that_say_too_little() {
    const ID: &str = "request-meta-required";
    let both = DISCOVER[1].replace(r#"["2026-07-28"]"#, r#"["2026-07-28","2025-11-25"]"#);
    let given = format!("s give 2 {TOOLS}");
    let bare = r#"c {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;
    let version = r#"c {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    fails(ID, &after(&DISCOVER, &[bare, &given]), "tools/list without io.modelcontextprotocol/p");
    fails(ID, &after(&DISCOVER, &[version, &given]), "clientCapabilities is served");
    fails(ID, &after(&DISCOVER, &[bare, "s fail 2 -32600"]), "refused with -32600");
    passes(ID, &after(&DISCOVER, &[bare, "s fail 2 -32602"]));
    // A server of both eras may take the first for a request of the other.
    says_nothing(ID, &after(&[DISCOVER[0], &both], &[bare, &given]));
    fails(ID, &after(&[DISCOVER[0], &both], &[version, &given]), "is served");
    says_nothing(ID, &after(&DISCOVER, &["c ask 2 tools/list", &given]));
    says_nothing(ID, &after(&SHAKE, &["c old 2 tools/list", &given]));
}

#[test]
fn notifications() {
    let log = r#"s {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
    fails(
        "log-messages-wanted",
        &after(&DISCOVER, &["c ask 2 tools/list", log]),
        "no request that set a log level",
    );
    let wanted = r#"c {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/logLevel":"info"}}}"#;
    passes("log-messages-wanted", &after(&DISCOVER, &[wanted, log, &format!("s give 2 {TOOLS}")]));
    fails(
        "log-messages-wanted",
        &after(&SHAKE, &["c old 2 tools/list", log]),
        "does not advertise logging",
    );
    says_nothing("log-messages-wanted", &after(&SHAKE, &["c this is not json", log]));
    let changed = r#"s {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    fails("changes-subscribed", &after(&DISCOVER, &[changed]), "without a listener");
    passes(
        "changes-subscribed",
        &after(
            &DISCOVER,
            &[r#"c ask 2 subscriptions/listen "notifications":{"toolsListChanged":true}"#, changed],
        ),
    );
    fails("changes-subscribed", &after(&SHAKE, &[changed]), "tools.listChanged is not advertised");
    let progress = |n: &str| {
        format!(
            r#"s {{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"t","progress":{n}}}}}"#
        )
    };
    let (one, two) = (progress("1"), progress("2"));
    let asks = r#"c old 2 tools/call {"name":"a","_meta":{"progressToken":"t"}}"#;
    let done = r#"s give 2 {"content":[]}"#;
    passes("progress-follows-token", &after(&SHAKE, &[asks, &one, &two, done]));
    fails("progress-follows-token", &after(&SHAKE, &[asks, &two, &one, done]), "from 2 to 1");
    fails(
        "progress-follows-token",
        &after(&SHAKE, &[asks, done, &one]),
        "after its request was answered",
    );
    fails("progress-follows-token", &after(&SHAKE, &[&one]), "no request carried");
}

#[test]
fn obligatory_members_and_order() {
    let give = |id: u32, result: &str| format!("s give {id} {result}");
    let listed = ["c ask 2 tools/list", &give(2, TOOLS)];
    for id in ["result-type-present", "cache-hints-present"] {
        passes(id, &after(&DISCOVER, &listed));
        fails(
            id,
            &after(&DISCOVER, &["c ask 2 tools/list", &give(2, r#"{"tools":[]}"#)]),
            "tools/list result",
        );
        says_nothing(id, &after(&SHAKE, &["c old 2 tools/list", &give(2, r#"{"tools":[]}"#)]));
    }
    let negative = r#"{"resultType":"complete","tools":[],"ttlMs":-1,"cacheScope":"shared"}"#;
    fails(
        "cache-hints-present",
        &after(&DISCOVER, &["c ask 2 tools/list", &give(2, negative)]),
        "ttlMs is -1",
    );
    fails(
        "cache-hints-present",
        &after(&DISCOVER, &["c ask 2 tools/list", &give(2, negative)]),
        "cacheScope is \"shared\"",
    );
    fails(
        "cache-hints-only-there",
        &after(
            &DISCOVER,
            &[
                "c ask 2 tools/call",
                &give(2, r#"{"resultType":"complete","content":[],"ttlMs":1}"#),
            ],
        ),
        "ttlMs",
    );
    let page = |cursor: &str, scope: &str| {
        format!(
            r#"{{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"{scope}"{cursor}}}"#
        )
    };
    let pages = |scope: &str| {
        [
            "c ask 2 tools/list".to_owned(),
            give(2, &page(r#","nextCursor":"n""#, "public")),
            r#"c ask 3 tools/list "cursor":"n""#.to_owned(),
            give(3, &page("", scope)),
        ]
    };
    let text = |lines: [String; 4]| after(&DISCOVER, &lines.each_ref().map(|line| &**line));
    passes("cache-scope-uniform", &text(pages("public")));
    fails("cache-scope-uniform", &text(pages("private")), "\"public\", then \"private\"");
    let reversed = r#"{"resultType":"complete","tools":[{"name":"b","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}"#;
    let twice = |second: &str| {
        after(
            &DISCOVER,
            &["c ask 2 tools/list", &give(2, TOOLS), "c ask 3 tools/list", &give(3, second)],
        )
    };
    passes("list-order-stable", &twice(TOOLS));
    fails("list-order-stable", &twice(reversed), "another order");
}

#[test]
fn ids_answers_and_codes() {
    let clean = ["c ask 2 tools/list", &format!("s give 2 {TOOLS}")];
    passes("id-echoed", &after(&DISCOVER, &clean));
    passes("one-answer-per-request", &after(&DISCOVER, &clean));
    fails(
        "id-echoed",
        &after(&DISCOVER, &["c ask 2 tools/list", r#"s {"jsonrpc":"2.0","id":"2","result":{}}"#]),
        "another type",
    );
    fails(
        "id-echoed",
        &after(&DISCOVER, &[r#"s {"jsonrpc":"2.0","id":-32603,"error":{"code":1,"message":""}}"#]),
        "which no request has",
    );
    passes("id-echoed", &after(&DISCOVER, &[r#"c {"id":77}"#, "s fail 77 -32600"]));
    fails(
        "one-answer-per-request",
        &after(
            &DISCOVER,
            &["c ask 2 tools/list", &format!("s give 2 {TOOLS}"), &format!("s give 2 {TOOLS}")],
        ),
        "second response",
    );
    fails(
        "one-answer-per-request",
        &after(
            &SHAKE,
            &[
                r#"c {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                r#"s {"jsonrpc":"2.0","result":null}"#,
            ],
        ),
        "without an id",
    );
    let refused = r#"s {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#;
    fails(
        "one-answer-per-request",
        &after(&SHAKE, &[r#"c {"jsonrpc":"2.0","method":"notifications/initialized"}"#, refused]),
        "every line sent was a message",
    );
    passes("one-answer-per-request", &after(&SHAKE, &["c not json", refused]));
    passes(
        "one-answer-per-request",
        &after(&SHAKE, &[r#"c {"jsonrpc":"2.0","id":null,"method":"x"}"#, refused]),
    );
    fails(
        "requests-answered",
        &after(&DISCOVER, &["c ask 2 tools/list", "+ 5"]),
        "no answer in 5.0 s",
    );
    passes("requests-answered", &after(&DISCOVER, &["c ask 2 tools/list"]));
    passes("requests-answered", &after(&DISCOVER, &["c ask 2 tools/call", "+ 5"]));
    says_nothing("requests-answered", &stdio(&["c ask 2 server/discover", "+ 5"]));
    for code in ["-32002", "-32042", "-32001", "-32050", "-32020", "-32500"] {
        fails(
            "error-codes-allocated",
            &after(&DISCOVER, &["c ask 2 resources/read", &format!("s fail 2 {code}")]),
            code,
        );
    }
    for code in ["-32602", "-32022", "0", "404", "-1"] {
        passes(
            "error-codes-allocated",
            &after(&DISCOVER, &["c ask 2 resources/read", &format!("s fail 2 {code}")]),
        );
    }
    passes("error-codes-allocated", &after(&SHAKE, &["c old 2 resources/read", "s fail 2 -32002"]));
    passes("unknown-method-code", &after(&DISCOVER, &["c ask 2 no/such", "s fail 2 -32601"]));
    fails(
        "unknown-method-code",
        &after(&DISCOVER, &["c ask 2 no/such", "s fail 2 -32602"]),
        "-32602",
    );
    fails(
        "unknown-method-code",
        &after(&DISCOVER, &["c ask 2 no/such", r#"s give 2 {"resultType":"complete"}"#]),
        "answered by a result",
    );
    fails(
        "malformed-params-code",
        &after(&DISCOVER, &[r#"c ask 2 tools/call "name":"a","arguments":[1]"#, "s fail 2 -32603"]),
        "-32603",
    );
    passes(
        "malformed-params-code",
        &after(&DISCOVER, &[r#"c ask 2 tools/list "cursor":5"#, "s fail 2 -32602"]),
    );
    let unknown = [clean[0], clean[1], r#"c ask 3 tools/call "name":"zz""#];
    fails(
        "unknown-tool-code",
        &after(
            &DISCOVER,
            &[&unknown[..], &[r#"s give 3 {"resultType":"complete","content":[],"isError":true}"#]]
                .concat(),
        ),
        "answered by a result",
    );
    passes("unknown-tool-code", &after(&DISCOVER, &[&unknown[..], &["s fail 3 -32602"]].concat()));
    passes("parse-error-code", &after(&SHAKE, &["c not json", refused]));
    fails(
        "parse-error-code",
        &after(
            &SHAKE,
            &["c not json", r#"s {"jsonrpc":"2.0","error":{"code":-32603,"message":"m"}}"#],
        ),
        "-32603",
    );
    says_nothing("parse-error-code", &after(&SHAKE, &["c not json"]));
}

#[test]
fn standard_output() {
    let call = ["c ask 2 tools/call", r#"s give 2 {"resultType":"complete","content":[]}"#];
    passes("stdout-clean", &after(&DISCOVER, &call));
    passes("stdout-without-blanks", &after(&DISCOVER, &call));
    says_nothing("stdout-clean", &after(&DISCOVER, &[]));
    fails("stdout-clean", &after(&DISCOVER, &["s Server running on stdio"]), "not JSON");
    fails("stdout-clean", &after(&DISCOVER, &["s 42"]), "no JSON-RPC message");
    fails("stdout-without-blanks", &after(&DISCOVER, &["s    "]), "blank line");
}

#[test]
fn http_heads() {
    let json_type = || json!({"content-type": "application/json; charset=utf-8"});
    let given = format!("s give 2 {TOOLS}");
    let good = json!({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"});
    passes("http-status", &http(good.clone(), 200, json_type(), &given));
    fails("http-status", &http(good.clone(), 201, json_type(), &given), "status 201");
    fails("http-status", &http(good.clone(), 200, json_type(), "s fail 2 -32601"), "error -32601");
    passes("http-status", &http(good.clone(), 404, json_type(), "s fail 2 -32601"));
    passes("http-content-type", &http(good.clone(), 200, json_type(), &given));
    fails(
        "http-content-type",
        &http(good.clone(), 200, json!({"content-type": "text/plain"}), &given),
        "text/plain",
    );
    fails("http-content-type", &http(good.clone(), 200, json!({}), &given), "no content type");
    let wrong = json!({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"});
    says_nothing("http-headers-enforced", &http(good.clone(), 200, json_type(), &given));
    fails(
        "http-headers-enforced",
        &http(wrong.clone(), 200, json_type(), &given),
        "mcp-method says \"tools/call\"",
    );
    passes("http-headers-enforced", &http(wrong.clone(), 400, json_type(), "s fail 2 -32020"));
    let html = json!({"content-type": "text/html"});
    says_nothing("http-headers-enforced", &http(wrong.clone(), 400, html, "s fail 2 -32000"));
    let proxy = json!({"content-type": "application/json", "server": "proxy"});
    says_nothing("http-headers-enforced", &http(wrong.clone(), 404, proxy, "s fail 2 -32000"));
    let unversioned = json!({"mcp-method": "tools/list"});
    says_nothing("http-headers-enforced", &http(unversioned, 200, json_type(), &given));
    fails(
        "http-no-session",
        &http(
            good,
            200,
            json!({"content-type": "application/json", "mcp-session-id": "s"}),
            &given,
        ),
        "session id",
    );
    let mut notified = http(json!({}), 200, json_type(), &given);
    let (c, s, transport) = ("client-to-server", "server-to-client", "streamable-http");
    event(
        &mut notified,
        c,
        transport,
        0,
        r#""exchange":2,"kind":"http","method":"POST","headers":{}"#,
    );
    event(
        &mut notified,
        c,
        transport,
        0,
        r#""exchange":2,"kind":"message","payload":{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    );
    event(
        &mut notified,
        s,
        transport,
        0,
        r#""exchange":2,"kind":"http","status":200,"headers":{}"#,
    );
    fails("http-notification-accepted", &notified, "status 200");
}

#[test]
fn the_cost_of_a_cold_start() {
    let header = |budget: u64| {
        let budgets = json!({ "discovery_bytes": budget, "discovery_tokens": budget });
        json!({
            "capture": {"major": 1, "minor": 0}, "version": "0", "revision": "auto", "sets": [],
            "target": {"kind": "stdio", "name": "x"}, "permissions": {"mutations": false},
            "started": "2026-01-01T00:00:00Z", "seed": 1,
            "scenario": {"id": "s", "digest": "d", "params": {"budgets": budgets}, "cases": {}},
        })
    };
    let end =
        json!({"cause": "complete", "counts": {"requests": 2, "events": 5, "bytes_received": 1}});
    let capture = after(&DISCOVER, &["c ask 2 tools/list", &format!("s give 2 {TOOLS}")]);
    for id in ["cold-start-bytes", "cold-start-tokens"] {
        says_nothing(id, &capture);
        let with = |budget: u64| {
            let headed = capture.replacen(
                "\"seq\":0,",
                &format!("\"seq\":0,\"hallmark\":{},", header(budget)),
                1,
            );
            headed.replace("\"event\":", &format!("\"end\":{end},\"event\":"))
        };
        passes(id, &with(1_000_000));
        fails(id, &with(3), "over the budget of 3");
    }
}
