//! The defects: what is wrong, and which check has to say so.

use std::time::Duration;

use serde_json::{Value, json};

use super::descriptions::OF_DESCRIPTIONS;
use super::notes::{Notes, Out, error, success};

/// One defect of the notes server.
pub struct Defect {
    /// Id, kebab case.
    pub id: &'static str,
    /// What the server does wrong.
    pub what: &'static str,
    /// The checks that find it, all of them.
    pub found_by: &'static [&'static str],
    /// What is written before anything is read.
    pub at_start: fn() -> Vec<Out>,
    /// What a message does instead of what it should; `None` for the usual.
    pub before: fn(&mut Notes, &Value) -> Option<Vec<Out>>,
    /// What is written for an answer.
    pub after: fn(&mut Notes, &Value, Value) -> Vec<Out>,
}

/// A server without one.
pub const SOUND: Defect = Defect {
    id: "",
    what: "",
    found_by: &[],
    at_start: Vec::new,
    before: |_, _| None,
    after: |_, _, answer| vec![Out::Message(answer)],
};

fn line(text: &str) -> Out {
    Out::Line(text.to_owned())
}

fn said(answer: Value) -> Vec<Out> {
    vec![Out::Message(answer)]
}

fn is(request: &Value, method: &str) -> bool {
    request["method"] == method
}

fn calls(request: &Value, tool: &str) -> bool {
    is(request, "tools/call") && request["params"]["name"] == tool
}

fn arguments(request: &Value) -> &Value {
    &request["params"]["arguments"]
}

fn reply(request: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}

/// The answer with a change of the listed tools, when it lists them.
pub fn relisted(request: &Value, mut answer: Value, change: fn(&mut Value)) -> Vec<Out> {
    if is(request, "tools/list") && answer.get("result").is_some() {
        change(&mut answer["result"]["tools"]);
    }
    said(answer)
}

/// The answer with a change of its error result, when it is one.
fn refailed(mut answer: Value, change: fn(&mut Value)) -> Vec<Out> {
    if answer["result"]["isError"] == true {
        change(&mut answer["result"]);
    }
    said(answer)
}

fn is_success(answer: &Value) -> bool {
    answer["result"]["isError"] == false
}

/// Every defect, and the clean twins of some.
pub fn every() -> impl Iterator<Item = &'static Defect> {
    DEFECTS.iter().chain(OF_DESCRIPTIONS)
}

const DEFECTS: &[Defect] = &[
    Defect {
        id: "banner-before-frames",
        what: "a banner stands on standard output before the first message",
        found_by: &["stdout-clean"],
        at_start: || vec![line("notes 3.1.0 ready")],
        ..SOUND
    },
    Defect {
        id: "log-between-frames",
        what: "a line of a log stands between messages on standard output",
        found_by: &["stdout-clean"],
        after: |server, _, answer| match server.read {
            6 => vec![line("[info] listed tools"), Out::Message(answer)],
            _ => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "log-after-frames",
        what: "a line of a log follows the answer to a call",
        found_by: &["stdout-clean"],
        after: |_, request, answer| match calls(request, "notes_get_note") {
            true => vec![Out::Message(answer), line("took 3 ms")],
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "ids-as-strings",
        what: "ids come back as strings",
        found_by: &["id-echoed"],
        after: |_, _, mut answer| {
            if answer["id"].is_number() {
                answer["id"] = json!(answer["id"].to_string());
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "absurd-version-echoed",
        what: "initialize agrees to whatever version it is asked for",
        found_by: &["version-honest"],
        after: |_, request, mut answer| {
            if is(request, "initialize") {
                answer["result"]["protocolVersion"] = request["params"]["protocolVersion"].clone();
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "parse-error-unanswered",
        what: "a line that is not JSON is never answered",
        found_by: &["parse-errors-answered"],
        after: |_, request, answer| if request.is_null() { vec![] } else { said(answer) },
        ..SOUND
    },
    Defect {
        id: "unknown-tool-succeeds",
        what: "a call of a tool that is not there succeeds",
        found_by: &["unknown-tool-code"],
        after: |_, request, answer| match is(request, "tools/call")
            && answer.get("error").is_some()
            && arguments(request).is_object()
        {
            true => {
                said(reply(request, &json!({ "content": [{ "type": "text", "text": "done" }] })))
            }
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "unknown-method-succeeds",
        what: "an unknown method is answered by an empty result",
        found_by: &["unknown-method-code"],
        after: |_, request, answer| match answer["error"]["code"] == -32601
            && !is(request, "server/discover")
        {
            true => said(reply(request, &json!({}))),
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "unknown-argument-computed",
        what: "arguments that the schema refuses are passed over",
        found_by: &["closed-schemas-enforced"],
        after: |_, request, answer| {
            let unknown = answer["result"]["structuredContent"]["details"]["allowed"].is_array();
            match unknown && calls(request, "notes_find_notes") {
                true => said(reply(request, &success(&json!({ "notes": [], "has_more": false })))),
                false => said(answer),
            }
        },
        ..SOUND
    },
    Defect {
        id: "wrong-arguments-computed",
        what: "a call without its required argument, or with a wrong one, succeeds",
        found_by: &["required-arguments-enforced", "constraints-enforced"],
        before: |_, request| {
            let arguments = arguments(request).as_object()?;
            let known = arguments.keys().all(|name| name == "note_id");
            let number = arguments.get("note_id").and_then(Value::as_u64);
            (calls(request, "notes_get_note") && known && number.is_none_or(|n| n == 0)).then(
                || {
                    let note =
                        json!({ "note_id": 1, "title": "Note 1", "text": "Text of note 1." });
                    said(reply(request, &success(&note)))
                },
            )
        },
        ..SOUND
    },
    Defect {
        id: "result-breaks-its-schema",
        what: "structured content breaks the tool's output schema",
        found_by: &["structured-content-conforms"],
        after: |_, request, mut answer| {
            if calls(request, "notes_get_note") && is_success(&answer) {
                let number = answer["result"]["structuredContent"]["note_id"].to_string();
                let mut structured = answer["result"]["structuredContent"].clone();
                structured["note_id"] = json!(number);
                answer["result"] = success(&structured);
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "read-only-tool-writes",
        what: "reading a note changes what is listed",
        found_by: &["read-only-calls-change-nothing"],
        after: |server, request, answer| {
            if calls(request, "notes_get_note") && is_success(&answer) {
                let index = answer["result"]["structuredContent"]["note_id"].as_u64().unwrap_or(1);
                if let Some((title, _)) = server.notes.get_mut(index as usize - 1) {
                    title.push('!');
                }
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "stack-trace-as-error",
        what: "the text of an error is a stack trace",
        found_by: &["errors-leak-nothing"],
        after: |_, _, answer| {
            refailed(answer, |result| {
                let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
                result["content"][0]["text"] = json!(format!(
                    "{text}\nTraceback (most recent call last):\n  File \"/srv/notes/app.py\", line 42, in call\n    raise ValueError(field)"
                ));
            })
        },
        ..SOUND
    },
    Defect {
        id: "required-without-property",
        what: "a required name is no property, so that no call can be valid",
        found_by: &["required-names-are-properties"],
        after: |_, request, answer| {
            relisted(request, answer, |tools| {
                tools[1]["inputSchema"]["required"] = json!(["note_id", "notebook"]);
            })
        },
        ..SOUND
    },
    Defect {
        id: "crash-on-one-input",
        what: "one argument ends the process",
        found_by: &["requests-answered"],
        before: |_, request| {
            let crashes =
                calls(request, "notes_get_note") && arguments(request)["note_id"].is_object();
            crashes.then(|| vec![Out::Exit(3)])
        },
        ..SOUND
    },
    Defect {
        id: "hang-on-one-tool",
        what: "one tool never answers",
        found_by: &["calls-do-not-hang"],
        before: |_, request| calls(request, "notes_get_note").then(Vec::new),
        ..SOUND
    },
    Defect {
        id: "late-answer",
        what: "an answer comes after it was given up and cancelled",
        found_by: &["cancelled-calls-stay-silent"],
        after: |_, request, answer| {
            if calls(request, "notes_get_capabilities") {
                return vec![Out::Pause(Duration::from_millis(4500)), Out::Message(answer)];
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "answer-to-a-notification",
        what: "a notification is answered",
        found_by: &["one-answer-per-request"],
        before: |_, request| {
            is(request, "notifications/initialized")
                .then(|| said(json!({ "jsonrpc": "2.0", "id": null, "result": {} })))
        },
        ..SOUND
    },
    Defect {
        id: "two-answers",
        what: "a call is answered twice",
        found_by: &["one-answer-per-request"],
        after: |_, request, answer| match calls(request, "notes_get_note") {
            true => vec![Out::Message(answer.clone()), Out::Message(answer)],
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "progress-for-nobody",
        what: "progress of a token that nobody gave comes before an answer",
        found_by: &["progress-follows-token"],
        after: |_, request, answer| match calls(request, "notes_find_notes") {
            true => vec![
                Out::Message(json!({
                    "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": "mine", "progress": 1 },
                })),
                Out::Message(answer),
            ],
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "sampling-undeclared",
        what: "the server asks a client that offers nothing for a completion",
        found_by: &["server-requests-declared"],
        after: |_, request, answer| match calls(request, "notes_get_capabilities") {
            true => vec![
                Out::Message(json!({
                    "jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage",
                    "params": { "maxTokens": 5, "messages": [{ "role": "user", "content": { "type": "text", "text": "hi" } }] },
                })),
                Out::Message(answer),
            ],
            false => said(answer),
        },
        ..SOUND
    },
    Defect {
        id: "error-unflagged",
        what: "a failure is a result without isError",
        found_by: &["failures-are-flagged"],
        after: |_, _, answer| {
            refailed(answer, |result| {
                result["isError"] = json!(false);
                result.as_object_mut().unwrap().remove("structuredContent");
            })
        },
        ..SOUND
    },
    Defect {
        id: "error-without-code",
        what: "errors carry no symbolic code",
        found_by: &["errors-carry-symbolic-code"],
        after: |_, _, answer| {
            refailed(answer, |result| {
                result["structuredContent"].as_object_mut().unwrap().remove("code");
            })
        },
        ..SOUND
    },
    Defect {
        id: "repair-calls-nothing",
        what: "a repair names a tool that is not there",
        found_by: &["repair-callable"],
        after: |_, _, answer| {
            refailed(answer, |result| {
                result["structuredContent"]["repair"]["tool"] = json!("notes_search_notes");
            })
        },
        ..SOUND
    },
    Defect {
        id: "page-repeats-a-note",
        what: "each page begins with the last note of the page before",
        found_by: &["page-walks-end"],
        after: |server, request, mut answer| {
            let page =
                arguments(request)["cursor"].as_str().and_then(|c| c[5..].parse::<usize>().ok());
            if calls(request, "notes_find_notes")
                && is_success(&answer)
                && let Some(page) = page
                && arguments(request).get("word").is_none()
            {
                let index = page * super::contract::PAGE;
                let mut structured = answer["result"]["structuredContent"].clone();
                let again = json!({ "note_id": index, "title": server.notes[index - 1].0 });
                structured["notes"].as_array_mut().unwrap().insert(0, again);
                answer["result"] = success(&structured);
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "made-up-cursor-accepted",
        what: "a cursor that was never given out is answered by an empty page",
        found_by: &["bad-token-refused"],
        after: |_, request, answer| {
            let cursor = arguments(request).get("cursor").is_some();
            let refused =
                answer["result"]["structuredContent"]["details"]["reason"] == "It names no page.";
            match calls(request, "notes_find_notes") && cursor && refused {
                true => said(reply(request, &success(&json!({ "notes": [], "has_more": false })))),
                false => said(answer),
            }
        },
        ..SOUND
    },
    Defect {
        id: "summary-names-a-ghost",
        what: "the capability summary names a tool that is not listed",
        found_by: &["summary-names-listed-tools"],
        after: |_, request, mut answer| {
            if calls(request, "notes_get_capabilities") && is_success(&answer) {
                let mut structured = answer["result"]["structuredContent"].clone();
                structured["does"][2] = json!("notes_delete_note deletes one");
                answer["result"] = success(&structured);
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "list-order-changes",
        what: "every second list of tools is turned round",
        found_by: &["list-order-stable"],
        after: |server, request, mut answer| {
            if is(request, "tools/list") && answer.get("result").is_some() && server.lists % 2 == 0
            {
                answer["result"]["tools"].as_array_mut().unwrap().reverse();
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "retired-error-code",
        what: "an unknown method gets the code that resources had",
        found_by: &["unknown-method-code"],
        after: |_, request, mut answer| {
            if answer["error"]["code"] == -32601 && !is(request, "server/discover") {
                answer = error(&request["id"], -32002, "Method not found");
            }
            said(answer)
        },
        ..SOUND
    },
    Defect {
        id: "dies-at-discovery",
        what: "the process ends when discovery comes first",
        found_by: &["requests-answered"],
        before: |server, request| {
            (server.read == 1 && is(request, "server/discover")).then(|| vec![Out::Exit(1)])
        },
        ..SOUND
    },
    Defect {
        id: "ping-refused",
        what: "ping is an unknown method",
        found_by: &["ping-answered"],
        before: |_, request| {
            is(request, "ping").then(|| said(error(&request["id"], -32601, "Method not found")))
        },
        ..SOUND
    },
    Defect {
        id: "text-says-something-else",
        what: "the text of a result holds what its structured content does not",
        found_by: &["text-adds-no-data"],
        after: |_, request, mut answer| {
            if calls(request, "notes_get_note") && is_success(&answer) {
                answer["result"]["content"][0]["text"] = json!("{\"note\": \"see elsewhere\"}");
            }
            said(answer)
        },
        ..SOUND
    },
];
