//! A fault rule as a file writes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capture::Direction;

/// One rule: which frames, and exactly one change. A mutant of an assertion file is such a rule
/// with the checks that it must turn to fail.
///
/// Frames that hallmark sends are recorded first and then changed on their way to the target;
/// frames of the target are changed first and then recorded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Name of the rule, kebab-case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Checks that the rule must turn to fail, when it is a mutant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kills: Vec<String>,
    /// What it does, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Which frames.
    pub on: Match,
    /// A jq program on the message; each output is a frame. It may use `$request` (the request that
    /// a response answers, else null), `$n` (how many frames this rule has matched, this one
    /// included) and `$calls` (tool name -> calls sent so far).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jq: Option<String>,
    /// Deliver later, by so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<u64>,
    /// Do not deliver.
    #[serde(default, skip_serializing_if = "is_false")]
    pub drop: bool,
    /// Deliver twice.
    #[serde(default, skip_serializing_if = "is_false")]
    pub duplicate: bool,
    /// Deliver after the next frame in the same direction.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reorder: bool,
    /// Deliver only so many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncate: Option<usize>,
    /// Deliver this text as a frame of its own before the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage: Option<String>,
    /// Over HTTP, answer with this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Over HTTP, set these headers (null takes one away): those of the response for frames of the
    /// target, those of the request for frames of hallmark. As with frames, a request is recorded
    /// as it was before, a response as it is after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, Option<String>>>,
    /// Close the connection instead of delivering.
    #[serde(default, skip_serializing_if = "is_false")]
    pub close: bool,
    /// Deliver this instead: a string as it is, any other value as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<Value>,
}

/// Which frames a rule matches; what is absent matches everything.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// `client-to-server` or `server-to-client`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Method of the request or notification, or of the request that a response answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Tool of the `tools/call`, or of the one that a response answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Only the n-th frame that matches all of the above, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u64>,
    /// Only with this probability, from 0 to 1, drawn from the seed of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
}

impl Rule {
    /// Variables that a rule's jq program may use, in the order in which it gets them.
    pub const VARIABLES: &[&str] = &["$request", "$n", "$calls"];

    /// Whether the rule changes the head of an HTTP message, and so does nothing over stdio.
    pub fn is_of_http(&self) -> bool {
        self.status.is_some() || self.headers.is_some()
    }

    /// The names of the changes that the rule asks for; a valid rule has exactly one.
    pub fn changes(&self) -> Vec<&'static str> {
        [
            ("jq", self.jq.is_some()),
            ("delay", self.delay.is_some()),
            ("drop", self.drop),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
            ("truncate", self.truncate.is_some()),
            ("garbage", self.garbage.is_some()),
            ("status", self.status.is_some()),
            ("headers", self.headers.is_some()),
            ("close", self.close),
            ("replace", self.replace.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, asked)| asked.then_some(name))
        .collect()
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_reads_as_the_files_write_it_and_unknown_members_are_refused() {
        let rule: Rule = serde_json::from_value(json!({
            "id": "drops-output-schema",
            "kills": ["output-schema-published"],
            "on": {"direction": "server-to-client", "method": "tools/list"},
            "jq": "del(.result.tools[0].outputSchema)"
        }))
        .unwrap();
        assert_eq!(rule.changes(), ["jq"]);
        assert_eq!(rule.on.direction, Some(Direction::ServerToClient));
        let back: Rule = serde_json::from_value(serde_json::to_value(&rule).unwrap()).unwrap();
        assert_eq!(back, rule);
        for wrong in [json!({"on": {}, "jk": "."}), json!({"on": {"metod": "x"}, "drop": true})] {
            assert!(serde_json::from_value::<Rule>(wrong).is_err());
        }
    }
}
