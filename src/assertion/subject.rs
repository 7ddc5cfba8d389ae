//! What a check looks at: one subject at a time, enumerated by the engine.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::contract::{
    CallView, Exchange, HttpExchange, ListWalk, Prompt, Resource, Session, Stray, Template, Tool,
};

/// The kinds of subjects, as `each:` names them in an assertion file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// The whole contract, once, when at least one tool is listed.
    Catalog,
    /// The whole contract, once, whatever is in it.
    Contract,
    /// Every listed tool.
    Tool,
    /// Every tool whose output schema or observed result has an array of objects.
    ToolWithListResult,
    /// Every tool with a detail property (DETAIL of the rule registry).
    ToolWithDetail,
    /// Every listed resource.
    Resource,
    /// Every listed template.
    Template,
    /// Every listed prompt.
    Prompt,
    /// Every `resources/read` answered by a result.
    ResourceResult,
    /// Every `prompts/get` answered by a result.
    PromptResult,
    /// Every `tools/call` of a listed tool that got any answer.
    Call,
    /// Every `tools/call` of a listed tool, answered or not.
    AnyCall,
    /// Every `tools/call` answered by a result with `isError: true`.
    ErrorResult,
    /// Every `tools/call` of a listed tool, with object arguments, answered by a success.
    SuccessResult,
    /// Every failure in either carrier: an error result, or a JSON-RPC error with an envelope.
    Failure,
    /// Every `tools/call` of a listed tool whose object arguments break its input schema and which
    /// was answered.
    ArgumentFailure,
    /// Every JSON-RPC error.
    RpcError,
    /// Every failed `resources/read`.
    ResourceError,
    /// Every walk of a native list.
    NativeList,
    /// Every request.
    Exchange,
    /// Every distinct result: the first exchange of each combination of session revision, method
    /// and result payload. Equal payloads are looked at once.
    DistinctResult,
    /// Every session.
    Session,
    /// Every notification from the server.
    Notification,
    /// Every request from the server.
    ServerRequest,
    /// Every HTTP exchange.
    HttpExchange,
    /// Every case of the flow `repair`.
    RepairCase,
    /// Every case of the flow `defaults`.
    DefaultsCase,
    /// Every case of the flow `detail`.
    DetailCase,
    /// Every case of the flow `pages`.
    PagesCase,
    /// Every case of the flow `idempotency`.
    IdempotencyCase,
    /// Every case of the flow `read_only`.
    ReadOnlyCase,
    /// Every written case of the scenario.
    ExpectedCase,
}

/// One subject.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// How a finding names it: a tool, a case, a method.
    pub name: String,
    /// Sequence numbers that show it; the last one is what `pointer` points into.
    pub seq: Vec<u64>,
    /// JSON pointer of `value` in the last of these messages.
    pub pointer: String,
    /// What `jq`, `schema` and `regex` checks look at.
    pub value: Cow<'a, Value>,
    /// The typed thing, for built-in checks.
    pub of: Of<'a>,
    /// A number that it shares with every subject of its kind that has equal values: name, value,
    /// request, answer, and part of the session. Without one, nothing is known to equal it.
    pub alike: Option<u32>,
}

/// The typed thing behind a subject.
#[derive(Debug, Clone)]
pub enum Of<'a> {
    /// The whole contract.
    Contract,
    /// A tool.
    Tool(&'a Tool),
    /// A resource.
    Resource(&'a Resource),
    /// A template.
    Template(&'a Template),
    /// A prompt.
    Prompt(&'a Prompt),
    /// A call.
    Call(CallView<'a>),
    /// Any exchange.
    Exchange(&'a Exchange),
    /// A walk of a native list.
    Walk(&'a ListWalk),
    /// A session.
    Session(&'a Session),
    /// Something from the server that answers no request.
    Stray(&'a Stray),
    /// An HTTP exchange.
    Http(&'a HttpExchange),
    /// All exchanges of one case, in order.
    Case(Vec<&'a Exchange>),
}
