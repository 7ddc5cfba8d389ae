//! The eight tool definitions, as they stand in `tools/list`.

use serde_json::{Map, Value, json};

use super::{NAMESPACE, parameters, reading, shapes, summary, writing};

/// What a call does to state, as the annotations say it.
#[derive(Clone, Copy)]
pub enum Hints {
    /// Changes nothing; `open_world` tells whether the answer comes from the repositories.
    Reads { open_world: bool },
    /// Changes something; both mutation hints are always explicit (rule `3.declare-effects`).
    Writes { destructive: bool, idempotent: bool },
}

/// A read of the repositories.
pub const READS: Hints = Hints::Reads { open_world: true };

/// Name of the tool that serves the capability summary.
pub const CAPABILITIES_TOOL: &str = "github_get_capabilities";

/// Every tool's name, in the order of `tools/list`.
pub const NAMES: &[&str] = &[
    "github_add_comment",
    "github_create_issue",
    "github_find_issues",
    CAPABILITIES_TOOL,
    "github_get_issue",
    "github_list_comments",
    "github_set_issue_lock",
    "github_update_issue",
];

/// Every definition, in the order of [`NAMES`].
pub fn definitions() -> Vec<Value> {
    vec![
        writing::add_comment(),
        writing::create_issue(),
        reading::find_issues(),
        get_capabilities(),
        reading::get_issue(),
        reading::list_comments(),
        writing::set_issue_lock(),
        writing::update_issue(),
    ]
}

/// One definition. `errors` are the repair-critical codes of the tool, each with the tool that repairs it.
pub fn tool(
    name: &str,
    title: &str,
    description: &str,
    hints: Hints,
    errors: &[(&str, Option<&str>)],
    input: Value,
    output: Value,
) -> Value {
    let annotations = match hints {
        Hints::Reads { open_world } => json!({"readOnlyHint": true, "openWorldHint": open_world}),
        Hints::Writes { destructive, idempotent } => json!({
            "readOnlyHint": false, "destructiveHint": destructive, "idempotentHint": idempotent, "openWorldHint": true
        }),
    };
    let mut definition = json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": input,
        "outputSchema": output,
        "annotations": annotations,
    });
    if !errors.is_empty() {
        let errors: Vec<Value> = errors
            .iter()
            .map(|(code, repair)| match repair {
                Some(tool) => json!({"code": code, "repair_tool": tool}),
                None => json!({"code": code}),
            })
            .collect();
        let mut meta = Map::new();
        meta.insert(format!("{NAMESPACE}/errors"), errors.into());
        definition["_meta"] = meta.into();
    }
    definition
}

fn get_capabilities() -> Value {
    tool(
        CAPABILITIES_TOOL,
        "Read the capability summary",
        "Return the capability summary of this server: what it does and does not do, prerequisites and failure codes, the \
         whole error catalog with the error envelope, and the fingerprint.\n\n\
         When to use: at first contact, or when an error code needs its catalog entry. \
         The content is that of the github://capabilities resource, for clients that do not read resources.",
        Hints::Reads { open_world: false },
        &[],
        parameters::input(&[], Vec::new()),
        shapes::output(summary::MEMBERS, summary::properties()),
    )
}
