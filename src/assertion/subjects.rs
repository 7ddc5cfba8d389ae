//! The subjects of a contract, by kind.
//!
//! Owns what counts as a subject. Invariant: what is enumerated here was seen on the wire; what a
//! request was meant to be plays no part.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::shape::{Breaks, has_detail, returns_rows};
use super::subject::{Each, Of, Subject};
use crate::capture::Flow;
use crate::contract::{
    Answer, CallView, Carrier, CarrierKind, Contract, Envelope, Exchange, HttpExchange, HttpHead,
    ListWalk, Session, Stray, StrayKind, Tool,
};

/// Every subject of a kind, in capture order.
pub fn subjects(contract: &Contract, each: Each) -> Vec<Subject<'_>> {
    match each {
        Each::Catalog if contract.tools.is_empty() => Vec::new(),
        Each::Catalog | Each::Contract => vec![whole(contract)],
        Each::Tool => contract.tools.iter().map(tool).collect(),
        Each::ToolWithListResult => {
            contract.tools.iter().filter(|t| returns_rows(contract, t)).map(tool).collect()
        }
        Each::ToolWithDetail => contract.tools.iter().filter(|t| has_detail(t)).map(tool).collect(),
        Each::Resource => contract
            .resources
            .iter()
            .map(|r| record(&r.uri, r.seq, &r.pointer, &r.record, Of::Resource(r)))
            .collect(),
        Each::Template => contract
            .templates
            .iter()
            .map(|t| record(&t.uri_template, t.seq, &t.pointer, &t.record, Of::Template(t)))
            .collect(),
        Each::Prompt => contract
            .prompts
            .iter()
            .map(|p| record(&p.name, p.seq, &p.pointer, &p.record, Of::Prompt(p)))
            .collect(),
        Each::ResourceResult => results_of(contract, "resources/read"),
        Each::PromptResult => results_of(contract, "prompts/get"),
        Each::Call => calls(contract, |c| c.tool.is_some() && is_answered(c.exchange)),
        Each::AnyCall => calls(contract, |c| c.tool.is_some()),
        Each::ErrorResult => calls(contract, CallView::is_error_result),
        Each::SuccessResult => {
            calls(contract, |c| c.tool.is_some() && c.arguments.is_some() && c.is_success())
        }
        Each::ArgumentFailure => {
            let mut breaks = Breaks::default();
            calls(contract, |c| breaks.see(contract, c))
        }
        Each::Failure => numbered(contract, |e| failure(contract, e)),
        Each::RpcError => exchanges(contract, |e| e.error().is_some()),
        Each::ResourceError => {
            exchanges(contract, |e| &*e.method == "resources/read" && e.error().is_some())
        }
        Each::NativeList => contract.lists.iter().filter_map(|w| walk(contract, w)).collect(),
        Each::Exchange => exchanges(contract, |_| true),
        Each::DistinctResult => distinct_results(contract),
        Each::Session => contract.sessions.iter().map(|s| session(contract, s)).collect(),
        Each::Notification => strays(contract, |kind| match kind {
            StrayKind::Notification { method, params } => Some((method, params)),
            _ => None,
        }),
        Each::ServerRequest => strays(contract, |kind| match kind {
            StrayKind::Request { method, params } => Some((method, params)),
            _ => None,
        }),
        Each::HttpExchange => contract.http.iter().map(http).collect(),
        Each::RepairCase
        | Each::DefaultsCase
        | Each::DetailCase
        | Each::PagesCase
        | Each::IdempotencyCase
        | Each::ReadOnlyCase => {
            let flow = flow_of(each);
            cases(contract, |e| {
                e.step.as_ref().filter(|s| Some(s.flow) == flow).map(|s| s.case.as_str())
            })
        }
        Each::ExpectedCase => {
            let written = contract.header.as_ref().and_then(|header| header.scenario.as_ref());
            cases(contract, |e| {
                let case = e.step.as_ref()?.case.as_str();
                written.is_some_and(|w| w.cases.contains_key(case)).then_some(case)
            })
        }
    }
}

/// The flow whose cases are the subjects.
pub(super) fn flow_of(each: Each) -> Option<Flow> {
    match each {
        Each::RepairCase => Some(Flow::Repair),
        Each::DefaultsCase => Some(Flow::Defaults),
        Each::DetailCase => Some(Flow::Detail),
        Each::PagesCase => Some(Flow::Pages),
        Each::IdempotencyCase => Some(Flow::Idempotency),
        Each::ReadOnlyCase => Some(Flow::ReadOnly),
        _ => None,
    }
}

fn whole(contract: &Contract) -> Subject<'_> {
    let records = |records: Vec<&Value>| Value::Array(records.into_iter().cloned().collect());
    let identity = &contract.identity;
    let mut seq: Vec<u64> = identity.seq.clone();
    seq.extend(contract.tools.iter().map(|tool| tool.seq));
    seq.dedup();
    Subject {
        name: identity.name.clone().unwrap_or_else(|| "server".to_owned()),
        seq,
        pointer: String::new(),
        value: Cow::Owned(json!({
            "server": { "name": identity.name, "version": identity.version },
            "revision": contract.revision.map(|revision| revision.as_str()),
            "capabilities": identity.capabilities,
            "instructions": identity.instructions,
            "tools": records(contract.tools.iter().map(|tool| &*tool.record).collect()),
            "resources": records(contract.resources.iter().map(|r| &*r.record).collect()),
            "resourceTemplates": records(contract.templates.iter().map(|t| &*t.record).collect()),
            "prompts": records(contract.prompts.iter().map(|p| &*p.record).collect()),
            "supportedVersions": identity.supported,
            "summary": contract.summary.carriers.iter().map(carrier).collect::<Vec<_>>(),
            "summaryUnread": contract.summary.unread,
        })),
        of: Of::Contract,
        alike: None,
    }
}

/// A surface that carries the capability summary, as programs see it.
fn carrier(carrier: &Carrier) -> Value {
    let kind = match carrier.kind {
        CarrierKind::Instructions => "instructions",
        CarrierKind::Resource => "resource",
        CarrierKind::Tool => "tool",
    };
    json!({ "kind": kind, "name": carrier.name, "text": carrier.text, "json": carrier.json })
}

/// Every answer of a method that is a result.
fn results_of<'a>(contract: &'a Contract, method: &str) -> Vec<Subject<'a>> {
    exchanges(contract, |e| &*e.method == method && matches!(e.answer, Answer::Result(_)))
}

fn tool(tool: &Tool) -> Subject<'_> {
    record(&tool.name, tool.seq, &tool.pointer, &tool.record, Of::Tool(tool))
}

fn record<'a>(name: &str, seq: u64, pointer: &str, value: &'a Value, of: Of<'a>) -> Subject<'a> {
    Subject {
        name: name.to_owned(),
        seq: vec![seq],
        pointer: pointer.to_owned(),
        value: Cow::Borrowed(value),
        of,
        alike: None,
    }
}

fn is_answered(exchange: &Exchange) -> bool {
    matches!(exchange.answer, Answer::Result(_) | Answer::Error(_))
}

/// The answer as a value, with its pointer in the message that carried it.
fn answer(exchange: &Exchange) -> (Cow<'_, Value>, &'static str) {
    match &exchange.answer {
        Answer::Result(result) => (Cow::Borrowed(result), "/result"),
        Answer::Error(error) => (Cow::Borrowed(&error.whole), "/error"),
        Answer::Unanswered | Answer::Died | Answer::Truncated => (Cow::Owned(Value::Null), ""),
    }
}

fn call(call: CallView<'_>) -> Subject<'_> {
    let (value, pointer) = answer(call.exchange);
    Subject {
        name: call.name.to_owned(),
        seq: call.exchange.seqs(),
        pointer: pointer.to_owned(),
        value,
        of: Of::Call(call),
        alike: None,
    }
}

fn calls<'a>(
    contract: &'a Contract,
    mut keep: impl FnMut(&CallView<'a>) -> bool,
) -> Vec<Subject<'a>> {
    numbered(contract, |exchange| contract.call(exchange).filter(|view| keep(view)).map(call))
}

/// The subjects that exchanges are, with the numbers that equal exchanges share.
fn numbered<'a>(
    contract: &'a Contract,
    mut subject: impl FnMut(&'a Exchange) -> Option<Subject<'a>>,
) -> Vec<Subject<'a>> {
    let numbers = contract.exchanges.iter().zip(contract.alike());
    let subject = |(exchange, alike): (&'a Exchange, &u32)| {
        Some(Subject { alike: Some(*alike), ..subject(exchange)? })
    };
    numbers.filter_map(subject).collect()
}

fn exchange(exchange: &Exchange) -> Subject<'_> {
    let (value, pointer) = answer(exchange);
    let detail = ["name", "uri"].iter().find_map(|key| exchange.params.get(key)?.as_str());
    Subject {
        name: match detail {
            Some(detail) => format!("{} {detail}", exchange.method),
            None => exchange.method.to_string(),
        },
        seq: exchange.seqs(),
        pointer: pointer.to_owned(),
        value,
        of: Of::Exchange(exchange),
        alike: None,
    }
}

fn exchanges(contract: &Contract, mut keep: impl FnMut(&Exchange) -> bool) -> Vec<Subject<'_>> {
    numbered(contract, |e| keep(e).then(|| exchange(e)))
}

/// The first exchange of each combination of revision, method and result. Equal payloads are held
/// once, so that the same place in memory is the same payload.
fn distinct_results(contract: &Contract) -> Vec<Subject<'_>> {
    let mut seen = HashSet::new();
    exchanges(contract, |e| match &e.answer {
        Answer::Result(result) => {
            seen.insert((contract.settled_revision(e), e.method.clone(), Arc::as_ptr(result)))
        }
        _ => false,
    })
}

fn session<'a>(contract: &Contract, session: &'a Session) -> Subject<'a> {
    let first = contract.exchanges_of(session.number).next().map(|e| e.seq);
    let died = session.died.as_ref().map(|(seq, _)| *seq);
    Subject {
        name: format!("session {}", session.number),
        seq: first.into_iter().chain(died).collect(),
        pointer: String::new(),
        value: Cow::Owned(json!({
            "number": session.number,
            "revision": session.revision.map(|revision| revision.as_str()),
            "http": session.http,
            "died": session.died.as_ref().map(|(_, how)| how),
            "closed": session.closed,
        })),
        of: Of::Session(session),
        alike: None,
    }
}

/// What the server sent of its own accord.
fn strays(
    contract: &Contract,
    wanted: fn(&StrayKind) -> Option<(&String, &Value)>,
) -> Vec<Subject<'_>> {
    let mut numbers = HashMap::new();
    let mut subject = |stray| {
        let Stray { seq, session, kind, .. }: &Stray = stray;
        let (method, params) = wanted(kind)?;
        let next = u32::try_from(numbers.len()).ok();
        // Equal params are held once, as answers are.
        let alike = *numbers.entry((session, method, std::ptr::from_ref(params))).or_insert(next);
        Some(Subject { alike, ..record(method, *seq, "/params", params, Of::Stray(stray)) })
    };
    contract.strays.iter().filter_map(&mut subject).collect()
}

fn http(http: &HttpExchange) -> Subject<'_> {
    let head = |head: &HttpHead| json!({ "status": head.status, "headers": *head.headers });
    Subject {
        name: format!("HTTP {} {}", http.request.method, http.number),
        seq: std::iter::once(&http.request).chain(&http.responses).map(|h| h.seq).collect(),
        pointer: String::new(),
        value: Cow::Owned(json!({
            "method": &*http.request.method,
            "headers": *http.request.headers,
            "responses": http.responses.iter().map(head).collect::<Vec<_>>(),
        })),
        of: Of::Http(http),
        alike: None,
    }
}

/// An error result, or a JSON-RPC error that carries an envelope.
fn failure<'a>(contract: &'a Contract, e: &'a Exchange) -> Option<Subject<'a>> {
    let view = contract.call(e);
    if let Some(view) = view
        && view.is_error_result()
    {
        return Some(call(view));
    }
    Envelope::of_error(e.error()?).map(|_| exchange(e))
}

fn walk<'a>(contract: &'a Contract, walk: &'a ListWalk) -> Option<Subject<'a>> {
    let pages: Vec<&Exchange> =
        walk.pages.iter().filter_map(|page| contract.exchanges.get(page.exchange)).collect();
    let (value, pointer) = answer(pages.last()?);
    Some(Subject {
        name: walk.method.to_string(),
        seq: pages.iter().flat_map(|e| e.seqs()).collect(),
        pointer: pointer.to_owned(),
        value,
        of: Of::Walk(walk),
        alike: None,
    })
}

/// Exchanges grouped by case, in the order in which the cases began.
fn cases<'a>(
    contract: &'a Contract,
    case_of: impl Fn(&'a Exchange) -> Option<&'a str>,
) -> Vec<Subject<'a>> {
    let mut groups: Vec<(&str, Vec<&Exchange>)> = Vec::new();
    let mut index = HashMap::new();
    for exchange in &contract.exchanges {
        let Some(case) = case_of(exchange) else { continue };
        let slot = *index.entry(case).or_insert_with(|| {
            groups.push((case, Vec::new()));
            groups.len() - 1
        });
        groups[slot].1.push(exchange);
    }
    groups
        .into_iter()
        .map(|(case, exchanges)| {
            let last = exchanges.last().expect("a group is made with its first exchange");
            let (value, pointer) = answer(last);
            Subject {
                name: case.to_owned(),
                seq: exchanges.iter().flat_map(|e| e.seqs()).collect(),
                pointer: pointer.to_owned(),
                value,
                of: Of::Case(exchanges),
                alike: None,
            }
        })
        .collect()
}
