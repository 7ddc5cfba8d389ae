//! A link: frames in and out of one target, whatever the transport.

use std::fmt;

use thiserror::Error;
use tokio::time::{Instant, sleep_until};

use super::http::HttpLink;
use super::stdio::StdioLink;
use super::{Limits, TargetSpec};

/// An open connection to a target. Knows nothing of JSON-RPC: a frame is bytes.
#[derive(Debug)]
pub enum Link {
    /// Standard streams of a child process.
    Stdio(StdioLink),
    /// A streamable HTTP endpoint.
    Http(HttpLink),
}

/// Why a link could not be opened.
#[derive(Debug, Error)]
pub enum LinkError {
    /// The command could not be started.
    #[error("start `{command}`: {source}")]
    Start {
        /// The program.
        command: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The URL cannot be used.
    #[error("use the URL: {reason}")]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// A header cannot be sent.
    #[error("use the header {name:?}: {reason}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The HTTP client could not be set up.
    #[error("set up the HTTP client: {0}")]
    Client(String),
}

/// What arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// One message, or a line that should have been one, without its line end.
    Frame {
        /// The bytes.
        bytes: Vec<u8>,
        /// HTTP exchange that carried it.
        exchange: Option<u64>,
    },
    /// The head of an HTTP response.
    HttpHead {
        /// Which exchange.
        exchange: u64,
        /// Status code.
        status: u16,
        /// All headers, unredacted.
        headers: Vec<(String, String)>,
    },
    /// An HTTP response is over; no more frames come from this exchange.
    HttpEnd {
        /// Which exchange.
        exchange: u64,
        /// What broke it, when it did not end by itself.
        broken: Option<String>,
    },
    /// The link is gone; nothing more comes.
    Closed(Ending),
    /// Nothing arrived until the deadline.
    Quiet,
}

/// How a link ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The process exited by itself.
    Exited {
        /// Exit status.
        code: i32,
    },
    /// The process was ended by a signal.
    Signalled {
        /// Signal number.
        signal: i32,
    },
    /// The process lives but closed its standard output.
    OutputClosed,
    /// A frame was longer than the limit.
    FrameTooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// More bytes arrived than the limit allows.
    TooManyBytes {
        /// The limit, in bytes.
        limit: u64,
    },
    /// More frames arrived while one request was open than the limit allows.
    Flood {
        /// The limit.
        limit: u32,
    },
    /// Neither a request nor the question whether the target is still there was answered.
    Hung,
    /// Several requests and the question whether the target is still there got nothing that is an
    /// answer to them.
    Unreadable,
    /// The connection broke, or could not be made.
    Broken {
        /// In words.
        reason: String,
    },
    /// A fault rule closed it.
    Fault,
    /// Hallmark closed it.
    Ours,
}

impl Ending {
    /// Whether one of hallmark's limits ended the link, rather than the target.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Ending::FrameTooLong { .. } | Ending::TooManyBytes { .. } | Ending::Flood { .. }
        )
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exited { code } => write!(f, "the process exited with status {code}"),
            Ending::Signalled { signal } => write!(f, "the process was ended by signal {signal}"),
            Ending::OutputClosed => f.write_str("the process closed its standard output"),
            Ending::FrameTooLong { limit } => {
                write!(f, "a message was longer than the limit of {limit} bytes")
            }
            Ending::TooManyBytes { limit } => {
                write!(f, "the session sent more than the limit of {limit} bytes")
            }
            Ending::Flood { limit } => {
                write!(f, "more than {limit} messages arrived while one request was open")
            }
            Ending::Hung => f.write_str("the target answers nothing any more, and was ended"),
            Ending::Unreadable => {
                f.write_str("nothing that the target says is an answer, and it was ended")
            }
            Ending::Broken { reason } => write!(f, "the connection broke: {reason}"),
            Ending::Fault => f.write_str("a fault rule closed the connection"),
            Ending::Ours => f.write_str("the session was closed"),
        }
    }
}

/// The head of an HTTP request that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// HTTP exchange number within the link, from 0.
    pub exchange: u64,
    /// HTTP method.
    pub method: &'static str,
    /// Every header that hallmark itself sets, unredacted.
    pub headers: Vec<(String, String)>,
}

/// What the routing headers of an HTTP request mirror from the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routing {
    /// `MCP-Protocol-Version`.
    pub revision: Option<String>,
    /// `Mcp-Method` (2026-07-28).
    pub method: Option<String>,
    /// `Mcp-Name` (2026-07-28).
    pub name: Option<String>,
    /// `Mcp-Param-*` (2026-07-28): name part and value.
    pub params: Vec<(String, String)>,
}

/// Ends at a deadline, and at once when that has passed: timers tick by the millisecond, which is
/// longer than most servers take to answer.
pub(super) async fn reached(deadline: Instant) {
    if Instant::now() < deadline {
        sleep_until(deadline).await;
    }
}

impl Link {
    /// Opens a link. A child is started; an endpoint is only looked at, not contacted.
    ///
    /// # Errors
    /// [`LinkError`] when the command cannot be started or the URL or a header cannot be used.
    pub fn open(spec: &TargetSpec, limits: &Limits) -> Result<Link, LinkError> {
        match spec {
            TargetSpec::Stdio { command, args, env, cwd } => {
                StdioLink::open(command, args, env, cwd.as_deref(), limits).map(Link::Stdio)
            }
            TargetSpec::Http { url, headers } => {
                HttpLink::open(url, headers, limits).map(Link::Http)
            }
        }
    }

    /// The head under which the next frame will travel; nothing over stdio.
    pub fn head(&mut self, routing: &Routing) -> Option<RequestHead> {
        match self {
            Link::Stdio(_) => None,
            Link::Http(link) => Some(link.head(routing)),
        }
    }

    /// Sends one frame: over stdio as a line, over HTTP as the body of a POST with the given head.
    /// A target that is gone is not an error here; [`Link::next`] says so.
    pub async fn send(&mut self, head: Option<&RequestHead>, frame: &[u8]) {
        match (self, head) {
            (Link::Stdio(link), _) => link.send(frame).await,
            (Link::Http(link), Some(head)) => link.send(head, frame),
            (Link::Http(_), None) => debug_assert!(false, "an HTTP frame needs a head"),
        }
    }

    /// The next thing that arrives, or [`Incoming::Quiet`] at the deadline.
    pub async fn next(&mut self, deadline: Instant) -> Incoming {
        match self {
            Link::Stdio(link) => link.next(deadline).await,
            Link::Http(link) => link.next(deadline).await,
        }
    }

    /// Begins the end: over stdio the child's standard input is closed (what it still says can be
    /// read with [`Link::next`] until [`Incoming::Closed`]); over HTTP the open streams are dropped.
    pub fn begin_close(&mut self) {
        match self {
            Link::Stdio(link) => link.begin_close(),
            Link::Http(link) => link.begin_close(),
        }
    }

    /// Presses for the end: over stdio the process group is asked to terminate.
    pub fn terminate(&mut self) {
        if let Link::Stdio(link) = self {
            link.terminate();
        }
    }

    /// Gives up waiting for an HTTP response; over stdio there is nothing to give up.
    pub fn abandon(&mut self, exchange: u64) {
        if let Link::Http(link) = self {
            link.abandon(exchange);
        }
    }

    /// The head of the GET that opens the stream of server messages, when the transport has one.
    pub fn listen_head(&mut self, routing: &Routing) -> Option<RequestHead> {
        match self {
            Link::Stdio(_) => None,
            Link::Http(link) => Some(link.listen_head(routing)),
        }
    }

    /// The head of the DELETE that ends the server's session, when there is one.
    pub fn delete_head(&mut self, routing: &Routing) -> Option<RequestHead> {
        match self {
            Link::Http(link) if link.session_id().is_some() => Some(link.delete_head(routing)),
            _ => None,
        }
    }

    /// Ends it for good, within 1.5 seconds over stdio, and gives the tail of standard error.
    /// Nothing that the target started in its process group survives.
    pub async fn close(self) -> String {
        match self {
            Link::Stdio(link) => link.close().await,
            Link::Http(_) => String::new(),
        }
    }
}
