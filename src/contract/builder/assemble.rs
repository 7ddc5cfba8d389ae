//! The last step: records out of walks, identity out of answers.

use std::sync::Arc;

use serde_json::Value;

use crate::capture::{End, Header};
use crate::contract::summary::find_summary;
use crate::contract::{
    Contract, Exchange, FrameFault, Garbage, HttpExchange, Identity, Index, ListWalk, Prompt,
    Resource, Session, Stray, Summary, Template, Tool,
};
use crate::schema::Validators;
use crate::wire::{self, Revision};

/// What the builder has gathered.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub header: Option<Header>,
    pub end: Option<End>,
    pub events: u64,
    pub last_seq: u64,
    pub wall_us: u64,
    pub lists: Vec<ListWalk>,
    pub exchanges: Vec<Exchange>,
    pub strays: Vec<Stray>,
    pub frame_faults: Vec<FrameFault>,
    pub garbage: Vec<Garbage>,
    pub http: Vec<HttpExchange>,
    pub left_out: u64,
}

/// A listed record with its place.
struct Listed {
    record: Arc<Value>,
    seq: u64,
    pointer: String,
}

/// Makes the contract.
pub(super) fn assemble(parts: Parts, sessions: Vec<Session>) -> Contract {
    let main = main_session(&parts, &sessions);
    let listed = |method: &str| listed(&parts, method, main);
    let tools = listed("tools/list").into_iter().map(tool).collect();
    let resources = listed("resources/list")
        .into_iter()
        .map(|Listed { record, seq, pointer }| Resource {
            uri: text_of(&record, "uri"),
            record,
            seq,
            pointer,
        })
        .collect();
    let templates = listed("resources/templates/list")
        .into_iter()
        .map(|Listed { record, seq, pointer }| Template {
            uri_template: text_of(&record, "uriTemplate"),
            record,
            seq,
            pointer,
        })
        .collect();
    let prompts = listed("prompts/list")
        .into_iter()
        .map(|Listed { record, seq, pointer }| Prompt {
            name: text_of(&record, "name"),
            record,
            seq,
            pointer,
        })
        .collect();
    let mut contract = Contract {
        revision: revision_of(main, &sessions),
        identity: identity(&parts, main),
        tools,
        resources,
        templates,
        prompts,
        summary: Summary::default(),
        header: parts.header,
        end: parts.end,
        events: parts.events,
        last_seq: parts.last_seq,
        wall_us: parts.wall_us,
        lists: parts.lists,
        exchanges: parts.exchanges,
        sessions,
        strays: parts.strays,
        frame_faults: parts.frame_faults,
        garbage: parts.garbage,
        http: parts.http,
        left_out: parts.left_out,
        schemas: Validators::default(),
        index: Index::default(),
    };
    contract.summary = find_summary(&contract);
    contract
}

/// The session that discovery succeeded in: the one that walked the tools, else the one that
/// introduced the server, else the first that agreed on a revision.
fn main_session(parts: &Parts, sessions: &[Session]) -> Option<u32> {
    let walked = parts.lists.iter().find(|walk| &*walk.method == "tools/list" && walk.complete);
    let introduced = || {
        parts.exchanges.iter().find(|exchange| {
            matches!(&*exchange.method, "server/discover" | "initialize")
                && exchange.result().is_some()
        })
    };
    walked
        .map(|walk| walk.session)
        .or_else(|| introduced().map(|exchange| exchange.session))
        .or_else(|| sessions.iter().find(|s| s.revision.is_some()).map(|s| s.number))
}

fn revision_of(main: Option<u32>, sessions: &[Session]) -> Option<Revision> {
    sessions.iter().find(|session| Some(session.number) == main)?.revision
}

/// The introduction of the main session, else the first one.
fn identity(parts: &Parts, main: Option<u32>) -> Identity {
    let introductions = || {
        parts.exchanges.iter().filter(|exchange| {
            matches!(&*exchange.method, "server/discover" | "initialize")
                && exchange.result().is_some()
        })
    };
    let exchange = introductions()
        .find(|exchange| Some(exchange.session) == main)
        .or_else(|| introductions().next());
    let Some((exchange, result)) = exchange.and_then(|e| Some((e, e.result()?))) else {
        return Identity::default();
    };
    let info = result
        .get("serverInfo")
        .or_else(|| result.get("_meta")?.get("io.modelcontextprotocol/serverInfo"));
    let fact = |name: &str| info?.get(name)?.as_str().map(str::to_owned);
    let supported = result.get("supportedVersions").and_then(Value::as_array);
    Identity {
        name: fact("name"),
        version: fact("version"),
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
        supported: supported
            .map(|versions| versions.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            .unwrap_or_default(),
        seq: exchange.seqs(),
    }
}

/// The records of the best walk of a list: a complete one of the main session, else any complete
/// one, else the one that saw the most.
fn listed(parts: &Parts, method: &str, main: Option<u32>) -> Vec<Listed> {
    let rank = |walk: &ListWalk| {
        let seen: usize = walk.pages.iter().map(|page| page.keys.len()).sum();
        (walk.complete, Some(walk.session) == main, if walk.complete { 0 } else { seen })
    };
    let mut best: Option<&ListWalk> = None;
    for walk in parts.lists.iter().filter(|walk| &*walk.method == method) {
        // Strictly better only: of equal walks the first counts.
        if best.is_none_or(|best| rank(walk) > rank(best)) {
            best = Some(walk);
        }
    }
    let (Some(walk), Some((member, _))) = (best, wire::key_of_list(method)) else {
        return Vec::new();
    };
    let mut listed = Vec::new();
    for page in &walk.pages {
        let exchange = &parts.exchanges[page.exchange];
        let records = exchange.result().and_then(|result| result.get(member)?.as_array());
        for (index, record) in records.into_iter().flatten().enumerate() {
            listed.push(Listed {
                record: Arc::new(record.clone()),
                seq: exchange.answer_seq.unwrap_or(exchange.seq),
                pointer: format!("/result/{member}/{index}"),
            });
        }
    }
    listed
}

fn tool(Listed { record, seq, pointer }: Listed) -> Tool {
    Tool {
        name: text_of(&record, "name"),
        description: text_of(&record, "description"),
        input: Arc::new(record.get("inputSchema").cloned().unwrap_or_default()),
        output: record.get("outputSchema").map(|schema| Arc::new(schema.clone())),
        annotations: record.get("annotations").and_then(Value::as_object).cloned(),
        record,
        seq,
        pointer,
    }
}

fn text_of(record: &Value, member: &str) -> String {
    record.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}
