//! What a revision wants around a message: the protocol members of `_meta`, and routing headers.

use serde_json::{Map, Value, json};

use super::headers::ParamHeaders;
use crate::target::Routing;
use crate::wire::Revision;

/// How hallmark introduces itself.
pub(super) fn client_info() -> Value {
    json!({"name": "mcp-hallmark", "version": env!("CARGO_PKG_VERSION")})
}

/// `params` with the members of `_meta` that every request of 2026-07-28 must carry; what is there
/// already stays. Params that are no object are left alone.
pub(super) fn with_meta(revision: Revision, params: Value) -> Value {
    if !revision.is_stateless() {
        return params;
    }
    let mut params = match params {
        Value::Null => Map::new(),
        Value::Object(params) => params,
        other => return other,
    };
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    if let Value::Object(meta) = meta {
        let mut add = |name: &str, value: Value| {
            meta.entry(format!("io.modelcontextprotocol/{name}")).or_insert(value);
        };
        add("protocolVersion", json!(revision.as_str()));
        add("clientInfo", client_info());
        add("clientCapabilities", json!({}));
    }
    Value::Object(params)
}

/// Routing headers of a message; the method is empty when it has none.
pub(super) fn routing(
    revision: Revision,
    headers: &ParamHeaders,
    method: &str,
    params: &Value,
) -> Routing {
    // The header came with 2025-06-18, and before `initialize` is answered none is agreed.
    let knows_header = revision.has_structured_content() && method != "initialize";
    let mut routing = Routing {
        revision: knows_header.then(|| revision.as_str().to_owned()),
        ..Routing::default()
    };
    if revision.is_stateless() && !method.is_empty() {
        routing.method = Some(method.to_owned());
        let source = match method {
            "tools/call" | "prompts/get" => params.get("name"),
            "resources/read" => params.get("uri"),
            _ => None,
        };
        routing.name = source.and_then(Value::as_str).map(str::to_owned);
        if method == "tools/call" {
            routing.params = headers.of_call(params);
        }
    }
    routing
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Revision = Revision::V2026_07_28;
    const OLD: Revision = Revision::V2025_11_25;

    #[test]
    fn meta_is_added_where_it_is_missing_and_only_in_the_newest_revision() {
        let params = with_meta(
            NEW,
            json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "1900-01-01", "own": 1}}),
        );
        let meta = params["_meta"].as_object().unwrap();
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "1900-01-01");
        assert_eq!(meta["own"], 1);
        assert_eq!(meta.len(), 4);
        assert!(with_meta(NEW, Value::Null)["_meta"].is_object());
        assert_eq!(with_meta(NEW, json!([1])), json!([1]));
        assert_eq!(with_meta(OLD, Value::Null), Value::Null);
    }

    #[test]
    fn headers_follow_the_revision() {
        let none = ParamHeaders::default();
        let read = json!({"uri": "a://b"});
        let new = routing(NEW, &none, "resources/read", &read);
        assert_eq!(new.method.as_deref(), Some("resources/read"));
        assert_eq!(new.name.as_deref(), Some("a://b"));
        let old = routing(OLD, &none, "resources/read", &read);
        assert_eq!(old, Routing { revision: Some("2025-11-25".to_owned()), ..Routing::default() });
        assert_eq!(routing(OLD, &none, "initialize", &read), Routing::default());
        assert_eq!(routing(Revision::V2025_03_26, &none, "ping", &read), Routing::default());
    }
}
