//! Bounds: lists without an end, too many bytes, answers that nobody can read, names listed twice.

use mcp_hallmark::capture::{EndCause, WithheldKind};
use mcp_hallmark::scenario::load_builtin;
use mcp_hallmark::target::{Limits, TargetSpec};
use serde_json::{Map, Value, json};

use crate::common::record;
use crate::fake::{Answer, Fake};
use crate::support::{Memory, discovery, drive, events, scenario, success};

fn calls(captured: &Memory, tool: &str) -> Vec<Map<String, Value>> {
    let sent = events(captured).into_iter().map(|event| event["payload"]["params"].clone());
    let of_tool = sent.filter(|params| params["name"] == tool);
    of_tool.filter_map(|params| params["arguments"].as_object().cloned()).collect()
}

/// Pages of `page` tools each, without an end.
async fn endless(page: usize) -> Fake {
    Fake::start(move |method, params| {
        if method != "tools/list" {
            return discovery(method, &json!([])).unwrap_or_else(|| success(json!({})));
        }
        let from: usize =
            params["cursor"].as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let tools: Vec<Value> =
            (from..from + page).map(|n| json!({"name": format!("tool_{n}")})).collect();
        Answer::Result(json!({
            "resultType": "complete", "tools": tools, "nextCursor": (from + page).to_string(),
            "ttlMs": 0, "cacheScope": "private"
        }))
    })
    .await
}

#[tokio::test]
async fn a_list_without_end_is_left_and_the_run_is_no_whole_one() {
    for (page, rest, bound, requests) in [
        (1, "flows: [cold_start]\nlimits: { pages: 5 }", "5 pages", 5),
        (7_000, "flows: [cold_start]", "20000 records", 3),
    ] {
        let fake = endless(page).await;
        let (outcome, captured) = drive(&fake, &scenario(rest), false).await;
        let end = outcome.expect("it can be driven").end;
        assert_eq!(end.cause, EndCause::Limit, "{bound}");
        assert!(end.detail.is_some_and(|detail| detail.contains(bound)), "{bound}");
        let list = end.withheld.iter().find(|entry| entry.kind == WithheldKind::List);
        assert!(list.is_some_and(|entry| entry.what.contains("tools/list")), "{:?}", end.withheld);
        let asked = events(&captured);
        let asked = asked.iter().filter(|event| event["payload"]["method"] == "tools/list").count();
        assert_eq!(asked, requests, "{bound}: it is not walked again");
    }
}

#[tokio::test]
async fn a_target_that_sends_too_much_ends_the_run() {
    let tool = json!([{"name": "big", "annotations": {"readOnlyHint": true},
                       "inputSchema": {"type": "object"}}]);
    let fake = Fake::start(move |method, _| {
        discovery(method, &tool).unwrap_or_else(|| success(json!({"text": "x".repeat(100_000)})))
    })
    .await;
    let any = load_builtin("any-server").expect("it is built in");
    let target = TargetSpec::Http { url: fake.url.clone(), headers: Vec::new() };
    let limits = Limits { run_bytes: 300_000, ..Limits::default() };
    let (outcome, captured) = record(target, &any, limits, false, None).await;
    let end = outcome.expect("it can be driven").end;
    assert_eq!(end.cause, EndCause::Limit, "{:?}", end.detail);
    assert!((300_000..800_000).contains(&captured.bytes().len()), "{}", captured.bytes().len());
}

#[tokio::test]
async fn the_strictest_listing_decides_what_a_tool_is_sent() {
    let read = json!({"readOnlyHint": true});
    let schema = |required: &str| {
        json!({"type": "object", "required": [required],
               "properties": {"a": {"type": "string"}, "b": {"type": "string"}}})
    };
    let tools = json!([
        {"name": "twofold", "annotations": read, "inputSchema": schema("a")},
        {"name": "twofold", "annotations": {"readOnlyHint": false}, "inputSchema": schema("b")},
        {"name": "either", "annotations": read, "inputSchema": schema("a")},
        {"name": "either", "annotations": read, "inputSchema": schema("b")}
    ]);
    let fake = Fake::start(move |method, _| {
        discovery(method, &tools).unwrap_or_else(|| success(json!({"ok": true})))
    })
    .await;
    let any = load_builtin("any-server").expect("it is built in");
    let (outcome, captured) = drive(&fake, &any, false).await;
    outcome.expect("it can be driven");
    for arguments in calls(&captured, "twofold") {
        let is_harmless = !arguments.contains_key("a") && !arguments.contains_key("b");
        assert!(is_harmless, "a tool that may mutate could execute {arguments:?}");
    }
    let forced = events(&captured).into_iter().filter(|event| {
        let case = event["step"]["case"].as_str().unwrap_or_default();
        // A value that names nothing is well formed.
        case.starts_with("either: ")
            && !case.contains("unknown_value")
            && event["direction"] == "client-to-server"
    });
    let mut broken = 0;
    for event in forced {
        let arguments = &event["payload"]["params"]["arguments"];
        let fits = |name: &str| {
            let given = arguments.as_object().into_iter().flatten();
            arguments[name].is_string() && given.into_iter().all(|(_, value)| value.is_string())
        };
        assert!(!fits("a") && !fits("b"), "a listing allows {arguments}");
        broken += 1;
    }
    assert!(broken > 0, "what breaks both listings is still sent");
}

/// Says what no parser can read to everything but discovery.
const UNREADABLE: &str = r#"
while read -r line; do
  case "$line" in *'"id":'*) ;; *) continue;; esac
  id=${line#*'"id":'}; id=${id%%,*}
  case "$line" in
  *'"server/discover"'*) r='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":0,"cacheScope":"private"}}';;
  *) r='"tools":[}}';;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s\n' "$id" "$r"
done
"#;

#[cfg(unix)]
#[tokio::test]
async fn a_target_of_which_nothing_can_be_read_is_given_up() {
    let target = TargetSpec::Stdio {
        command: "sh".to_owned(),
        args: ["-c", UNREADABLE].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
    };
    let any = load_builtin("any-server").expect("it is built in");
    let started = std::time::Instant::now();
    let (outcome, captured) = record(target, &any, Limits::default(), false, None).await;
    let took = started.elapsed();
    outcome.expect("it was discovered");
    // Each of at most a dozen answers is given two seconds to be followed by a proper one.
    assert!(took < std::time::Duration::from_secs(30), "{took:?}");
    let again =
        events(&captured).into_iter().filter(|event| event["step"]["case"] == "lists again");
    assert_eq!(again.count(), 0, "what cannot be read once is not asked for again");
}
