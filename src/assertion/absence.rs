//! Why there is no subject: the difference between "not there", "not seen" and "not done".
//!
//! Owns the verdict of a check that looked at nothing. Invariant: the verdict is never `Pass`, and
//! "not applicable" needs proof from the wire that the surface is missing.

use super::shape::{has_default, has_detail};
use super::subject::Each;
use super::subjects::flow_of;
use crate::capture::{End, EndCause, Withheld, WithheldKind};
use crate::contract::{Answer, Contract};
use crate::score::Verdict;

/// Why what the capture holds may be less than what the server would have shown.
pub(super) fn incomplete(contract: &Contract) -> Option<String> {
    let header = contract.header.as_ref();
    let Some(end) = &contract.end else {
        // A foreign capture has no end event, and says nothing about how it ended.
        return header.map(|_| "truncated: the capture has no closing event".to_owned());
    };
    if let Some(edited) = header.and_then(|_| edited(contract, end)) {
        return Some(edited);
    }
    let name = match end.cause {
        EndCause::Complete => return None,
        EndCause::TargetDied => "target_died",
        EndCause::Interrupted => "interrupted",
        EndCause::Limit => "limit",
    };
    Some(match &end.detail {
        Some(detail) => format!("{name}: {detail}"),
        None => name.to_owned(),
    })
}

/// What shows that events were taken out of a capture or put into it after it was recorded: the
/// recorder counts from 0 without a gap, and its last event says how many there are.
fn edited(contract: &Contract, end: &End) -> Option<String> {
    let counted = end.counts.events;
    let numbered = contract.last_seq + 1;
    (contract.events != numbered || contract.events != counted).then(|| {
        format!(
            "edited: {} events are there, numbered up to {}, and the recorder counted {counted}",
            contract.events, contract.last_seq
        )
    })
}

/// Whether subjects of a kind go on coming for as long as the run lasts, so that none or no fault
/// so far says nothing about the rest of a run that was cut short.
pub(super) fn depends_on_the_end(contract: &Contract, each: Each) -> bool {
    let walked = |method: &str| contract.complete_walk(method).is_some();
    match each {
        Each::Catalog | Each::Tool | Each::ToolWithDetail => !walked("tools/list"),
        Each::Resource => !walked("resources/list"),
        Each::Template => !walked("resources/templates/list"),
        Each::Prompt => !walked("prompts/list"),
        _ => true,
    }
}

/// The verdict of a check without a subject.
pub(super) fn absence(contract: &Contract, each: Each) -> Verdict {
    match (unseen(contract, each), withheld(contract, each)) {
        (Verdict::NotObserved(_), Some(needs)) => Verdict::NotRun(needs),
        (unseen, _) => unseen,
    }
}

fn unseen(contract: &Contract, each: Each) -> Verdict {
    let offered = match each {
        Each::Resource | Each::ResourceResult | Each::ResourceError => {
            Surface::RESOURCES.verdict(contract)
        }
        Each::Prompt | Each::PromptResult => Surface::PROMPTS.verdict(contract),
        Each::Template => Surface::TEMPLATES.verdict(contract),
        Each::RpcError
        | Each::NativeList
        | Each::Exchange
        | Each::DistinctResult
        | Each::Session
        | Each::Notification
        | Each::ServerRequest
        | Each::HttpExchange
        | Each::Contract
        | Each::ExpectedCase
        | Each::Failure => None,
        _ => Surface::TOOLS.verdict(contract),
    };
    if let Some(verdict) = offered {
        return verdict;
    }
    let not_observed = |why: &str| Verdict::NotObserved(why.to_owned());
    let not_applicable = |why: &str| Verdict::NotApplicable(why.to_owned());
    match each {
        Each::Catalog | Each::Tool => not_observed("no tool was listed"),
        Each::ToolWithListResult => list_results(contract),
        Each::PagesCase => match list_results(contract) {
            Verdict::NotApplicable(why) => Verdict::NotApplicable(why),
            _ => not_observed("no tool was walked page by page"),
        },
        Each::ToolWithDetail => not_applicable("no tool has a parameter for the level of detail"),
        Each::DetailCase if !contract.tools.iter().any(has_detail) => {
            not_applicable("no tool has a parameter for the level of detail")
        }
        Each::DetailCase => not_observed("no tool was called at two levels of detail"),
        Each::DefaultsCase if !contract.tools.iter().any(has_default) => {
            not_applicable("no parameter has a default")
        }
        Each::DefaultsCase => not_observed("no default was left out and then given"),
        Each::IdempotencyCase if contract.tools.iter().all(|tool| tool.is_read_only()) => {
            not_applicable("every tool says that it is read-only")
        }
        Each::IdempotencyCase => not_observed("no mutating call was repeated"),
        Each::ReadOnlyCase if !contract.tools.iter().any(|tool| tool.is_read_only()) => {
            not_applicable("no tool says that it is read-only")
        }
        Each::ReadOnlyCase => not_observed("no state was read around a read-only call"),
        Each::RepairCase => not_observed("no repair was carried out"),
        Each::Resource => not_observed("no resource was listed"),
        Each::Template => not_observed("no resource template was listed"),
        Each::Prompt => not_observed("no prompt was listed"),
        Each::ResourceResult => not_observed("no resource was read"),
        Each::PromptResult => not_observed("no prompt was fetched"),
        Each::ResourceError => not_observed("no read of a resource failed"),
        Each::Call => not_observed("no call of a listed tool was answered"),
        Each::AnyCall => not_observed("no listed tool was called"),
        Each::ErrorResult => not_observed("no call was answered by an error result"),
        Each::SuccessResult => not_observed("no call of a listed tool succeeded"),
        Each::ArgumentFailure => {
            not_observed("no arguments that break a tool's input schema were answered")
        }
        Each::Failure => not_observed("no failure with an envelope was seen"),
        Each::RpcError => not_observed("no JSON-RPC error was seen"),
        Each::NativeList => not_observed("no native list was walked"),
        Each::Exchange | Each::Contract => not_observed("no request was captured"),
        Each::DistinctResult => not_observed("no result was seen"),
        Each::Session => not_observed("no session was captured"),
        Each::Notification => not_observed("the server sent no notification"),
        Each::ServerRequest => not_observed("the server sent no request of its own"),
        Each::HttpExchange if contract.sessions.iter().all(|session| !session.http) => {
            not_applicable("the transport is not HTTP")
        }
        Each::HttpExchange => not_observed("no HTTP exchange was captured"),
        Each::ExpectedCase => {
            let scenario = contract.header.as_ref().and_then(|header| header.scenario.as_ref());
            match scenario.is_some_and(|scenario| !scenario.cases.is_empty()) {
                true => not_observed("none of the scenario's cases was carried out"),
                false => not_applicable("no written cases"),
            }
        }
    }
}

/// A list-shaped result can also be seen in an answer, so a tool that publishes no schema and was
/// never called leaves the question open.
fn list_results(contract: &Contract) -> Verdict {
    let called = |name: &str| {
        let mut calls = contract.calls_of(name).filter_map(|exchange| contract.call(exchange));
        calls.any(|call| call.is_success())
    };
    let unknown =
        contract.tools.iter().filter(|tool| tool.output.is_none() && !called(&tool.name)).count();
    match unknown {
        0 => Verdict::NotApplicable("no tool returns a list".to_owned()),
        _ => Verdict::NotObserved(format!(
            "no tool was seen to return a list; {unknown} publish no output schema and were not \
             called successfully"
        )),
    }
}

/// A surface that a server may not have.
struct Surface {
    capability: &'static str,
    method: &'static str,
    what: &'static str,
}

impl Surface {
    const PROMPTS: Surface =
        Surface { capability: "prompts", method: "prompts/list", what: "prompts" };
    const TOOLS: Surface = Surface { capability: "tools", method: "tools/list", what: "tools" };
    const RESOURCES: Surface =
        Surface { capability: "resources", method: "resources/list", what: "resources" };
    const TEMPLATES: Surface = Surface {
        capability: "resources",
        method: "resources/templates/list",
        what: "resource templates",
    };

    /// Nothing when the server has the surface, else why it is not judged.
    fn verdict(&self, contract: &Contract) -> Option<Verdict> {
        if let Some(walk) = contract.complete_walk(self.method) {
            let empty = walk.pages.iter().all(|page| page.keys.is_empty());
            return empty
                .then(|| Verdict::NotApplicable(format!("the server lists no {}", self.what)));
        }
        if contract.lists.iter().any(|walk| &*walk.method == self.method) {
            return None;
        }
        let capabilities = contract.identity.capabilities.as_object();
        Some(match capabilities {
            Some(capabilities) if !capabilities.contains_key(self.capability) => {
                Verdict::NotApplicable(format!("the server offers no {}", self.what))
            }
            _ => Verdict::NotObserved(self.why_unseen(contract)),
        })
    }

    /// Why there is no list: it was not asked for, or what came of asking, the last time.
    fn why_unseen(&self, contract: &Contract) -> String {
        let method = self.method;
        let asked = contract.exchanges.iter().rev().find(|asked| &*asked.method == method);
        let Some(asked) = asked else { return format!("{method} was never asked") };
        match &asked.answer {
            Answer::Error(error) => match (error.code, error.whole.get("code")) {
                (Some(code), _) => format!("{method} was refused: {code}"),
                (None, Some(code)) => format!("{method} was refused: {code}"),
                (None, None) => format!("{method} was refused"),
            },
            Answer::Died => format!("{method} was not answered: the target died"),
            Answer::Unanswered => format!("{method} was not answered"),
            Answer::Truncated => format!("{method} was cut short: the capture ends there"),
            Answer::Result(_) => format!("{method} was answered without a list"),
        }
    }
}

/// What was not sent that would have brought subjects, and what would allow it.
fn withheld(contract: &Contract, each: Each) -> Option<String> {
    let valid_calls = matches!(
        each,
        Each::SuccessResult
            | Each::IdempotencyCase
            | Each::DetailCase
            | Each::DefaultsCase
            | Each::PagesCase
    );
    let brings = |entry: &&Withheld| match entry.kind {
        WithheldKind::Mutation => valid_calls,
        WithheldKind::Flow(flow) => flow_of(each) == Some(flow),
        WithheldKind::Case => each == Each::ExpectedCase,
        WithheldKind::List | WithheldKind::Other => false,
    };
    let entry = contract.end.as_ref()?.withheld.iter().find(brings)?;
    Some(format!("{} needs {}", entry.what, entry.needs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::read_events;
    use crate::contract::Builder;

    fn why(last: &str) -> String {
        let said = |direction: &str, payload: &str| {
            format!(
                r#""direction":"{direction}","transport":"stdio","kind":"message","payload":{payload}"#
            )
        };
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let mut events = vec![
            said("client-to-server", r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#),
            said("server-to-client", r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
        ];
        match last {
            "" => {}
            "cut" => events.push(said("client-to-server", ask)),
            answer => {
                events.push(said("client-to-server", ask));
                events.push(said("server-to-client", answer));
            }
        }
        let numbered = events.iter().enumerate();
        let text: String =
            numbered.map(|(seq, event)| format!("{{\"seq\":{seq},{event}}}\n")).collect();
        let mut builder = Builder::new();
        read_events(text.as_bytes(), |event| builder.see(event)).expect("it is a capture");
        Surface::TOOLS.why_unseen(&builder.finish())
    }

    #[test]
    fn a_list_that_was_asked_for_is_not_called_unasked() {
        assert_eq!(why(""), "tools/list was never asked");
        assert_eq!(why("cut"), "tools/list was cut short: the capture ends there");
        let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
        assert_eq!(why(refused), "tools/list was refused: -32601");
        let strange = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":7}}"#;
        assert_eq!(why(strange), "tools/list was answered without a list");
    }
}
