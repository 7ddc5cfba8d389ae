//! The dialect of servers built on `@cyanheads/mcp-ts-core`.
//!
//! `structuredContent.error` is `{code (number), message, data?}`; in a JSON-RPC error the same
//! `data` stands in `error.data`. `reason` is the symbolic code, `retryable` says whether to
//! repeat, `issues` are the offending parameters. `recovery.hint` is prose, no callable repair.

use std::borrow::Cow;

use serde_json::Value;

use super::{EnvelopeCarrier, Part};

pub(super) fn in_structured(value: &Value) -> bool {
    value.get("error").is_some_and(|error| {
        error.get("code").is_some_and(Value::is_number) && error.get("message").is_some()
    })
}

pub(super) fn in_error_data(data: &Value) -> bool {
    data.get("reason").is_some_and(Value::is_string)
        && ["recovery", "retryable", "requestId", "issues"]
            .into_iter()
            .any(|name| data.get(name).is_some())
}

/// Where a part stands below the carrier. Parts that the dialect does not have point nowhere.
pub(super) fn pointer(carrier: EnvelopeCarrier, part: Part) -> String {
    let in_data = |name: &str| match carrier {
        EnvelopeCarrier::ErrorData => format!("/{name}"),
        _ => format!("/error/data/{name}"),
    };
    match part {
        Part::Code => in_data("reason"),
        Part::Message if carrier == EnvelopeCarrier::ErrorData => String::new(),
        Part::Message => "/error/message".to_owned(),
        Part::Details => in_data("issues"),
        Part::Temporary => in_data("retryable"),
        Part::RequestId => in_data("requestId"),
        Part::RetryAfterMs | Part::Repair => String::new(),
    }
}

pub(super) fn part(object: &Value, carrier: EnvelopeCarrier, part: Part) -> Option<&Value> {
    let pointer = pointer(carrier, part);
    if pointer.is_empty() { None } else { object.pointer(&pointer) }
}

/// What a caller may do, in words.
pub(super) fn hint(object: &Value, carrier: EnvelopeCarrier) -> Option<&str> {
    let pointer = match carrier {
        EnvelopeCarrier::ErrorData => "/recovery/hint",
        _ => "/error/data/recovery/hint",
    };
    object.pointer(pointer)?.as_str().filter(|hint| !hint.is_empty())
}

/// The paths of the issues, dotted.
pub(super) fn fields(issues: &Value) -> Vec<Cow<'_, str>> {
    let issues = issues.as_array().into_iter().flatten();
    issues
        .filter_map(|issue| match issue.get("path")? {
            Value::String(path) => Some(Cow::Borrowed(path.as_str())),
            Value::Array(segments) => {
                let segments: Vec<String> = segments
                    .iter()
                    .map(|segment| match segment {
                        Value::String(name) => name.clone(),
                        other => other.to_string(),
                    })
                    .collect();
                Some(Cow::Owned(segments.join(".")))
            }
            _ => None,
        })
        .collect()
}
