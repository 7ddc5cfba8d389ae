//! One event of a capture: one line of the file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{End, Header, Step};

/// Which party sent what the event shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From hallmark (or the recorded host) to the target.
    ClientToServer,
    /// From the target.
    ServerToClient,
}

/// The transport under the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Newline-delimited messages on a child's standard streams.
    Stdio,
    /// Streamable HTTP.
    StreamableHttp,
}

/// Which of the three event shapes a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A JSON-RPC message (or a line that should have been one) in `payload`.
    Message,
    /// An HTTP request line or response head in `method`, `status`, `headers`.
    Http,
    /// A moment in the life of a transport in `event`.
    Lifecycle,
}

/// A moment in the life of a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifecycle {
    /// The child was started, or the endpoint is about to be used.
    TransportOpen,
    /// The session ended as hallmark asked for.
    TransportClose,
    /// The target ended it: exit, closed stream, broken connection. `detail` says how.
    TransportAbort,
}

/// One line of a capture. Members up to `event` are those of the published trace format of
/// `mcp-trace-validator`; the rest are extra members that it ignores.
///
/// `payload` is the JSON text as it crossed the wire (after redaction), so that duplicate keys and
/// the spelling of numbers survive; a line that is not JSON is a JSON string there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event<'a> {
    /// Position in the capture, strictly increasing: the only ordering authority.
    pub seq: u64,
    /// Who sent it.
    pub direction: Direction,
    /// Over what.
    pub transport: Transport,
    /// Which of the following members are there.
    pub kind: Kind,
    /// The message (kind `message`).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<&'a RawValue>,
    /// HTTP request method (kind `http`, client to server).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Cow<'a, str>>,
    /// HTTP response status (kind `http`, server to client).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// HTTP headers, lower-case names, allow-listed (kind `http`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// The moment (kind `lifecycle`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Lifecycle>,
    /// Number of the session (process or HTTP endpoint use) within the capture, from 0.
    #[serde(default)]
    pub session: u32,
    /// Microseconds since the start of the capture.
    #[serde(default)]
    pub t_us: u64,
    /// Flow and case that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// Streamable HTTP: which HTTP exchange of the session carried it, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// The exact line when `payload` cannot hold it: bad UTF-8 has replacement characters there
    /// and `\xNN` for every byte outside ASCII here.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Cow<'a, str>>,
    /// How a transport ended, in words (kind `lifecycle`).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Cow<'a, str>>,
    /// On the first event only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hallmark: Option<Box<Header>>,
    /// On the last event only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Box<End>>,
}

impl<'a> Event<'a> {
    /// An event of the given kind with every optional member absent.
    pub fn new(seq: u64, direction: Direction, transport: Transport, kind: Kind) -> Self {
        Event {
            seq,
            direction,
            transport,
            kind,
            payload: None,
            method: None,
            status: None,
            headers: None,
            event: None,
            session: 0,
            t_us: 0,
            step: None,
            exchange: None,
            raw: None,
            detail: None,
            hallmark: None,
            end: None,
        }
    }
}
