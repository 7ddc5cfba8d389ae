//! Arguments that 2026-07-28 mirrors into HTTP headers (Streamable HTTP, "Custom Headers from Tool
//! Parameters").

use std::collections::HashMap;

use serde_json::Value;

/// Which properties of which tool are mirrored, as the tool lists said.
#[derive(Debug, Default)]
pub(super) struct ParamHeaders {
    tools: HashMap<String, Vec<Mirrored>>,
}

/// One mirrored property.
#[derive(Debug)]
struct Mirrored {
    header: String,
    pointer: String,
}

impl ParamHeaders {
    /// Learns from the result of `tools/list`.
    pub(super) fn learn(&mut self, result: &Value) {
        for tool in result.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let mut found = Vec::new();
            collect(tool.get("inputSchema").unwrap_or(&Value::Null), "", &mut found);
            if !found.is_empty() {
                self.tools.insert(name.to_owned(), found);
            }
        }
    }

    /// Name parts and values for a `tools/call` with these params.
    pub(super) fn of_call(&self, params: &Value) -> Vec<(String, String)> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or("");
        let Some(mirrored) = self.tools.get(name) else { return Vec::new() };
        let arguments = params.get("arguments").unwrap_or(&Value::Null);
        mirrored
            .iter()
            .filter_map(|one| {
                Some((one.header.clone(), text_of(arguments.pointer(&one.pointer)?)?))
            })
            .collect()
    }
}

/// Follows chains of `properties` only, as the specification says.
fn collect(schema: &Value, pointer: &str, found: &mut Vec<Mirrored>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        let header = property.get("x-mcp-header").and_then(Value::as_str);
        if let Some(header) = header.filter(|header| is_token(header)) {
            found.push(Mirrored { header: header.to_owned(), pointer: pointer.clone() });
        }
        collect(property, &pointer, found);
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(bool) => Some(bool.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field name of HTTP: only such an annotation can be mirrored.
fn is_token(text: &str) -> bool {
    let is_token_char =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_char)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mirrors_annotated_arguments_at_their_exact_path() {
        let mut headers = ParamHeaders::default();
        headers.learn(&json!({"tools": [{"name": "q", "inputSchema": {"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "bad": {"type": "string", "x-mcp-header": "no spaces"},
            "deep": {"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "list": {"items": {"properties": {"m": {"x-mcp-header": "M"}}}}}}}]}));
        let call =
            json!({"name": "q", "arguments": {"region": "west", "bad": "x", "deep": {"n": 4}}});
        let expected =
            vec![("Region".to_owned(), "west".to_owned()), ("N".to_owned(), "4".to_owned())];
        assert_eq!(headers.of_call(&call), expected);
        assert_eq!(headers.of_call(&json!({"name": "q", "arguments": {"region": null}})), vec![]);
        assert_eq!(headers.of_call(&json!({"name": "other"})), vec![]);
    }
}
