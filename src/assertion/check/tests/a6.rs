//! A6: the capability summary.

use serde_json::{Value, json};

use super::sample::{Sample, ok, prose, sample, tool};

const SUMMARY: &str = "acme://capabilities";

fn with_resource(sample: Sample, text: &str) -> Sample {
    let sample = if sample.lists_tools() { sample } else { sample.tools(json!([])) };
    let listed = json!({ "result": { "resources": [{ "uri": SUMMARY, "name": "capabilities" }] } });
    let body = json!({ "result": { "contents": [{ "uri": SUMMARY, "text": text }] } });
    sample.request("resources/list", json!({}), listed, None).request(
        "resources/read",
        json!({ "uri": SUMMARY }),
        body,
        None,
    )
}

fn with_instructions(text: &str) -> Sample {
    Sample::introduced("2025-11-25", json!({ "name": "acme-server" }), Value::from(text))
        .tools(json!([]))
}

fn described(descriptions: &[&str]) -> Value {
    let tools = descriptions.iter().enumerate();
    tools
        .map(|(at, text)| {
            tool(&format!("acme_get_x{at}"), json!({}), &[], json!({ "description": text }))
        })
        .collect()
}

const FULL: &str = r#"{"does":["Find issues with acme_get_x0."],"does_not":["Delete issues."]}"#;

#[test]
fn a_summary_can_be_reached() {
    let id = "summary-reachable";
    assert_eq!(with_resource(sample(), FULL).says(id), "fine");
    assert_eq!(with_resource(sample(), r#"{"does":["x"],"does_not":[]}"#).says(id), "faulty");
    assert_eq!(with_instructions("Provides issues. It does not delete them.").says(id), "fine");
    assert_eq!(with_instructions("Hello.").says(id), "faulty");
    let told = "Call `acme_list` to discover what is connected. Requires a calendar.";
    assert_eq!(with_instructions(told).says(id), "fine");
    assert_eq!(sample().tools(described(&["x"])).says(id), "faulty");
    let unread = json!({ "result": { "resources": [{ "uri": SUMMARY, "name": "capabilities" }] } });
    assert_eq!(
        sample().tools(json!([])).request("resources/list", json!({}), unread, None).says(id),
        "skip"
    );
    assert_eq!(sample().says(id), "skip", "the tools were not listed");
    assert_eq!(with_instructions("斑海豹审批工具集：判定命令是否安全").says(id), "skip");
}

#[test]
fn a_missing_summary_weighs_what_was_demonstrated() {
    let weighs = |sample: Sample, severity: &str, why: &str| {
        let complaint = sample.complaint("summary-reachable");
        assert!(complaint.contains(&format!("{severity}, because")), "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    };
    let told = "Reads a note. It does not write notes. Requires a note.";
    let one = || sample().tools(described(&[told]));
    weighs(one(), "major", "no valid call was seen");
    weighs(one().call("acme_get_x0", json!({}), ok(json!({}))), "minor", "of acme_get_x0 [seq");
    weighs(one().call("acme_get_x0", json!({}), prose("No.")), "major", "did not succeed");
    weighs(sample().tools(described(&["Reads a note."])), "major", "does not do either");
    weighs(sample().tools(described(&["a", "b", "c", "d"])), "major", "4 tools");
    weighs(sample().tools(described(&["a", "a"])), "critical", "the very words");
}

#[test]
fn instructions_alone_are_advised_against() {
    let id = "summary-on-a-sure-surface";
    assert_eq!(with_resource(sample(), FULL).says(id), "fine");
    assert_eq!(with_instructions("Provides issues. It does not delete them.").says(id), "faulty");
    assert_eq!(sample().says(id), "skip");
}

#[test]
fn negative_scope_is_about_the_server() {
    let id = "negative-scope-stated";
    assert_eq!(with_resource(sample(), FULL).says(id), "fine");
    assert_eq!(with_instructions("This server does not delete issues.").says(id), "fine");
    assert_eq!(with_instructions("Do not call it twice.").says(id), "faulty");
    assert_eq!(sample().tools(described(&["This server cannot delete."])).says(id), "fine");
    let of_tools = "This tool does not delete.";
    assert_eq!(sample().tools(described(&[of_tools])).says(id), "fine");
    assert_eq!(sample().tools(described(&[of_tools, "b", "c", "d"])).says(id), "ask");
    assert_eq!(sample().tools(described(&["Never use it for lists."])).says(id), "faulty");
    let many = |text: &str| sample().tools(described(&[text, "b", "c", "d"])).says(id);
    assert_eq!(many("List items. Never returns secret values."), "ask");
    assert_eq!(many("Never process it twice."), "faulty");
    let text = Value::from("For what the curated tools cannot express.");
    let told = Sample::introduced("2025-11-25", json!({ "name": "acme-server" }), text);
    assert_eq!(told.tools(described(&["a", "b", "c", "d"])).says(id), "ask");
}

#[test]
fn the_summary_names_what_is_listed() {
    let id = "summary-names-listed-tools";
    let of = |text: &str| with_resource(sample().tools(described(&["a", "b"])), text);
    assert_eq!(of(FULL).says(id), "fine");
    let complaint = of(r#"{"does":["Remove with acme_delete_issue."]}"#).complaint(id);
    assert!(complaint.contains("acme_delete_issue"), "{complaint}");
    assert_eq!(of(r#"{"does_not":["There is no acme_delete_issue."]}"#).says(id), "fine");
    let hidden = of(r#"{"tools":["acme_get_x0","acme_get_x7"]}"#).complaint(id);
    assert!(hidden.contains("acme_get_x7"), "{hidden}");
    let left_out = of(r#"{"tools":[{"name":"acme_get_x0"},{"name":"other_list"}]}"#).complaint(id);
    assert!(left_out.contains("leave out acme_get_x1"), "{left_out}");
    let no_prefix = with_resource(sample().named(&["get_a", "list_b"]), FULL);
    assert_eq!(no_prefix.says(id), "skip");
}

#[test]
fn surfaces_say_the_same() {
    let id = "summary-surfaces-agree";
    let two = |structured: Value| {
        let get = tool(
            "acme_get_capabilities",
            json!({}),
            &[],
            json!({ "annotations": { "readOnlyHint": true } }),
        );
        with_resource(sample().tools(json!([get])), FULL).call(
            "acme_get_capabilities",
            json!({}),
            ok(structured),
        )
    };
    let same: Value = serde_json::from_str(FULL).unwrap();
    assert_eq!(two(same).says(id), "fine");
    assert_eq!(two(json!({ "does_not": ["Nothing."] })).says(id), "faulty");
    assert_eq!(with_resource(sample(), FULL).says(id), "skip");
}
