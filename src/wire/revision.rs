//! The protocol revisions that hallmark speaks.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// An MCP protocol revision, oldest first, so that `<` reads as "older than".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// `2024-11-05`: handshake, no annotations, no structured content.
    V2024_11_05,
    /// `2025-03-26`: handshake, tool annotations, streamable HTTP, batching.
    V2025_03_26,
    /// `2025-06-18`: handshake, `outputSchema` and `structuredContent`, no batching.
    V2025_06_18,
    /// `2025-11-25`: handshake, tasks (experimental), argument failures are tool results.
    V2025_11_25,
    /// `2026-07-28`: stateless, `server/discover`, per-request `_meta`, cache hints.
    V2026_07_28,
}

impl Revision {
    /// Every revision, newest first: the order in which `auto` tries them.
    pub const ALL: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// The revision as it is written on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests carry their own `_meta` and no handshake happens (2026-07-28 on).
    pub fn is_stateless(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Whether tools may publish `outputSchema` and results carry `structuredContent`.
    pub fn has_structured_content(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether tools carry `annotations`.
    pub fn has_annotations(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether an argument that breaks a tool's schema is a tool result rather than a JSON-RPC
    /// error (from 2025-11-25 on; before, the specification classed it as a protocol error).
    pub fn argument_failures_are_results(self) -> bool {
        self >= Revision::V2025_11_25
    }
}

/// Whether `supportedVersions` (of a `server/discover` result) names stateless revisions and nothing
/// else: a request that names no version can only be meant for one of them then. An empty list, or
/// one with a version that is not known here, leaves that open.
pub fn offers_only_stateless(versions: Option<&Value>) -> bool {
    let is_stateless = |version: &Value| {
        let revision = version.as_str().and_then(|text| text.parse::<Revision>().ok());
        revision.is_some_and(Revision::is_stateless)
    };
    let versions = versions.and_then(Value::as_array);
    versions.is_some_and(|offered| !offered.is_empty() && offered.iter().all(is_stateless))
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Revision::ALL.into_iter().find(|revision| revision.as_str() == text).ok_or_else(|| {
            let known: Vec<_> = Revision::ALL.iter().map(|r| r.as_str()).collect();
            format!("unknown revision {text:?}; known are {}", known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_known_stateless_versions_leave_no_doubt() {
        assert!(offers_only_stateless(Some(&json!(["2026-07-28"]))));
        for doubtful in [
            json!([]),
            json!(["2026-07-28", "2025-11-25"]),
            json!(["2026-07-28", "2027-01-01"]),
            json!(["2026-07-28", 7]),
            json!("2026-07-28"),
        ] {
            assert!(!offers_only_stateless(Some(&doubtful)), "{doubtful}");
        }
        assert!(!offers_only_stateless(None));
    }
}
