//! Messages against the official schemas, where these lie beside the repository.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use jsonschema::Validator;
use serde_json::{Value, json};

/// Validators by revision and definition, compiled when first used. Without the folder it checks nothing.
pub struct Schemas {
    folder: Option<PathBuf>,
    compiled: RefCell<HashMap<(String, String), Validator>>,
}

impl Schemas {
    /// Looks for `../shared/spec` beside the repository.
    pub fn load() -> Schemas {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec");
        let folder = folder.is_dir().then_some(folder);
        if folder.is_none() {
            println!("skipped: no official schemas in ../shared/spec");
        }
        Schemas { folder, compiled: RefCell::default() }
    }

    /// Fails unless `answer` is what the revision defines for `method`.
    pub fn check(&self, revision: &str, method: &str, answer: &Value) {
        if answer.get("error").is_some() {
            let definition =
                if revision < "2025-11-25" { "JSONRPCError" } else { "JSONRPCErrorResponse" };
            return self.validate(revision, definition, answer);
        }
        let definition = match method {
            "initialize" => "InitializeResult",
            "server/discover" => "DiscoverResult",
            "tools/list" => "ListToolsResult",
            "tools/call" => "CallToolResult",
            "resources/list" => "ListResourcesResult",
            "resources/templates/list" => "ListResourceTemplatesResult",
            "resources/read" => "ReadResourceResult",
            "prompts/list" => "ListPromptsResult",
            "completion/complete" => "CompleteResult",
            _ => "Result",
        };
        self.validate(revision, definition, &answer["result"]);
    }

    fn validate(&self, revision: &str, definition: &str, value: &Value) {
        let Some(folder) = &self.folder else { return };
        let mut compiled = self.compiled.borrow_mut();
        let validator =
            compiled.entry((revision.to_owned(), definition.to_owned())).or_insert_with(|| {
                let text = std::fs::read_to_string(folder.join(format!("{revision}.schema.json")))
                    .expect("a schema file");
                let document: Value = serde_json::from_str(&text).expect("a schema");
                let key = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
                let schema = json!({"$ref": format!("#/{key}/{definition}"), key: document[key]});
                jsonschema::validator_for(&schema).expect("the official schema compiles")
            });
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{definition} of {revision}: {errors:?}");
    }
}
