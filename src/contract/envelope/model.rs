//! The envelope as checks see it.

use std::borrow::Cow;

use serde_json::Value;

use super::{Dialect, EnvelopeCarrier, agent_facing, text, ts_core};
use crate::contract::RpcError;

/// A part of the canonical envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The symbolic code.
    Code,
    /// The text for people.
    Message,
    /// What exactly was wrong.
    Details,
    /// Whether the same call can work later.
    Temporary,
    /// How long to wait, in milliseconds.
    RetryAfterMs,
    /// The call that repairs.
    Repair,
    /// The correlation id.
    RequestId,
}

impl Part {
    /// Every part, in canonical order.
    pub const ALL: [Part; 7] = [
        Part::Code,
        Part::Message,
        Part::Details,
        Part::Temporary,
        Part::RetryAfterMs,
        Part::Repair,
        Part::RequestId,
    ];

    /// The canonical member name (that of tool results).
    pub fn name(self) -> &'static str {
        match self {
            Part::Code => "code",
            Part::Message => "message",
            Part::Details => "details",
            Part::Temporary => "temporary",
            Part::RetryAfterMs => "retry_after_ms",
            Part::Repair => "repair",
            Part::RequestId => "request_id",
        }
    }
}

/// One error, read in its dialect. Members that the wire did not carry are absent.
#[derive(Debug, Clone)]
pub struct Envelope<'a> {
    /// The dialect.
    pub dialect: Dialect,
    /// Where it travelled.
    pub carrier: EnvelopeCarrier,
    /// The envelope object as it was on the wire; a string for [`Dialect::Text`].
    pub object: Cow<'a, Value>,
}

impl<'a> Envelope<'a> {
    /// Reads the envelope of a tool result. None unless the result has `isError: true`.
    pub fn of_result(result: &'a Value) -> Option<Envelope<'a>> {
        if result.get("isError") != Some(&Value::Bool(true)) {
            return None;
        }
        let structured = result.get("structuredContent");
        let carrier = EnvelopeCarrier::StructuredContent;
        structured
            .and_then(|value| {
                let dialect = dialect_of(value)?;
                Some(Envelope { dialect, carrier, object: Cow::Borrowed(value) })
            })
            .or_else(|| text::of_content(result.get("content")?))
    }

    /// Reads the envelope of a JSON-RPC error. None when `data` holds no envelope, as with a plain
    /// protocol rejection.
    pub fn of_error(error: &'a RpcError) -> Option<Envelope<'a>> {
        let dialect = if agent_facing::in_error_data(&error.data) {
            Dialect::AgentFacing
        } else if ts_core::in_error_data(&error.data) {
            Dialect::TsCore
        } else {
            return None;
        };
        let carrier = EnvelopeCarrier::ErrorData;
        Some(Envelope { dialect, carrier, object: Cow::Borrowed(&error.data) })
    }

    /// A part as it was on the wire, of any type. A part that is there and null is `Some(Null)`.
    pub fn part(&self, part: Part) -> Option<&Value> {
        match self.dialect {
            Dialect::AgentFacing => agent_facing::part(&self.object, part),
            Dialect::TsCore => ts_core::part(&self.object, self.carrier, part),
            Dialect::Text => (part == Part::Message).then_some(&*self.object),
        }
    }

    /// JSON pointer of a part in the message (of the envelope itself, when the part is absent or
    /// travels inside a text block).
    pub fn pointer(&self, part: Part) -> String {
        let carrier = self.carrier.pointer();
        if self.carrier == EnvelopeCarrier::ContentText || self.part(part).is_none() {
            return carrier.to_owned();
        }
        match self.dialect {
            Dialect::AgentFacing => {
                format!("{carrier}/{}", agent_facing::member(&self.object, part))
            }
            Dialect::TsCore => format!("{carrier}{}", ts_core::pointer(self.carrier, part)),
            Dialect::Text => carrier.to_owned(),
        }
    }

    /// The symbolic code, when it is a string that is not empty.
    pub fn code(&self) -> Option<&str> {
        self.part(Part::Code)?.as_str().filter(|code| !code.is_empty())
    }

    /// The text for people.
    pub fn message(&self) -> Option<&str> {
        self.part(Part::Message)?.as_str()
    }

    /// `details`, of any type.
    pub fn details(&self) -> Option<&Value> {
        self.part(Part::Details)
    }

    /// Whether repeating the same call can work, when it is a boolean.
    pub fn temporary(&self) -> Option<bool> {
        self.part(Part::Temporary)?.as_bool()
    }

    /// The delay, when it is a non-negative integer. Use [`Envelope::part`] to tell null from
    /// absent.
    pub fn retry_after_ms(&self) -> Option<u64> {
        self.part(Part::RetryAfterMs)?.as_u64()
    }

    /// `repair`, of any type.
    pub fn repair(&self) -> Option<&Value> {
        self.part(Part::Repair)
    }

    /// The call that the repair names: tool and arguments, when both are there and well-typed.
    pub fn repair_call(&self) -> Option<(&str, &serde_json::Map<String, Value>)> {
        let repair = self.repair()?;
        Some((repair.get("tool")?.as_str()?, repair.get("arguments")?.as_object()?))
    }

    /// Advice in words, of a dialect that has it in the place of a repair.
    pub fn hint(&self) -> Option<&str> {
        (self.dialect == Dialect::TsCore).then(|| ts_core::hint(&self.object, self.carrier))?
    }

    /// What a part is called in this dialect, when that differs from its canonical name.
    pub fn spelling(&self, part: Part) -> Option<String> {
        let pointer = match self.dialect {
            Dialect::TsCore => ts_core::pointer(self.carrier, part),
            Dialect::AgentFacing | Dialect::Text => return None,
        };
        (!pointer.is_empty()).then(|| pointer.trim_start_matches('/').replace('/', "."))
    }

    /// The correlation id.
    pub fn request_id(&self) -> Option<&str> {
        self.part(Part::RequestId)?.as_str()
    }

    /// The parameters that the error names as offending, as paths: `details.field` or
    /// `details.fields`, or the paths of a dialect's issues.
    pub fn fields(&self) -> Vec<Cow<'_, str>> {
        let Some(details) = self.details() else {
            return Vec::new();
        };
        match self.dialect {
            Dialect::TsCore => ts_core::fields(details),
            _ => agent_facing::fields(details),
        }
    }

    /// The canonical parts that were not on the wire.
    pub fn absent(&self) -> Vec<Part> {
        Part::ALL.into_iter().filter(|part| self.part(*part).is_none()).collect()
    }
}

/// The dialect of a structured payload, when it is an envelope.
pub(super) fn dialect_of(value: &Value) -> Option<Dialect> {
    if ts_core::in_structured(value) {
        Some(Dialect::TsCore)
    } else if agent_facing::in_structured(value) {
        Some(Dialect::AgentFacing)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_canonical_envelope_is_read_from_structured_content() {
        let result = json!({"isError": true, "content": [{"type": "text", "text": "locked"}],
            "structuredContent": {"code": "issue_locked", "message": "m", "temporary": false,
                "retry_after_ms": null, "details": {"field": "issue_number"},
                "repair": {"next_step": "x", "tool": "t", "arguments": {"a": 1}}}});
        let envelope = Envelope::of_result(&result).unwrap();
        assert_eq!(envelope.dialect, Dialect::AgentFacing);
        assert_eq!(envelope.carrier, EnvelopeCarrier::StructuredContent);
        assert_eq!(envelope.code(), Some("issue_locked"));
        assert_eq!(envelope.temporary(), Some(false));
        assert_eq!(envelope.part(Part::RetryAfterMs), Some(&Value::Null));
        assert_eq!(envelope.retry_after_ms(), None);
        assert_eq!(envelope.fields(), ["issue_number"]);
        assert_eq!(envelope.repair_call().unwrap().0, "t");
        assert_eq!(envelope.absent(), [Part::RequestId]);
        assert_eq!(envelope.pointer(Part::Code), "/result/structuredContent/code");
    }

    #[test]
    fn the_renames_are_read_on_the_other_carrier() {
        let error = RpcError::from_value(json!({"code": -32602, "message": "no", "data": {
            "machine_code": "issue_not_found", "human_message": "gone", "temporary": false,
            "retry_after_ms": null, "request_id": "r1"}}));
        let envelope = Envelope::of_error(&error).unwrap();
        assert_eq!((envelope.code(), envelope.message()), (Some("issue_not_found"), Some("gone")));
        assert_eq!(envelope.pointer(Part::Message), "/error/data/human_message");
        assert_eq!(envelope.absent(), [Part::Details, Part::Repair]);
    }

    #[test]
    fn protocol_rejections_are_no_envelopes() {
        for data in [
            json!(null),
            json!({"supported": ["2026-07-28"], "requested": "x"}),
            json!({"requiredCapabilities": {}}),
            json!({"uri": "x:y"}),
            json!("text"),
        ] {
            let error = RpcError::from_value(json!({"code": -32602, "message": "m", "data": data}));
            assert!(Envelope::of_error(&error).is_none(), "{:?}", error.data);
        }
    }

    #[test]
    fn the_ts_core_dialect_maps_reason_and_issues() {
        let result = json!({"isError": true, "content": [{"type": "text", "text": "Error: m"}],
            "structuredContent": {"error": {"code": -32007, "message": "m", "data": {
                "reason": "no_match", "retryable": true, "requestId": "A-1",
                "recovery": {"hint": "Try another id."},
                "issues": [{"path": ["items", 0, "id"]}, {"path": "name"}]}}}});
        let envelope = Envelope::of_result(&result).unwrap();
        assert_eq!(envelope.dialect, Dialect::TsCore);
        assert_eq!(envelope.code(), Some("no_match"));
        assert_eq!(envelope.temporary(), Some(true));
        assert_eq!(envelope.fields(), ["items.0.id", "name"]);
        assert_eq!(envelope.request_id(), Some("A-1"));
        assert_eq!(envelope.absent(), [Part::RetryAfterMs, Part::Repair]);
        assert_eq!(envelope.pointer(Part::Code), "/result/structuredContent/error/data/reason");
        assert_eq!(envelope.hint(), Some("Try another id."));
        assert_eq!(envelope.spelling(Part::Code).as_deref(), Some("error.data.reason"));
        assert_eq!(envelope.spelling(Part::Repair), None);
        let error = RpcError::from_value(json!({"code": -32602, "message": "m", "data": {
            "reason": "invalid_arguments", "issues": []}}));
        let envelope = Envelope::of_error(&error).unwrap();
        assert_eq!(
            (envelope.dialect, envelope.code()),
            (Dialect::TsCore, Some("invalid_arguments"))
        );
        assert_eq!(envelope.message(), None, "the message stands beside the data");
    }

    #[test]
    fn text_is_read_as_text_unless_it_is_an_envelope() {
        let text =
            |text: &str| json!({"isError": true, "content": [{"type": "text", "text": text}]});
        let prose = text("Error: nope");
        let envelope = Envelope::of_result(&prose).unwrap();
        assert_eq!(envelope.dialect, Dialect::Text);
        assert_eq!(envelope.message(), Some("Error: nope"));
        assert_eq!((envelope.code(), envelope.absent().len()), (None, 6));
        let json = text(r#"{"code":"gone","message":"m"}"#);
        let envelope = Envelope::of_result(&json).unwrap();
        assert_eq!(envelope.carrier, EnvelopeCarrier::ContentText);
        assert_eq!(envelope.code(), Some("gone"));
        assert_eq!(envelope.pointer(Part::Code), "/result/content/0/text");
    }

    #[test]
    fn only_flagged_results_have_one() {
        for result in [json!({"content": []}), json!({"isError": "true"}), json!(null)] {
            assert!(Envelope::of_result(&result).is_none());
        }
        let success_shaped = json!({"isError": true, "structuredContent": {"rows": []}});
        assert!(Envelope::of_result(&success_shaped).is_none());
    }
}
