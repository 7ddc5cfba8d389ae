//! The shapes of tools and calls that decide which subjects they are.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::contract::{Answer, CallView, Contract, Tool};
use crate::schema::{declared_rows, default_of, detail, parameters};

/// Whether a tool takes a parameter for the level of detail (DETAIL of the rule registry).
pub(super) fn has_detail(tool: &Tool) -> bool {
    detail(&tool.input).is_some()
}

/// Whether a parameter of a tool has a default.
pub(super) fn has_default(tool: &Tool) -> bool {
    parameters(&tool.input).iter().any(|parameter| default_of(parameter).is_some())
}

/// Whether a tool returns an array of objects (LISTY of the rule registry): by its output schema,
/// or by a result that was seen.
pub(super) fn returns_rows(contract: &Contract, tool: &Tool) -> bool {
    let is_rows =
        |value: &Value| value.as_array().is_some_and(|rows| rows.iter().any(Value::is_object));
    let says = tool.output.as_ref().is_some_and(|schema| !declared_rows(schema).is_empty());
    says || contract
        .calls_of(&tool.name)
        .filter_map(|exchange| contract.call(exchange))
        .filter(CallView::is_success)
        .filter_map(|call| call.structured())
        .any(|content| match content {
            Value::Object(members) => members.values().any(is_rows),
            other => is_rows(other),
        })
}

/// Whether calls break the input schema of their tool; equal ones are looked at once.
#[derive(Default)]
pub(super) struct Breaks {
    seen: HashMap<*const Value, bool>,
}

impl Breaks {
    /// Whether a call's object arguments break its tool's input schema, and it was answered.
    pub(super) fn see(&mut self, contract: &Contract, call: &CallView<'_>) -> bool {
        let answered = matches!(call.exchange.answer, Answer::Result(_) | Answer::Error(_));
        let (Some(tool), Some(_), true) = (call.tool, call.arguments, answered) else {
            return false;
        };
        // Equal params are held once, and params name the tool.
        *self.seen.entry(Arc::as_ptr(&call.exchange.params)).or_insert_with(|| {
            static NONE: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));
            let arguments = call.exchange.params.get("arguments").unwrap_or(&NONE);
            // What cannot be compiled binds nobody.
            contract.validator(&tool.input).is_ok_and(|schema| !schema.is_valid(arguments))
        })
    }
}
