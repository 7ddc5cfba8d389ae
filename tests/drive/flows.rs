//! Flows: that each leaves in the capture what the judge looks for, and that every run ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_hallmark::capture::EndCause;
use mcp_hallmark::scenario::load_builtin;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake};
use crate::support::{Memory, discovery, drive, events, failure, scenario, success};

/// Requests of a capture by flow and case: roles and arguments, in order.
fn cases(captured: &Memory) -> BTreeMap<(String, String), Vec<(String, Value)>> {
    let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in events(captured) {
        if event["direction"] == "client-to-server" && event["payload"]["id"].is_number() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let step = &event["step"];
            let key = (text(&step["flow"]), text(&step["case"]));
            let arguments = event["payload"]["params"]["arguments"].clone();
            out.entry(key).or_default().push((text(&step["role"]), arguments));
        }
    }
    out
}

fn issue_tools() -> Value {
    json!([
        {
            "name": "list_items",
            "annotations": {"readOnlyHint": true},
            "inputSchema": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "state": {"type": "string", "enum": ["open", "all"], "default": "open"},
                    "detail": {"enum": ["summary", "full"]},
                    "cursor": {"type": "string"}
                }
            }
        },
        {
            "name": "get_item",
            "annotations": {"readOnlyHint": true},
            "inputSchema": {
                "type": "object", "additionalProperties": false, "required": ["item_id"],
                "properties": {"item_id": {"type": "integer", "minimum": 1}}
            }
        },
        {
            "name": "add_item",
            "annotations": {"readOnlyHint": false, "idempotentHint": false, "destructiveHint": false},
            "inputSchema": {
                "type": "object", "additionalProperties": false, "required": ["title"],
                "properties": {
                    "title": {"type": "string", "minLength": 1},
                    "idempotency_key": {"type": "string"}
                }
            }
        }
    ])
}

/// A small server with pages, identifiers that must be known, and repairs.
async fn items() -> Fake {
    Fake::start(|method, params| {
        if let Some(answer) = discovery(method, &issue_tools()) {
            return answer;
        }
        let arguments = &params["arguments"];
        let known = |names: &[&str]| {
            let given = arguments.as_object().into_iter().flatten();
            given.map(|(name, _)| name).all(|name| names.contains(&name.as_str()))
        };
        match (method, params["name"].as_str().unwrap_or_default()) {
            ("tools/call", "list_items") if known(&["state", "detail", "cursor"]) => {
                match arguments["cursor"].as_str() {
                    None => success(json!({"items": [{"id": 41}], "next_cursor": "page-two"})),
                    Some("page-two") => success(json!({"items": [{"id": 42}]})),
                    Some(_) => failure(json!({
                        "code": "cursor_expired", "message": "start again",
                        "repair": {"next_step": "restart", "tool": "list_items", "arguments": {}}
                    })),
                }
            }
            ("tools/call", "get_item") if arguments["item_id"] == 41 && known(&["item_id"]) => {
                success(json!({"id": 41, "title": "one"}))
            }
            ("tools/call", "get_item") => failure(json!({
                "code": "item_not_found", "message": "no such item",
                "repair": {"next_step": "search", "tool": "list_items", "arguments": {"state": "all"}}
            })),
            ("tools/call", "add_item") if arguments["title"].is_string() => success(json!({"id": 43})),
            ("tools/call", _) => failure(json!({"code": "invalid_field", "message": "no"})),
            _ => Answer::Error(-32601, "no such method"),
        }
    })
    .await
}

#[tokio::test]
async fn every_probe_leaves_its_roles() {
    let fake = items().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (outcome, captured) = drive(&fake, &scenario, true).await;
    assert_eq!(outcome.expect("it can be driven").end.cause, EndCause::Complete);
    let cases = cases(&captured);
    let roles = |flow: &str, case: &str| -> Vec<String> {
        let case = cases.get(&(flow.to_owned(), case.to_owned()));
        let case = case.unwrap_or_else(|| panic!("{flow} / {case:?} in {:?}", cases.keys()));
        case.iter().map(|(role, _)| role.clone()).collect()
    };
    assert_eq!(roles("pages", "list_items"), ["page", "page", "call"]);
    assert_eq!(roles("detail", "list_items.detail"), ["brief", "control", "full", "omitted"]);
    assert_eq!(roles("defaults", "list_items.state"), ["omitted", "control", "explicit", "other"]);
    let read_only = roles("read_only", "get_item");
    assert_eq!(read_only, ["before", "control", "call", "after"]);
    let repeat = roles("idempotency", "add_item");
    let moments = ["before", "control", "call", "after", "repeat", "after_repeat"];
    assert_eq!(repeat.iter().collect::<std::collections::BTreeSet<_>>().len(), moments.len());
    assert!(roles("idempotency", "add_item: with idempotency_key").contains(&"other".to_owned()));
    // An identifier that the server showed in a list is used for the tool that needs one.
    let calls = &cases[&("calls".to_owned(), "get_item".to_owned())];
    assert!(calls.iter().any(|(_, arguments)| arguments["item_id"] == 41), "{calls:?}");
    let unknown =
        &cases[&("forced_error".to_owned(), "get_item: unknown_value item_id".to_owned())];
    assert_eq!(unknown.len(), 2, "each failure twice");
    assert_ne!(unknown[0].1, unknown[1].1, "with different values");
}

#[tokio::test]
async fn repairs_are_carried_out_to_the_letter_and_the_call_is_retried() {
    let fake = items().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (_, captured) = drive(&fake, &scenario, false).await;
    let cases = cases(&captured);
    let (_, steps) = cases
        .iter()
        .find(|((flow, case), _)| flow == "repair" && case.starts_with("get_item:"))
        .expect("the failure of get_item has a repair");
    assert_eq!(steps[0].0, "call");
    assert_eq!(steps[1], ("repair".to_owned(), json!({"state": "all"})));
    assert_eq!(steps[2], ("retry".to_owned(), json!({"item_id": 41})));
}

#[tokio::test]
async fn forced_errors_break_one_thing_and_keep_the_rest() {
    let fake = items().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (_, captured) = drive(&fake, &scenario, false).await;
    let cases = cases(&captured);
    let forced = |case: &str| &cases[&("forced_error".to_owned(), case.to_owned())];
    let unknown = forced("get_item: unknown_property hallmark_unexpected");
    assert!(unknown.iter().all(|(_, arguments)| arguments["item_id"] == 41), "{unknown:?}");
    assert!(forced("get_item: wrong_type item_id").iter().all(|(_, a)| !a["item_id"].is_number()));
    assert!(forced("get_item: out_of_bounds item_id").iter().all(|(_, a)| a["item_id"].is_i64()));
}

#[tokio::test]
async fn written_cases_are_set_up_called_repaired_and_retried() {
    let fake = items().await;
    let scenario = scenario(
        r#"
flows:
  - case: a missing item
    setup:
      - call: { tool: list_items }
        save: { token: /structuredContent/next_cursor }
    call: { tool: get_item, arguments: { item_id: 7 } }
    expect_error: { code: item_not_found }
    repair:
      hops: 1
      save: { id: /structuredContent/items/0/id }
      then: retry_original
      with: { item_id: "${id}" }
      expect: success
    restore:
      - call: { tool: list_items, arguments: { cursor: "${token}" } }
"#,
    );
    let (outcome, captured) = drive(&fake, &scenario, false).await;
    assert_eq!(outcome.expect("it can be driven").end.withheld, []);
    let cases = cases(&captured);
    let steps = &cases[&("repair".to_owned(), "a missing item".to_owned())];
    let wanted = [
        ("setup", json!({})),
        ("call", json!({"item_id": 7})),
        ("repair", json!({"state": "all"})),
        ("retry", json!({"item_id": 41})),
        ("setup", json!({"cursor": "page-two"})),
    ];
    assert_eq!(*steps, wanted.map(|(role, arguments)| (role.to_owned(), arguments)));
}

#[tokio::test]
async fn a_case_without_its_setup_is_withheld() {
    let fake = items().await;
    let scenario = scenario(
        r#"
flows:
  - case: impossible
    setup:
      - call: { tool: list_items }
        save: { token: /structuredContent/nowhere }
    call: { tool: get_item, arguments: { item_id: "${token}" } }
  - case: elsewhere
    mode: other
    call: { tool: list_items }
modes: { other: { args: [--other] } }
"#,
    );
    let (outcome, captured) = drive(&fake, &scenario, false).await;
    let withheld = outcome.expect("it can be driven").end.withheld;
    assert!(withheld.iter().any(|w| w.what.contains("impossible")), "{withheld:?}");
    assert!(withheld.iter().any(|w| w.what.contains("elsewhere")), "{withheld:?}");
    let cases = cases(&captured);
    assert_eq!(cases[&("calls".to_owned(), "impossible".to_owned())].len(), 1, "the setup alone");
}

#[tokio::test]
async fn hundreds_of_tools_stay_within_the_bound_and_the_rest_is_listed() {
    let many: Vec<Value> = (0..400)
        .map(|number| {
            json!({
                "name": format!("tool_{number}"),
                "annotations": {"readOnlyHint": true},
                "inputSchema": issue_tools()[1]["inputSchema"]
            })
        })
        .collect();
    let many = Value::Array(many);
    let fake = Fake::start(move |method, _| {
        discovery(method, &many).unwrap_or_else(|| success(json!({"id": 1})))
    })
    .await;
    let scenario =
        scenario("limits: { requests: 1500 }\nflows: [cold_start, calls, forced_errors]\n");
    let (outcome, _) = drive(&fake, &scenario, false).await;
    let end = outcome.expect("it can be driven").end;
    assert_eq!(end.cause, EndCause::Complete, "a bound of the plan is no fault of the target");
    assert!(end.counts.requests <= 1510, "{}", end.counts.requests);
    assert!(end.withheld.iter().any(|w| w.needs.contains("limits.")), "{:?}", end.withheld);
    let forced: std::collections::BTreeSet<_> =
        fake.calls().into_iter().map(|(tool, _)| tool).collect();
    assert!(forced.len() >= 400, "no tool is left out entirely: {}", forced.len());
}

#[tokio::test]
async fn a_tool_that_hangs_up_is_named_and_left_alone() {
    let fake = Fake::start(|method, params| {
        discovery(method, &issue_tools()).unwrap_or_else(|| match params["name"].as_str() {
            Some("get_item") => Answer::Hangup,
            _ => success(json!({"items": [{"id": 41}]})),
        })
    })
    .await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (outcome, _) = drive(&fake, &scenario, false).await;
    let end = outcome.expect("it can be driven").end;
    assert_eq!(end.cause, EndCause::Complete);
    let calls = fake.calls().iter().filter(|(tool, _)| tool == "get_item").count();
    assert!(calls <= 4, "it is not tried for ever: {calls}");
    assert!(fake.calls().iter().filter(|(tool, _)| tool == "list_items").count() > 5);
}

#[tokio::test]
async fn walks_that_never_end_are_ended() {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let fake = Fake::start(|method, _| {
        let next = format!("token-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        match method {
            "server/discover" => discovery(method, &Value::Null).expect("discovery"),
            "tools/list" => Answer::Result(json!({
                "resultType": "complete", "tools": [issue_tools()[0]], "nextCursor": next,
                "ttlMs": 0, "cacheScope": "private"
            })),
            "tools/call" => success(json!({"items": [{"id": 1}], "next_cursor": next})),
            _ => Answer::Error(-32601, "no such method"),
        }
    })
    .await;
    let scenario = scenario("limits: { pages: 7 }\nflows: [cold_start, calls, pages]\n");
    let (outcome, captured) = drive(&fake, &scenario, false).await;
    assert_eq!(outcome.expect("it can be driven").end.cause, EndCause::Limit);
    let cases = cases(&captured);
    let pages = &cases[&("pages".to_owned(), "list_items".to_owned())];
    assert_eq!(pages.iter().filter(|(role, _)| role == "page").count(), 7);
    assert_eq!(cases[&("cold_start".to_owned(), "lists".to_owned())].len(), 7);
}

#[tokio::test]
async fn a_target_that_is_not_there_cannot_be_driven() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    drop(listener);
    let fake = Fake::nowhere(url);
    let (outcome, captured) = drive(&fake, &scenario("flows: [cold_start]\n"), false).await;
    let error = outcome.expect_err("nobody listens").to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    let events = events(&captured);
    assert_eq!(events.last().expect("an end")["end"]["cause"], "target_died");
}

#[tokio::test]
async fn a_read_that_changes_by_itself_is_looked_at_alone() {
    static TICKS: AtomicU64 = AtomicU64::new(0);
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {}});
    let tools = json!([
        {"name": "clock", "inputSchema": schema, "annotations": {"readOnlyHint": true}},
        {"name": "steady", "inputSchema": schema, "annotations": {"readOnlyHint": true}}
    ]);
    let fake = Fake::start(move |method, params| {
        discovery(method, &tools).unwrap_or_else(|| match params["name"].as_str() {
            Some("clock") => success(json!({"now": TICKS.fetch_add(1, Ordering::Relaxed)})),
            _ => success(json!({"rows": [1]})),
        })
    })
    .await;
    let scenario = scenario("flows: [cold_start, calls, read_only]\n");
    let (outcome, captured) = drive(&fake, &scenario, false).await;
    outcome.expect("it can be driven");
    let cases = cases(&captured);
    let control = &cases[&("read_only".to_owned(), "steady: control".to_owned())];
    let roles: Vec<&str> = control.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["before", "control"]);
    let clock = cases.keys().filter(|(_, case)| case == "clock: control").count();
    assert_eq!(clock, 0, "what it reads is steady");
}
