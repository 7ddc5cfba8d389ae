//! The canonical dialect, on both carriers.

use std::borrow::Cow;

use serde_json::Value;

use super::Part;

/// Whether a structured payload is meant as an envelope: it has a code, or a message beside one of
/// the members that only an envelope has. An error without any of them is no envelope.
pub(super) fn in_structured(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("code")
        || has("machine_code")
        || (has("message") || has("human_message"))
            && ["temporary", "retry_after_ms", "repair", "details"].into_iter().any(has)
}

/// Whether `error.data` is meant as an envelope. The data of the protocol's own rejections
/// (`supported`, `requiredCapabilities`, `uri` alone) is none.
pub(super) fn in_error_data(data: &Value) -> bool {
    let has = |name: &str| data.get(name).is_some();
    has("machine_code")
        || has("human_message")
        || data.get("code").is_some_and(Value::is_string)
        || (has("temporary") && has("retry_after_ms"))
}

/// The name under which a part stands: the renamed one where only that is there, since either
/// spelling on either carrier is read, and the spelling is for a check to judge (6.rename).
pub(super) fn member(object: &Value, part: Part) -> &'static str {
    let renamed = match part {
        Part::Code => "machine_code",
        Part::Message => "human_message",
        other => return other.name(),
    };
    if object.get(renamed).is_some() && object.get(part.name()).is_none() {
        renamed
    } else {
        part.name()
    }
}

pub(super) fn part(object: &Value, part: Part) -> Option<&Value> {
    object.get(member(object, part))
}

/// `details.field` (one) or `details.fields` (several).
pub(super) fn fields(details: &Value) -> Vec<Cow<'_, str>> {
    let one = details.get("field").and_then(Value::as_str);
    let several = details.get("fields").and_then(Value::as_array);
    one.into_iter()
        .chain(several.into_iter().flatten().filter_map(Value::as_str))
        .map(Cow::Borrowed)
        .collect()
}
