//! The whole published surface, assembled once at start-up.

use rmcp::model::{CacheScope, Resource, ResourceTemplate, Tool};
use serde::Serialize;
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
        let fingerprint = fingerprint::fingerprint(&covered());
        let summary = summary::summary(&fingerprint);
        let summary_text = summary.to_string();
        Self {
            tools: typed(tools::definitions()),
            resources: typed(resources::resources(summary_text.len())),
            templates: typed(resources::templates()),
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

/// The SDK's typed form of `definitions`. Its model drops members that it does not know, silently: a definition
/// that does not come back whole must never be published.
fn typed<T: DeserializeOwned + Serialize>(definitions: Vec<Value>) -> Vec<T> {
    definitions
        .into_iter()
        .map(|definition| {
            let typed: T = serde_json::from_value(definition.clone())
                .expect("a definition has the shape of its kind");
            let back = serde_json::to_value(&typed).expect("a definition serializes");
            assert_eq!(
                fingerprint::canonical(&back),
                fingerprint::canonical(&definition),
                "the SDK's model loses a member"
            );
            typed
        })
        .collect()
}
