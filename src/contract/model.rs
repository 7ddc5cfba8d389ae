//! The contract model.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CallView, Exchange, FrameFault, Garbage, HttpExchange, Index, Stray};
use crate::capture::{End, Header};
use crate::schema::{SchemaFault, Validator, Validators};
use crate::wire::Revision;

/// Everything that a capture says about a server. The default is what an empty capture says.
#[derive(Debug, Clone, Default)]
pub struct Contract {
    /// The first event's facts; absent in foreign captures.
    pub header: Option<Header>,
    /// The last event's facts; absent in a truncated or foreign capture.
    pub end: Option<End>,
    /// Total events read.
    pub events: u64,
    /// Sequence number of the last event.
    pub last_seq: u64,
    /// Microseconds from the first to the last event.
    pub wall_us: u64,
    /// The revision that the main session spoke.
    pub revision: Option<Revision>,
    /// Who the server says it is.
    pub identity: Identity,
    /// Tools of the first complete walk (or of what was seen of it), in list order.
    pub tools: Vec<Tool>,
    /// Resources, in list order.
    pub resources: Vec<Resource>,
    /// Resource templates, in list order.
    pub templates: Vec<Template>,
    /// Prompts, in list order.
    pub prompts: Vec<Prompt>,
    /// Every walk of a native list method, in order.
    pub lists: Vec<ListWalk>,
    /// Every client request, in order.
    pub exchanges: Vec<Exchange>,
    /// The capability summary: every surface that carries one.
    pub summary: Summary,
    /// Sessions, by number.
    pub sessions: Vec<Session>,
    /// Everything from the server that answers no request: notifications aside, that is noise,
    /// responses nobody asked for, and requests of the server's own.
    pub strays: Vec<Stray>,
    /// What is wrong with the frames of server messages, whatever they carry.
    pub frame_faults: Vec<FrameFault>,
    /// Lines that hallmark sent and that are no JSON-RPC message: probes with garbage.
    pub garbage: Vec<Garbage>,
    /// HTTP exchanges, in order of their requests.
    pub http: Vec<HttpExchange>,
    /// Strays and frame faults that were counted and not kept, because a server sent too many.
    pub left_out: u64,
    /// Schemas compiled so far; see [`Contract::validator`].
    pub schemas: Validators,
    /// Where tools, calls and the rest are, for the look-ups below.
    pub index: Index,
}

/// Who the server says it is.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// `serverInfo.name`.
    pub name: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// The `capabilities` object (null when nothing was seen).
    pub capabilities: Value,
    /// `instructions`.
    pub instructions: Option<String>,
    /// Supported revisions as the server listed them (2026-07-28).
    pub supported: Vec<String>,
    /// Sequence numbers of the exchange that said so.
    pub seq: Vec<u64>,
}

/// One listed tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// `name`.
    pub name: String,
    /// `description`, empty when absent.
    pub description: String,
    /// `inputSchema` (null when absent).
    pub input: Arc<Value>,
    /// `outputSchema`.
    pub output: Option<Arc<Value>>,
    /// `annotations`.
    pub annotations: Option<Map<String, Value>>,
    /// The whole record as listed.
    pub record: Arc<Value>,
    /// Sequence number of the list result.
    pub seq: u64,
    /// JSON pointer of the record in that message, such as `/result/tools/0`.
    pub pointer: String,
}

impl Tool {
    /// A hint, when it is an explicit boolean.
    pub fn hint(&self, name: &str) -> Option<bool> {
        self.annotations.as_ref()?.get(name)?.as_bool()
    }

    /// `readOnlyHint: true`.
    pub fn is_read_only(&self) -> bool {
        self.hint("readOnlyHint") == Some(true)
    }
}

/// One listed resource.
#[derive(Debug, Clone)]
pub struct Resource {
    /// `uri`.
    pub uri: String,
    /// The record as listed.
    pub record: Arc<Value>,
    /// Sequence number of the list result.
    pub seq: u64,
    /// JSON pointer of the record.
    pub pointer: String,
}

/// One listed resource template.
#[derive(Debug, Clone)]
pub struct Template {
    /// `uriTemplate`.
    pub uri_template: String,
    /// The record as listed.
    pub record: Arc<Value>,
    /// Sequence number of the list result.
    pub seq: u64,
    /// JSON pointer of the record.
    pub pointer: String,
}

/// One listed prompt.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// `name`.
    pub name: String,
    /// The record as listed.
    pub record: Arc<Value>,
    /// Sequence number of the list result.
    pub seq: u64,
    /// JSON pointer of the record.
    pub pointer: String,
}

/// One walk of a native list method: from a request without a cursor to the end.
#[derive(Debug, Clone)]
pub struct ListWalk {
    /// The list method.
    pub method: Arc<str>,
    /// Session number.
    pub session: u32,
    /// Its pages, in order.
    pub pages: Vec<ListPage>,
    /// Whether the last page had no `nextCursor`; an incomplete walk supports no absence.
    pub complete: bool,
}

/// One page of a walk.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// Index into [`Contract::exchanges`].
    pub exchange: usize,
    /// Record keys (name or uri), in order.
    pub keys: Vec<String>,
    /// `nextCursor` as it was, of any type.
    pub next_cursor: Option<Value>,
}

/// Every surface that carries a capability summary.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// What was found, `instructions` included.
    pub carriers: Vec<Carrier>,
    /// Surfaces that may carry one and were not read (names or uris).
    pub unread: Vec<String>,
    /// Listed resources and askable tools (read-only, no argument needed) that do not look like a
    /// summary and were not read either.
    pub untried: Vec<String>,
}

/// Where a carrier was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarrierKind {
    /// The advisory `instructions` string.
    Instructions,
    /// A resource body.
    Resource,
    /// The result of a read-only tool called without arguments.
    Tool,
}

/// One surface that carries the summary.
#[derive(Debug, Clone)]
pub struct Carrier {
    /// What it is.
    pub kind: CarrierKind,
    /// `instructions`, the uri, or the tool's name.
    pub name: String,
    /// The text as carried.
    pub text: String,
    /// The text parsed, when it is JSON (or the structured content of the tool result).
    pub json: Option<Value>,
    /// Sequence numbers of the exchange.
    pub seq: Vec<u64>,
    /// JSON pointer of the carrier in the answer.
    pub pointer: String,
}

/// One session of the capture.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// Number.
    pub number: u32,
    /// The revision that its requests carried or that its handshake agreed.
    pub revision: Option<Revision>,
    /// Whether the server accepted that revision: by a handshake, or by answering a request that
    /// carried it with a result. Otherwise it is only what requests asked for.
    pub agreed: bool,
    /// Whether the transport is streamable HTTP.
    pub http: bool,
    /// `transport-abort`: sequence number and words.
    pub died: Option<(u64, String)>,
    /// Whether `transport-close` was seen.
    pub closed: bool,
    /// Index into [`Contract::exchanges`] of the `server/discover` or `initialize` request whose
    /// result introduced the server in this session; `None` when there was none.
    pub introduction: Option<usize>,
}

impl Contract {
    /// The exchange of a request, by the sequence number of the request.
    pub fn exchange_at(&self, seq: u64) -> Option<&Exchange> {
        let found = self.exchanges.binary_search_by_key(&seq, |exchange| exchange.seq);
        found.ok().map(|index| &self.exchanges[index])
    }

    /// The session of a number.
    pub fn session(&self, number: u32) -> Option<&Session> {
        let found = self.sessions.binary_search_by_key(&number, |session| session.number);
        found.ok().map(|index| &self.sessions[index])
    }

    /// The HTTP exchange that carried a request.
    pub fn http_of(&self, exchange: &Exchange) -> Option<&HttpExchange> {
        let found = self.index.http(self, exchange.session, exchange.http?)?;
        self.http.get(found)
    }

    /// The tool of a name; of several, the one that is listed first.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(self.index.tool(self, name)?)
    }

    /// Every call of a listed tool, in order.
    pub fn calls_of(&self, tool: &str) -> impl Iterator<Item = &Exchange> {
        let tool = self.index.tool(self, tool);
        let calls = tool.map(|tool| self.index.calls(self, tool)).unwrap_or_default();
        calls.iter().map(|call| &self.exchanges[*call])
    }

    /// Every request of a session, in order.
    pub fn exchanges_of(&self, session: u32) -> impl Iterator<Item = &Exchange> {
        let within = self.index.within(self, session);
        within.into_iter().flat_map(|w| &w.exchanges).map(|at| &self.exchanges[*at])
    }

    /// Everything from the server in a session that answers no request, in order.
    pub fn strays_of(&self, session: u32) -> impl DoubleEndedIterator<Item = &Stray> {
        let within = self.index.within(self, session);
        within.into_iter().flat_map(|w| &w.strays).map(|at| &self.strays[*at])
    }

    /// Every HTTP exchange of a session, in order.
    pub fn http_in(&self, session: u32) -> impl Iterator<Item = &HttpExchange> {
        let within = self.index.within(self, session);
        within.into_iter().flat_map(|w| &w.http).map(|at| &self.http[*at])
    }

    /// A number for every exchange, by position: exchanges with one number have equal requests and
    /// answers, in the same part (before or after its introduction) of the same session.
    pub fn alike(&self) -> &[u32] {
        self.index.alike(self)
    }

    /// The compiled form of a schema of this contract, each compiled once.
    pub fn validator(&self, schema: &Arc<Value>) -> Result<Arc<Validator>, SchemaFault> {
        self.schemas.of(schema)
    }

    /// Every `tools/call` exchange.
    pub fn calls(&self) -> impl Iterator<Item = CallView<'_>> {
        self.exchanges.iter().filter_map(|exchange| self.call(exchange))
    }

    /// An exchange as a call, when it is one.
    pub fn call<'a>(&'a self, exchange: &'a Exchange) -> Option<CallView<'a>> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        if &*exchange.method != "tools/call" {
            return None;
        }
        let name = exchange.called().unwrap_or_default();
        let arguments = match exchange.params.get("arguments") {
            None => Some(&*EMPTY),
            Some(arguments) => arguments.as_object(),
        };
        Some(CallView { exchange, name, tool: self.tool(name), arguments })
    }

    /// The first complete walk of a list method.
    pub fn complete_walk(&self, method: &str) -> Option<&ListWalk> {
        self.lists.iter().find(|walk| &*walk.method == method && walk.complete)
    }

    /// Scenario parameters; empty without a scenario.
    pub fn params(&self) -> &Map<String, Value> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.header
            .as_ref()
            .and_then(|header| header.scenario.as_ref())
            .map_or(&EMPTY, |scenario| &scenario.params)
    }

    /// The revision that binds one exchange: the one that its request carries, else the one of
    /// its session.
    pub fn revision_of(&self, exchange: &Exchange) -> Option<Revision> {
        exchange.stated_revision().or_else(|| self.session(exchange.session)?.revision)
    }

    /// The revision that an exchange can be held against: one that the server accepted. None for
    /// requests before the handshake of their session, for requests of the stateless era in a
    /// session that shook hands, and for requests of a stateless session that name no revision:
    /// there a server that speaks both eras may read them either way.
    pub fn settled_revision(&self, exchange: &Exchange) -> Option<Revision> {
        let session = self.session(exchange.session).filter(|session| session.agreed)?;
        let revision = session.revision?;
        if revision.is_stateless() {
            return exchange.stated_revision();
        }
        let introduction = self.exchanges.get(session.introduction?)?;
        let is_later = exchange.seq >= introduction.seq;
        (is_later && exchange.stated_revision().is_none()).then_some(revision)
    }

    /// Whether schema-valid calls of mutating tools were allowed.
    pub fn mutations_allowed(&self) -> bool {
        self.header.as_ref().is_some_and(|header| header.permissions.mutations)
    }
}
