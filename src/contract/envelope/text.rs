//! Text content: an envelope as JSON inside a text block, or no more than prose.

use std::borrow::Cow;

use serde_json::Value;

use super::model::dialect_of;
use super::{Dialect, Envelope, EnvelopeCarrier};

/// Reads the first text block of an error result.
pub(super) fn of_content(content: &Value) -> Option<Envelope<'_>> {
    let text = content.get(0)?.get("text")?;
    let carrier = EnvelopeCarrier::ContentText;
    let parsed = text
        .as_str()
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(object) = parsed
        && let Some(dialect) = dialect_of(&object)
    {
        return Some(Envelope { dialect, carrier, object: Cow::Owned(object) });
    }
    Some(Envelope { dialect: Dialect::Text, carrier, object: Cow::Borrowed(text) })
}
