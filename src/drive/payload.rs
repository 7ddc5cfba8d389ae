//! What a reply carries, as far as the driver must know to go on. Judging is not its business.

use serde_json::{Map, Value};

use super::Reply;
use super::arguments::is_continuation;
use crate::contract::Envelope;

/// The data of a tool result: `structuredContent`, or the first text block that is JSON.
pub(super) fn payload(reply: &Reply) -> Option<Value> {
    let result = reply.result()?;
    if let Some(structured) = result.get("structuredContent") {
        return Some(structured.clone());
    }
    let blocks = result.get("content")?.as_array()?;
    blocks.iter().find_map(|block| {
        let parsed: Value = serde_json::from_str(block.get("text")?.as_str()?).ok()?;
        (parsed.is_object() || parsed.is_array()).then_some(parsed)
    })
}

/// The token that leads to the next page, wherever near the top of the data it is.
pub(super) fn continuation(data: &Value) -> Option<String> {
    let members = data.as_object()?;
    let token = |(name, value): (&String, &Value)| {
        let text = value.as_str().filter(|text| !text.is_empty())?;
        let lower = name.to_ascii_lowercase();
        let back = lower.contains("prev") || lower.contains("start");
        (is_continuation(name) && !back).then(|| text.to_owned())
    };
    members.iter().find_map(token).or_else(|| {
        members.values().filter_map(Value::as_object).find_map(|inner| inner.iter().find_map(token))
    })
}

/// The call that a failure recommends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Repair {
    /// Tool to call.
    pub(super) tool: String,
    /// Its arguments, to the letter.
    pub(super) arguments: Map<String, Value>,
}

/// The error envelope of a failure, in whichever carrier and dialect it came.
fn envelope(reply: &Reply) -> Option<Envelope<'_>> {
    match reply.error() {
        Some(error) => Envelope::of_error(error),
        None => reply.result().and_then(Envelope::of_result),
    }
}

/// The repair of a failure, when it names a tool and arguments.
pub(super) fn repair_of(reply: &Reply) -> Option<Repair> {
    let envelope = envelope(reply)?;
    let (tool, arguments) = envelope.repair_call()?;
    Some(Repair { tool: tool.to_owned(), arguments: arguments.clone() })
}

/// The symbolic code of a failure, to tell failures apart.
pub(super) fn code_of(reply: &Reply) -> Option<String> {
    envelope(reply)?.code().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_found_at_the_top_and_one_level_down() {
        assert_eq!(continuation(&json!({"rows": [], "next_cursor": "x"})).as_deref(), Some("x"));
        assert_eq!(continuation(&json!({"page": {"nextPageToken": "y"}})).as_deref(), Some("y"));
        assert_eq!(continuation(&json!({"next_cursor": null, "prev_cursor": "z"})), None);
        assert_eq!(continuation(&json!([1])), None);
    }
}
