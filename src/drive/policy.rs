//! What may be sent to a target: every outgoing request passes through here.
//!
//! A target may be somebody's production server. Without permission to mutate, a tool that is not
//! annotated `readOnlyHint: true` is only ever called with arguments that no server which checks
//! its own published schema can execute.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::listings::Listings;
use crate::capture::{Flow, Withheld, WithheldKind};
use crate::contract::Contract;
use crate::schema::lacks_required;

/// Scheme of the URIs that are made up to find nothing.
pub(super) const NO_SUCH_URI: &str = "hallmark-probe:///no/such/resource";
/// Name of a tool that no server has.
pub(super) const NO_SUCH_TOOL: &str = "hallmark_no_such_tool";
/// A method that no server has.
pub(super) const NO_SUCH_METHOD: &str = "hallmark/no-such-method";

/// Tools named in one line of what was withheld.
const NAMED: usize = 12;

/// Why a request was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What was not sent, in words, without the tool.
    pub(super) what: String,
    /// What of the run it belongs to.
    pub(super) kind: WithheldKind,
    /// The tool, when it is a call.
    pub(super) tool: Option<String>,
    /// What would allow it.
    pub(super) needs: String,
}

/// What was not sent and what would allow it: what it belongs to, and the tools.
type Withholding = BTreeMap<(String, String), (WithheldKind, BTreeSet<String>)>;

/// The policy of one run. A handle: clones note what they withhold in the same place, so that it is
/// known of a run that is cut short as well.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    mutations: bool,
    listings: Listings,
    withheld: Rc<RefCell<Withholding>>,
}

impl Policy {
    /// `mutations`: schema-valid calls of tools that may mutate are allowed.
    pub(super) fn new(mutations: bool) -> Self {
        Policy { mutations, listings: Listings::default(), withheld: Rc::default() }
    }

    /// Whether schema-valid calls of tools that may mutate are allowed.
    pub(super) fn mutations(&self) -> bool {
        self.mutations
    }

    /// Takes in what all listings of the tools say.
    pub(super) fn learn(&mut self, listings: Listings) {
        self.listings = listings;
    }

    /// Other input schemas that a tool was listed with.
    pub(super) fn schemas(&self, tool: &str) -> &[std::sync::Arc<Value>] {
        self.listings.schemas(tool)
    }

    /// Whether a request may be sent to the server that `contract` describes.
    pub(super) fn admit(
        &self,
        contract: &Contract,
        method: &str,
        params: &Value,
    ) -> Result<(), Refusal> {
        match method {
            "server/discover" | "initialize" | "ping" | "completion/complete" => Ok(()),
            "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => Ok(()),
            NO_SUCH_METHOD => Ok(()),
            "resources/read" => self.admit_read(contract, params),
            "tools/call" => self.admit_call(contract, params),
            other => Err(Refusal {
                what: format!("requests of the method {other}"),
                kind: WithheldKind::Other,
                tool: None,
                needs: "a flow of hallmark that sends it".to_owned(),
            }),
        }
    }

    fn admit_read(&self, contract: &Contract, params: &Value) -> Result<(), Refusal> {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let listed = contract.resources.iter().any(|resource| resource.uri == uri)
            || contract.templates.iter().any(|template| expands(&template.uri_template, uri));
        if listed || uri == NO_SUCH_URI || self.mutations {
            Ok(())
        } else {
            Err(Refusal {
                what: format!("a read of {uri}, which the server does not list"),
                kind: WithheldKind::Other,
                tool: None,
                needs: "--allow-mutations".to_owned(),
            })
        }
    }

    fn admit_call(&self, contract: &Contract, params: &Value) -> Result<(), Refusal> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        if self.mutations || name == NO_SUCH_TOOL {
            return Ok(());
        }
        let refusal = |what: &str| Refusal {
            what: what.to_owned(),
            kind: WithheldKind::Mutation,
            tool: Some(name.to_owned()),
            needs: "--allow-mutations".to_owned(),
        };
        let nothing = Value::Object(serde_json::Map::new());
        let arguments = params.get("arguments").unwrap_or(&nothing);
        match contract.tool(name) {
            None => Err(refusal("calls of tools that are not listed")),
            Some(tool) if tool.is_read_only() => Ok(()),
            Some(tool)
                if lacks_required(&tool.input, arguments)
                    && self.schemas(name).iter().all(|input| lacks_required(input, arguments)) =>
            {
                Ok(())
            }
            Some(_) => Err(refusal("calls that a tool without readOnlyHint: true may execute")),
        }
    }

    /// Notes that something was not sent.
    pub(super) fn withhold(&self, refusal: Refusal) {
        let mut withheld = self.withheld.borrow_mut();
        let key = (refusal.what, refusal.needs);
        let (_, tools) = withheld.entry(key).or_insert_with(|| (refusal.kind, BTreeSet::new()));
        tools.extend(refusal.tool);
    }

    /// Everything that was not sent, one line a reason.
    pub(super) fn withheld(&self) -> Vec<Withheld> {
        let withheld = self.withheld.borrow();
        let lines = withheld.iter().map(|((what, needs), (kind, tools))| {
            let named: Vec<&str> = tools.iter().take(NAMED).map(String::as_str).collect();
            let more = tools.len().saturating_sub(NAMED);
            let what = match (named.is_empty(), more) {
                (true, _) => what.clone(),
                (false, 0) => format!("{what}: {}", named.join(", ")),
                (false, more) => format!("{what}: {} and {more} more", named.join(", ")),
            };
            Withheld { kind: *kind, what, needs: needs.clone() }
        });
        lines.collect()
    }
}

/// The name of a flow, as captures have it.
pub(super) fn name_of(flow: Flow) -> String {
    let name = serde_json::to_value(flow).ok();
    name.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Whether a URI may be an expansion of a template: the literal text before the first expression
/// must be there, and there must be some.
fn expands(template: &str, uri: &str) -> bool {
    let literal = template.split('{').next().unwrap_or_default();
    !literal.is_empty() && uri.starts_with(literal)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::contract::Tool;

    fn contract() -> Contract {
        let tool = |name: &str, annotations: Value| Tool {
            name: name.to_owned(),
            description: String::new(),
            input: Arc::new(json!({
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string"}, "count": {"type": "integer"}}
            })),
            output: None,
            annotations: annotations.as_object().cloned(),
            record: Arc::new(Value::Null),
            seq: 0,
            pointer: String::new(),
        };
        let mut contract = crate::contract::Builder::new().finish();
        contract.tools = vec![
            tool("read", json!({"readOnlyHint": true})),
            tool("write", json!({"readOnlyHint": false})),
            tool("unsaid", Value::Null),
            tool("destroy", json!({"destructiveHint": true, "readOnlyHint": false})),
        ];
        contract
    }

    fn call(policy: &Policy, tool: &str, arguments: Value) -> bool {
        let params = json!({"name": tool, "arguments": arguments});
        policy.admit(&contract(), "tools/call", &params).is_ok()
    }

    #[test]
    fn without_permission_only_read_only_tools_get_valid_calls() {
        let policy = Policy::new(false);
        assert!(call(&policy, "read", json!({"path": "a"})));
        for tool in ["write", "unsaid", "destroy", "not_listed"] {
            assert!(!call(&policy, tool, json!({"path": "a"})), "{tool}");
        }
    }

    #[test]
    fn without_permission_other_tools_get_calls_that_cannot_be_executed() {
        let policy = Policy::new(false);
        assert!(call(&policy, "write", json!({})));
        assert!(call(&policy, "write", json!([])));
        // A lenient server would execute these: a wrong type, an unknown property, a number as text.
        assert!(!call(&policy, "write", json!({"path": true})));
        assert!(!call(&policy, "write", json!({"path": "a", "extra": 1})));
        assert!(!call(&policy, "write", json!({"path": "a", "count": "5"})));
        assert!(!call(&policy, "not_listed", json!({})));
    }

    #[test]
    fn with_permission_everything_goes() {
        let policy = Policy::new(true);
        assert!(call(&policy, "destroy", json!({"path": "a"})));
    }

    #[test]
    fn unlisted_uris_and_foreign_methods_stay_at_home() {
        let policy = Policy::new(false);
        let read = |uri: &str| policy.admit(&contract(), "resources/read", &json!({"uri": uri}));
        assert!(read(NO_SUCH_URI).is_ok());
        assert!(read("file:///etc/passwd").is_err());
        assert!(policy.admit(&contract(), "logging/setLevel", &json!({})).is_err());
    }

    #[test]
    fn what_was_withheld_is_one_line_a_reason() {
        let policy = Policy::new(false);
        for tool in ["b", "a", "b"] {
            policy.withhold(Refusal {
                what: "valid calls".to_owned(),
                kind: WithheldKind::Mutation,
                tool: Some(tool.to_owned()),
                needs: "--allow-mutations".to_owned(),
            });
        }
        let wanted = Withheld {
            kind: WithheldKind::Mutation,
            what: "valid calls: a, b".to_owned(),
            needs: "--allow-mutations".to_owned(),
        };
        assert_eq!(policy.withheld(), [wanted]);
    }
}
