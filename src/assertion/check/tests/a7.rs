//! A7: paging and levels of detail.

use serde_json::{Value, json};

use super::sample::{Sample, envelope, failed, ok, prose, sample, tool};
use crate::capture::{Flow, Role};

fn list(result: Value) -> Sample {
    sample().request("tools/list", json!({}), json!({ "result": result }), None)
}

#[test]
fn native_lists_have_native_fields_only() {
    let id = "native-lists-page-natively";
    assert_eq!(list(json!({ "tools": [] })).says(id), "fine");
    for bad in [
        json!({ "tools": [], "has_more": false }),
        json!({ "tools": [], "nextCursor": null }),
        json!({ "tools": [], "total": 0 }),
    ] {
        assert_eq!(list(bad.clone()).says(id), "faulty", "{bad}");
    }
    assert_eq!(list(json!({ "tools": [], "_meta": { "total": 0 }, "ttlMs": 1 })).says(id), "fine");
    assert_eq!(sample().says(id), "none");
}

#[test]
fn native_walks_end() {
    let id = "native-walks-end";
    let page = |sample: Sample, params: Value, result: Value| {
        sample.request("tools/list", params, json!({ "result": result }), None)
    };
    let first = list(json!({ "tools": [{ "name": "a" }], "nextCursor": "p2" }));
    let second = |result| page(first.clone(), json!({ "cursor": "p2" }), result);
    assert_eq!(second(json!({ "tools": [{ "name": "b" }] })).says(id), "fine");
    assert_eq!(second(json!({ "tools": [{ "name": "a" }] })).says(id), "faulty");
    assert_eq!(
        second(json!({ "tools": [{ "name": "b" }], "nextCursor": "p2" })).says(id),
        "faulty"
    );
    assert_eq!(first.says(id), "skip");
}

fn finder(output: Value) -> Value {
    tool(
        "acme_find_issues",
        json!({ "cursor": { "type": "string" }, "detail": { "type": "string", "enum": ["summary", "full"] } }),
        &[],
        json!({ "annotations": { "readOnlyHint": true }, "outputSchema": output }),
    )
}

fn output() -> Value {
    json!({ "type": "object", "properties": {
        "issues": { "type": "array", "items": { "type": "object", "properties": { "id": {}, "title": {}, "body": {} } } },
        "has_more": { "type": "boolean" }, "next_cursor": { "type": "string" },
    } })
}

fn find(answer: Value) -> Sample {
    sample().tools(json!([finder(output())])).call("acme_find_issues", json!({}), answer)
}

#[test]
fn a_token_that_is_taken_is_given() {
    let id = "tool-lists-page-by-token";
    let rows = json!({ "properties": { "issues": { "type": "array", "items": { "type": "object", "properties": { "id": {} } } } } });
    let of = |tool: Value| sample().tools(json!([tool]));
    assert_eq!(of(finder(output())).says(id), "fine");
    assert_eq!(of(finder(rows.clone())).says(id), "faulty");
    let given = of(finder(rows.clone())).call(
        "acme_find_issues",
        json!({}),
        ok(json!({ "issues": [], "next_cursor": "x" })),
    );
    assert_eq!(given.says(id), "fine");
    let after = tool(
        "acme_list_x",
        json!({ "after": { "type": "string" } }),
        &[],
        json!({ "outputSchema": rows }),
    );
    assert_eq!(of(after).says(id), "skip");
    let offset = tool(
        "acme_list_x",
        json!({ "page": { "type": "integer" } }),
        &[],
        json!({ "outputSchema": rows }),
    );
    assert_eq!(of(offset).says(id), "ask");
    let whole = tool("acme_list_x", json!({}), &[], json!({ "outputSchema": rows }));
    assert_eq!(of(whole).says(id), "inapplicable");
}

#[test]
fn flag_and_token_go_together() {
    let id = "continuation-fields-paired";
    assert_eq!(find(ok(json!({ "has_more": true, "next_cursor": "x" }))).says(id), "fine");
    assert_eq!(find(ok(json!({ "has_more": false, "next_cursor": null }))).says(id), "fine");
    assert_eq!(find(ok(json!({ "has_more": true }))).says(id), "faulty");
    assert_eq!(find(ok(json!({ "has_more": false, "next_cursor": "x" }))).says(id), "faulty");
    assert_eq!(find(ok(json!({ "page": { "has_more": true } }))).says(id), "faulty");
    assert_eq!(find(ok(json!({ "issues": [] }))).says(id), "skip");
}

#[test]
fn continuation_fields_are_declared() {
    let id = "continuation-fields-declared";
    assert_eq!(find(ok(json!({ "has_more": true, "next_cursor": "x" }))).says(id), "fine");
    assert_eq!(find(ok(json!({ "nextPageToken": "x" }))).says(id), "faulty");
    let in_meta = json!({ "result": { "content": [], "structuredContent": {}, "_meta": { "next_cursor": "x" } } });
    assert_eq!(find(in_meta).says(id), "faulty");
    assert_eq!(find(ok(json!({ "issues": [] }))).says(id), "skip");
}

#[test]
fn paging_fields_are_labelled() {
    let id = "house-paging-labelled";
    let of = |tool: Value| sample().tools(json!([tool]));
    assert_eq!(of(finder(output())).says(id), "faulty");
    let mut labelled = output();
    labelled["properties"]["has_more"]["description"] = json!("House convention.");
    assert_eq!(of(finder(labelled)).says(id), "fine");
    assert_eq!(of(tool("acme_get_x", json!({}), &[], json!({}))).says(id), "skip");
    assert_eq!(of(finder(json!({ "type": "object" }))).says(id), "inapplicable");
}

fn pages(pages: &[Value]) -> Sample {
    let mut sample = sample().tools(json!([finder(output())]));
    for page in pages {
        let at = (Flow::Pages, "acme_find_issues", Role::Page);
        sample = sample.step(at, "acme_find_issues", json!({}), ok(page.clone()));
    }
    sample
}

#[test]
fn a_walk_over_pages_ends_without_a_row_twice() {
    let id = "page-walks-end";
    let page = |ids: [u32; 2], token: Value| json!({ "issues": [{ "id": ids[0] }, { "id": ids[1] }], "has_more": !token.is_null(), "next_cursor": token });
    assert_eq!(pages(&[page([1, 2], json!("x")), page([3, 4], Value::Null)]).says(id), "fine");
    assert!(
        pages(&[page([1, 2], json!("x")), page([2, 3], Value::Null)])
            .complaint(id)
            .contains("id 2")
    );
    assert_eq!(pages(&[page([1, 2], json!("x")), page([3, 4], json!("x"))]).says(id), "faulty");
    assert_eq!(pages(&[page([1, 2], Value::Null)]).says(id), "skip");
    let nameless = json!({ "issues": [{ "text": "a" }] });
    assert_eq!(pages(&[nameless.clone(), nameless]).says(id), "skip");
}

#[test]
fn a_token_of_ones_own_making_is_refused() {
    let id = "bad-token-refused";
    let with =
        |token: &str, answer: Value| {
            let at = (Flow::Pages, "acme_find_issues", Role::Call);
            pages(&[json!({ "issues": [{ "id": 1 }], "has_more": true, "next_cursor": "good" })])
                .step(at, "acme_find_issues", json!({ "cursor": token }), answer)
        };
    let repair = json!({ "repair": { "next_step": "restart", "tool": "acme_find_issues", "arguments": {} } });
    assert_eq!(with("goAd", failed(envelope("cursor_invalid", repair))).says(id), "fine");
    assert_eq!(with("goAd", failed(envelope("cursor_invalid", json!({})))).says(id), "faulty");
    assert_eq!(with("goAd", ok(json!({ "issues": [{ "id": 1 }] }))).says(id), "faulty");
    assert_eq!(with("good", ok(json!({ "issues": [] }))).says(id), "skip");
    assert_eq!(with("goAd", prose("bad cursor")).says(id), "skip");
}

fn levels(brief: Value, full: Value, omitted: Value) -> Sample {
    let at = |role| (Flow::Detail, "acme_find_issues.detail", role);
    let call = |sample: Sample, role, level: Option<&str>, answer: &Value| {
        let arguments = level.map_or_else(|| json!({}), |level| json!({ "detail": level }));
        sample.step(at(role), "acme_find_issues", arguments, ok(answer.clone()))
    };
    let sample = sample().tools(json!([finder(output())]));
    let sample = call(sample, Role::Brief, Some("summary"), &brief);
    let sample = call(sample, Role::Control, Some("summary"), &brief);
    let sample = call(sample, Role::Full, Some("full"), &full);
    call(sample, Role::Omitted, None, &omitted)
}

fn rows(rows: Value) -> Value {
    json!({ "issues": rows })
}

#[test]
fn results_are_brief_by_default() {
    let id = "concise-by-default";
    let brief = rows(json!([{ "id": 1 }]));
    let full = rows(json!([{ "id": 1, "body": "long" }]));
    assert_eq!(levels(brief.clone(), full.clone(), brief.clone()).says(id), "fine");
    assert_eq!(levels(brief.clone(), full.clone(), full.clone()).says(id), "faulty");
    assert_eq!(levels(full.clone(), brief.clone(), full.clone()).says(id), "faulty");
    assert_eq!(levels(brief.clone(), brief.clone(), brief).says(id), "skip");
}

#[test]
fn more_detail_only_adds() {
    let id = "detail-only-adds";
    let of =
        |brief: Value, full: Value| levels(rows(json!([brief])), rows(json!([full])), Value::Null);
    assert_eq!(
        of(json!({ "id": 1, "t": "a" }), json!({ "id": 1, "t": "a", "b": 2 })).says(id),
        "fine"
    );
    assert_eq!(
        of(json!({ "id": 1, "t": "a" }), json!({ "id": 1, "name": "a" })).says(id),
        "faulty"
    );
    assert_eq!(of(json!({ "id": 1, "t": "1" }), json!({ "id": 1, "t": 1 })).says(id), "faulty");
    let cut = json!({ "id": 1, "body": "abc", "body_truncated": true });
    assert_eq!(of(cut, json!({ "id": 1, "body": "abcdef" })).says(id), "fine");
    assert_eq!(
        of(json!({ "id": 1, "body": "abc" }), json!({ "id": 1, "body": "abcdef" })).says(id),
        "faulty"
    );
    assert_eq!(of(json!({ "t": "a" }), json!({ "t": "b" })).says(id), "skip");
}

#[test]
fn the_level_keeps_the_rows() {
    let id = "detail-keeps-rows";
    let of = |brief: Value, full: Value| levels(rows(brief), rows(full), Value::Null);
    assert_eq!(
        of(json!([{ "id": 1 }, { "id": 2 }]), json!([{ "id": 1 }, { "id": 2 }])).says(id),
        "fine"
    );
    assert_eq!(of(json!([{ "id": 1 }, { "id": 2 }]), json!([{ "id": 1 }])).says(id), "faulty");
    assert_eq!(
        of(json!([{ "id": 1 }, { "id": 2 }]), json!([{ "id": 2 }, { "id": 1 }])).says(id),
        "faulty"
    );
    assert_eq!(levels(json!({ "a": 1 }), json!({ "a": 1 }), Value::Null).says(id), "inapplicable");
}

#[test]
fn detail_is_offered_throughout() {
    let id = "detail-offered-throughout";
    let plain = |properties: Value| {
        tool(
            "acme_list_x",
            properties,
            &[],
            json!({ "annotations": { "readOnlyHint": true }, "outputSchema": output() }),
        )
    };
    let of = |tools: Value| sample().tools(tools);
    assert_eq!(of(json!([finder(output())])).says(id), "fine");
    assert_eq!(of(json!([finder(output()), plain(json!({ "x": {} }))])).says(id), "faulty");
    assert_eq!(of(json!([plain(json!({ "x": {} }))])).says(id), "faulty");
    assert_eq!(
        of(json!([plain(json!({ "include_body": { "type": "boolean" } }))])).says(id),
        "fine"
    );
    let other = json!({ "level": { "type": "string", "enum": ["brief", "full"] } });
    assert_eq!(of(json!([finder(output()), plain(other)])).says(id), "faulty");
    let poor = json!({ "properties": { "x": { "type": "array", "items": { "properties": { "id": {} } } } } });
    let poor = tool(
        "acme_list_x",
        json!({ "x": {} }),
        &[],
        json!({ "annotations": { "readOnlyHint": true }, "outputSchema": poor }),
    );
    assert_eq!(of(json!([poor])).says(id), "inapplicable");
    let media = json!({ "properties": { "content": { "type": "array", "items": { "properties": {
        "type": {}, "data": {}, "mimeType": {}, "uri": {}, "name": {},
    } } } } });
    let media = tool(
        "acme_read_x",
        json!({ "x": {} }),
        &[],
        json!({ "annotations": { "readOnlyHint": true }, "outputSchema": media }),
    );
    assert_eq!(of(json!([media])).says(id), "inapplicable");
    // A result that no parameter varies is fixed.
    assert_eq!(of(json!([plain(json!({}))])).says(id), "inapplicable");
}
