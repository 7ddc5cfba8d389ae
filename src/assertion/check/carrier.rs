//! A5: a tool's own failures are results flagged as errors, not JSON-RPC errors (rule
//! `6.tool-errors`).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::failure::{Failure, first_text};
use super::prose::pattern;
use super::violation::violations;
use super::wire_transport::has_wrong_headers;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::CallView;
use crate::score::Finding;
use crate::wire::code;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[("failures-are-results", failures_are_results)];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] =
    &[("failures-are-flagged", failures_are_flagged), ("internal-errors", internal_errors)];

/// A failed call of a listed tool with object arguments came back as a result.
fn failures_are_results(view: &View<'_>, subject: &Subject<'_>) -> Look {
    static ADMISSION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)_meta|protocol ?version|client ?(capabilit|info)|unknown tool|tool .{0,80}not found|no such tool",
        )
    });
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    if call.tool.is_none() || call.arguments.is_none() {
        return Look::Skip("the request itself was inadmissible".into());
    }
    if call.is_error_result() {
        return Look::Fine;
    }
    let Some(error) = call.exchange.error() else {
        return Look::Skip("the call did not fail".into());
    };
    match error.code {
        Some(
            code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION,
        ) => {
            return Look::Skip("refused by the protocol".into());
        }
        Some(code::INTERNAL_ERROR) => return Look::Skip("an internal error (judged apart)".into()),
        Some(code::PARSE_ERROR | code::INVALID_REQUEST) => {
            return Look::Skip("the message was refused, not the call".into());
        }
        _ => {}
    }
    if has_wrong_headers(view, call.exchange) {
        return Look::Skip("the headers disagree with the body: http-headers-enforced".into());
    }
    if ADMISSION.is_match(&error.message) || ADMISSION.is_match(&error.data.to_string()) {
        return Look::Skip("refused by the protocol".into());
    }
    let broken = violations(view.contract, call);
    let revision = view.contract.revision_of(call.exchange).or(view.contract.revision);
    if !broken.is_empty() && !revision.is_some_and(|r| r.argument_failures_are_results()) {
        return Look::Skip("before 2025-11-25 invalid arguments were a protocol error".into());
    }
    // A value that the schema lets through and the server calls invalid is an argument all the same.
    static STATE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)not found|no such|(does not|doesn't) exist|already|locked|conflict|missing_|_not_found",
        )
    });
    if error.code == Some(code::INVALID_PARAMS)
        && !revision.is_some_and(|r| r.argument_failures_are_results())
        && !STATE.is_match(&error.message)
        && !STATE.is_match(&error.data.to_string())
    {
        return Look::Skip("before 2025-11-25 invalid arguments were a protocol error".into());
    }
    let what = match &broken[..] {
        [] => "arguments that pass the published schema".to_owned(),
        [one] if one.path.is_empty() => format!("arguments that break {}", one.keyword),
        [one] => format!("a broken {} of {}", one.keyword, one.path),
        // Which of them the server refused is not ours to guess.
        several => {
            let names = several.iter().map(|one| match one.path.as_str() {
                "" => one.keyword.clone(),
                path => format!("{} of {path}", one.keyword),
            });
            format!("arguments that break {}", names.collect::<Vec<_>>().join(", "))
        }
    };
    Look::Faulty(vec![finding(
        subject,
        "",
        format!(
            "{} answers {what} with the JSON-RPC error {}",
            call.name,
            error.code.map_or_else(|| "without a code".to_owned(), |code| code.to_string())
        ),
        "a result with isError: true",
    )])
}

/// Members that an object which only tells of a failure may have.
const FAILURE_MEMBERS: &[&str] = &[
    "error",
    "errors",
    "message",
    "code",
    "status",
    "statusCode",
    "status_code",
    "success",
    "ok",
    "details",
    "context",
    "hint",
    "type",
    "name",
    "isError",
    "is_error",
    "temporary",
    "retry_after_ms",
    "repair",
    "request_id",
    "requestId",
    "stack",
    "error_code",
    "errorCode",
    "error_type",
    "suggestion",
    "timestamp",
    "data",
    "tool",
];

/// No result that tells of nothing but a failure goes without the flag.
fn failures_are_flagged(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let result = call.result().unwrap_or(&Value::Null);
    let wrong = |below: &str, actual: &Value| {
        Look::Faulty(vec![Finding {
            message: format!(
                "{} tells of a failure in a result that is not flagged as one",
                call.name
            ),
            actual: actual.to_string().chars().take(200).collect::<String>().into(),
            ..finding(subject, below, "", "isError: true on every failure")
        }])
    };
    if let Some((pointer, told)) = unflagged_failure(result) {
        return wrong(pointer, &told);
    }
    match unflagged_refusal(view, call) {
        Some(text) => wrong("/content/0/text", &Value::from(text)),
        None => Look::Fine,
    }
}

/// Whether a result without the flag tells of a failure all the same.
pub fn is_unflagged(view: &View<'_>, call: &CallView<'_>) -> bool {
    call.is_success()
        && (call.result().is_some_and(|result| unflagged_failure(result).is_some())
            || unflagged_refusal(view, call).is_some())
}

/// The text of a result without the flag that begins as a failure does, where it cannot be data: the
/// arguments break the tool's schema, or the tool promises structured content and there is none.
pub fn unflagged_refusal<'a>(view: &View<'_>, call: &CallView<'a>) -> Option<&'a str> {
    static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\W*(?i:error|failed|failure|invalid|exception|traceback|[a-z]+(_[a-z]+)+)\b[^\n]{0,40}?(:|\bfor\b|\bin\b)",
        )
    });
    let result = call.result().filter(|_| call.is_success() && call.structured().is_none())?;
    let blocks = result.get("content").and_then(Value::as_array).map_or(0, Vec::len);
    let text = first_text(result).filter(|text| blocks == 1 && REFUSAL.is_match(text))?;
    let promises = call.tool.is_some_and(|tool| tool.output.is_some());
    (promises || !violations(view.contract, call).is_empty()).then_some(text)
}

/// Where a result without the flag tells of nothing but a failure, and what it tells.
pub fn unflagged_failure(result: &Value) -> Option<(&'static str, Value)> {
    if let Some(structured) = result.get("structuredContent").and_then(Value::as_object) {
        let is_envelope =
            ["code", "message", "temporary"].iter().all(|key| structured.contains_key(*key));
        let told = is_envelope || tells_only_failure(structured);
        return told.then(|| ("/structuredContent", Value::Object(structured.clone())));
    }
    let blocks = result.get("content").and_then(Value::as_array).map_or(0, Vec::len);
    let told = serde_json::from_str::<Value>(first_text(result).filter(|_| blocks == 1)?).ok()?;
    let told = told.as_object().is_some_and(tells_only_failure).then_some(told)?;
    Some(("/content/0/text", told))
}

/// Whether an object says that something failed and says nothing else.
fn tells_only_failure(members: &Map<String, Value>) -> bool {
    let told = match members.get("error") {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Object(error)) => ["message", "code", "name", "detail", "reason"]
            .iter()
            .any(|key| error.contains_key(*key)),
        _ => false,
    };
    let denied = ["success", "ok"].iter().any(|key| members.get(*key) == Some(&Value::Bool(true)));
    let carries_data = members.get("data").is_some_and(|data| !data.is_null());
    told && !denied
        && !carries_data
        && members.keys().all(|key| FAILURE_MEMBERS.contains(&key.as_str()))
}

/// Advisory: a call with object arguments does not make a listed tool crash.
fn internal_errors(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    if call.tool.is_none() || call.arguments.is_none() {
        return Look::Skip("the request itself was inadmissible".into());
    }
    let Some(error) =
        call.exchange.error().filter(|error| error.code == Some(code::INTERNAL_ERROR))
    else {
        return Look::Fine;
    };
    let failure = Failure::read(view.contract, call.exchange);
    if let Some(why) = failure.and_then(|failure| failure.environment()) {
        return Look::Skip(why.into());
    }
    Look::Faulty(vec![finding(
        subject,
        "",
        format!(
            "{} answers a call with an internal error: {}",
            call.name,
            error.message.chars().take(120).collect::<String>()
        ),
        "a result with isError: true that says what to do",
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_objects_that_tell_of_nothing_else_are_failures() {
        for failure in [
            json!({ "error": "no such file" }),
            json!({ "success": false, "error": { "message": "x" } }),
            json!({ "error": "x", "details": [], "status": 404, "data": null }),
        ] {
            assert!(tells_only_failure(failure.as_object().unwrap()), "{failure}");
        }
        for fine in [
            json!({ "error": null }),
            json!({ "error": "" }),
            json!({ "error": "last run failed", "runs": 3 }),
            json!({ "success": true, "error": "none" }),
            json!({ "message": "done" }),
            json!({ "error": "partial", "data": [1] }),
        ] {
            assert!(!tells_only_failure(fine.as_object().unwrap()), "{fine}");
        }
    }
}
