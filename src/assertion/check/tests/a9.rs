//! A9: output schemas, and results that keep them.

use serde_json::{Value, json};

use super::sample::{Sample, ok, sample, tool};

fn schema() -> Value {
    json!({ "type": "object", "required": ["x"], "properties": { "x": { "type": "integer" } } })
}

fn publishing(output: Value) -> Sample {
    sample().tools(json!([tool("acme_get_x", json!({}), &[], json!({ "outputSchema": output }))]))
}

fn bare(description: &str) -> Sample {
    sample().tools(json!([tool(
        "acme_get_x",
        json!({}),
        &[],
        json!({ "description": description })
    )]))
}

fn get(sample: Sample, answer: Value) -> Sample {
    sample.call("acme_get_x", json!({}), answer)
}

fn result(members: Value) -> Value {
    json!({ "result": members })
}

fn text(text: &str) -> Value {
    result(json!({ "content": [{ "type": "text", "text": text }] }))
}

#[test]
fn output_schemas_are_published() {
    assert_eq!(publishing(schema()).says("output-schema-published"), "fine");
    assert_eq!(publishing(schema()).says("some-output-schema-published"), "fine");
    assert_eq!(bare("Gets.").says("output-schema-published"), "faulty");
    assert_eq!(bare("Gets.").says("some-output-schema-published"), "faulty");
    let excused = "Returns an image only; nothing to parse.";
    assert_eq!(bare(excused).says("output-schema-published"), "inapplicable");
    assert_eq!(get(bare(excused), text("{\"a\":1}")).says("output-schema-published"), "faulty");
    assert_eq!(
        get(bare(excused), text("a picture")).says("output-schema-published"),
        "inapplicable"
    );
}

#[test]
fn results_conform() {
    let id = "structured-content-conforms";
    assert_eq!(get(publishing(schema()), ok(json!({ "x": 1 }))).says(id), "fine");
    assert!(
        get(publishing(schema()), ok(json!({ "x": "1" })))
            .complaint(id)
            .contains("breaks its output schema")
    );
    assert_eq!(get(publishing(schema()), text("x")).says(id), "faulty");
    let linked =
        result(json!({ "content": [{ "type": "resource_link", "uri": "a:b", "name": "b" }] }));
    assert_eq!(get(publishing(schema()), linked).says(id), "skip");
    assert_eq!(get(bare(""), ok(json!({}))).says(id), "skip");
    assert_eq!(
        get(publishing(json!({ "$ref": "https://elsewhere.example/x" })), ok(json!({}))).says(id),
        "skip"
    );
}

#[test]
fn text_stands_beside_structured_content() {
    let id = "text-block-present";
    assert_eq!(get(bare(""), ok(json!({ "x": 1 }))).says(id), "fine");
    let none = result(json!({ "content": [], "structuredContent": { "x": 1 } }));
    assert_eq!(get(bare(""), none).says(id), "faulty");
    assert_eq!(get(bare(""), text("x")).says(id), "skip");
}

#[test]
fn the_text_is_a_copy() {
    let id = "text-copies-structured-content";
    let with = |text: &str, structured: Value| {
        get(bare(""), result(json!({ "content": [{ "type": "text", "text": text }], "structuredContent": structured }))).says(id)
    };
    assert_eq!(with("{\"x\":1}", json!({ "x": 1 })), "fine");
    assert_eq!(with("x is 1", json!({ "x": 1, "y": 2 })), "faulty");
    assert_eq!(with("done", json!({ "result": "done" })), "fine");
    assert_eq!(with("[1]", json!({ "content": "[1]" })), "fine", "a string that is JSON itself");
    assert_eq!(get(bare(""), text("x")).says(id), "skip");
}

#[test]
fn structured_content_is_an_object_of_data() {
    let id = "structured-content-is-object";
    let with = |structured: Value| get(bare(""), ok(structured)).says(id);
    assert_eq!(with(json!({ "url": "https://a.example" })), "fine");
    assert_eq!(with(json!([1])), "faulty");
    assert_eq!(with(json!({ "result": "{\"a\":1}" })), "faulty");
    assert_eq!(with(json!({ "result": format!("# Title\n{}", "x".repeat(300)) })), "faulty");
    assert_eq!(get(bare(""), text("x")).says(id), "skip");
}

#[test]
fn text_holds_nothing_of_its_own() {
    let id = "text-adds-no-data";
    let with = |text: Value, structured: Value| {
        let text = text.to_string();
        get(bare(""), result(json!({ "content": [{ "type": "text", "text": text }], "structuredContent": structured }))).says(id)
    };
    assert_eq!(with(json!({ "x": 1 }), json!({ "x": 1, "y": 2 })), "fine");
    assert_eq!(with(json!({ "x": 1, "etag": "v" }), json!({ "x": 1, "y": 2 })), "faulty");
    assert_eq!(with(json!({ "x": 1 }), json!({ "result": [{ "x": 1 }] })), "fine");
    assert_eq!(with(json!("prose"), json!({ "x": 1 })), "skip");
}

#[test]
fn media_have_blocks_of_their_own() {
    let id = "no-base64-in-text";
    assert_eq!(get(bare(""), text(&"aB3d".repeat(1100))).says(id), "faulty");
    assert_eq!(get(bare(""), text(&"aB3d".repeat(900))).says(id), "fine");
    assert_eq!(get(bare(""), text(&"a".repeat(9000))).says(id), "fine");
}

#[test]
fn content_blocks_are_complete() {
    let id = "content-blocks-complete";
    let with = |block: Value| get(bare(""), result(json!({ "content": [block] }))).says(id);
    assert_eq!(with(json!({ "type": "image", "data": "", "mimeType": "image/png" })), "fine");
    assert_eq!(with(json!({ "type": "image", "data": "" })), "faulty");
    assert_eq!(with(json!({ "type": "table" })), "faulty");
    assert_eq!(with(json!("text")), "faulty");
    assert_eq!(get(bare(""), result(json!({}))).says(id), "skip");
}

#[test]
fn a_promised_field_is_there() {
    let id = "promised-fields-present";
    let promising = || {
        publishing(
            json!({ "type": "object", "properties": { "x": { "description": "Always present." } } }),
        )
    };
    assert_eq!(get(promising(), ok(json!({ "x": null }))).says(id), "fine");
    assert_eq!(get(promising(), ok(json!({}))).says(id), "faulty");
    assert_eq!(promising().says(id), "skip");
    assert_eq!(get(publishing(schema()), ok(json!({ "x": 1 }))).says(id), "inapplicable");
}
