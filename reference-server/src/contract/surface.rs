//! The whole published surface, assembled once at start-up.

use rmcp::model::{CacheScope, Resource, ResourceTemplate, Tool};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{NAME, REVISIONS, TITLE, VERSION, catalog, fingerprint, resources, summary, tools};

/// Cache hints of one surface (rule `8.cacheable-results`).
#[derive(Debug, Clone, Copy)]
pub struct CacheHint {
    /// How long an answer may be taken as fresh, in milliseconds.
    pub ttl_ms: u64,
    /// Who may share it.
    pub scope: CacheScope,
}

/// The catalogs: the same for every credential, changing only with a release.
pub const CATALOG_HINT: CacheHint = CacheHint { ttl_ms: 3_600_000, scope: CacheScope::Public };
/// Data: what is visible depends on the credential, and issues change at any time.
pub const DATA_HINT: CacheHint = CacheHint { ttl_ms: 30_000, scope: CacheScope::Private };

/// Everything that discovery shows, typed for the SDK and as the JSON that was meant.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Tools by name.
    pub tools: Vec<Tool>,
    /// Listed resources by URI.
    pub resources: Vec<Resource>,
    /// Resource templates.
    pub templates: Vec<ResourceTemplate>,
    /// The capability summary.
    pub summary: Value,
    /// The capability summary as the text that tool and resource serve.
    pub summary_text: String,
    /// Instructions of discover and initialize.
    pub instructions: String,
    /// Fingerprint over all of it.
    pub fingerprint: String,
}

impl Surface {
    /// Assembles the surface.
    pub fn new() -> Self {
        let covered = covered();
        let fingerprint = fingerprint::fingerprint(&covered);
        let summary = summary::summary(&fingerprint);
        let summary_text = summary.to_string();
        Self {
            tools: typed(&covered["tools"]),
            resources: typed(&resources::resources(summary_text.len()).into()),
            templates: typed(&covered["resource_templates"]),
            instructions: summary::instructions(),
            summary,
            summary_text,
            fingerprint,
        }
    }
}

impl Default for Surface {
    fn default() -> Self {
        Self::new()
    }
}

/// The covered surface: one member for each name in [`fingerprint::COVERS`], the fingerprint itself left empty.
pub fn covered() -> Map<String, Value> {
    let hint = |hint: CacheHint| json!({"ttlMs": hint.ttl_ms, "cacheScope": hint.scope});
    let parts = [
        (
            "server",
            json!({"name": NAME, "title": TITLE, "version": VERSION, "revisions": REVISIONS}),
        ),
        ("tools", tools::definitions().into()),
        ("resources", resources::resources(0).into()),
        ("resource_templates", resources::templates().into()),
        ("prompts", json!([])),
        ("completions", json!(["owner", "repo", "issue_number", "state", "labels"])),
        ("error_codes", catalog::published()),
        ("capability_summary", summary::summary("")),
        ("instructions", summary::instructions().into()),
        ("cache_hints", json!({"catalog": hint(CATALOG_HINT), "data": hint(DATA_HINT)})),
    ];
    parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect()
}

/// The SDK's typed form of `definitions`. Its model drops members that it does not know, silently; that none is
/// lost is tested below, and not at every start.
fn typed<T: DeserializeOwned>(definitions: &Value) -> Vec<T> {
    Vec::deserialize(definitions).expect("a definition has the shape of its kind")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_moves_with_every_covered_part_and_with_nothing_else() {
        let surface = covered();
        let names: Vec<&str> = surface.keys().map(String::as_str).collect();
        assert_eq!(names, fingerprint::COVERS);
        let unmoved = fingerprint::fingerprint(&surface);
        assert_eq!(fingerprint::fingerprint(&covered()), unmoved);
        let mut changes = 0;
        for name in fingerprint::COVERS {
            // Every seventh leaf of each part: all of them would take a debug build too long.
            for leaf in leaves(&surface[*name], &format!("/{name}")).into_iter().step_by(7) {
                let mut changed = Value::Object(surface.clone());
                let place = changed.pointer_mut(&leaf).expect("a leaf");
                *place = match place.take() {
                    Value::String(text) => format!("{text}.").into(),
                    Value::Bool(flag) => (!flag).into(),
                    other => json!({"was": other}),
                };
                let changed = changed.as_object().expect("a surface");
                assert_ne!(fingerprint::fingerprint(changed), unmoved, "{leaf}");
                changes += 1;
            }
        }
        assert!(changes > 100, "only {changes} leaves were changed");
        let mut fewer = surface.clone();
        fewer["tools"].as_array_mut().expect("tools").pop();
        assert_ne!(fingerprint::fingerprint(&fewer), unmoved);
        let reordered: Map<String, Value> = surface.into_iter().rev().collect();
        assert_eq!(fingerprint::fingerprint(&reordered), unmoved);
    }

    /// Pointers to every scalar, and to every empty list, below `value`.
    fn leaves(value: &Value, pointer: &str) -> Vec<String> {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Object(members) if !members.is_empty() => members
                .iter()
                .flat_map(|(name, member)| leaves(member, &format!("{pointer}/{}", escaped(name))))
                .collect(),
            Value::Array(items) if !items.is_empty() => items
                .iter()
                .enumerate()
                .flat_map(|(at, item)| leaves(item, &format!("{pointer}/{at}")))
                .collect(),
            _ => vec![pointer.to_owned()],
        }
    }

    #[test]
    fn what_is_published_is_what_is_covered() {
        let surface = Surface::new();
        let covered = covered();
        let json = |value: &Value| fingerprint::canonical(value);
        let published = |typed: serde_json::Result<Value>| json(&typed.expect("serializes"));
        assert_eq!(published(serde_json::to_value(&surface.tools)), json(&covered["tools"]));
        assert_eq!(
            published(serde_json::to_value(&surface.templates)),
            json(&covered["resource_templates"])
        );
        assert_eq!(
            published(serde_json::to_value(&surface.resources)),
            json(&resources::resources(surface.summary_text.len()).into())
        );
        let mut summary = surface.summary.clone();
        summary["server"]["fingerprint"] = "".into();
        assert_eq!(json(&summary), json(&covered["capability_summary"]));
        assert_eq!(surface.instructions, covered["instructions"]);
        let names: Vec<&str> = surface.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, tools::NAMES);
    }
}
