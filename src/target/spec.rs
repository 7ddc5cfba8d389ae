//! What is to be driven, and within which limits.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::capture::Transport;

/// A live target.
#[derive(Clone, PartialEq, Eq)]
pub enum TargetSpec {
    /// A command that speaks MCP on its standard streams.
    Stdio {
        /// Program, looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it is given beside the inherited ones (see
        /// [`inherited_environment`](super::inherited_environment)).
        env: Vec<(String, String)>,
        /// Working directory; absent means that of hallmark.
        cwd: Option<PathBuf>,
    },
    /// A streamable HTTP endpoint.
    Http {
        /// The MCP endpoint.
        url: String,
        /// Headers sent with every request, such as `Authorization`.
        headers: Vec<(String, String)>,
    },
}

impl TargetSpec {
    /// The transport under it.
    pub fn transport(&self) -> Transport {
        match self {
            TargetSpec::Stdio { .. } => Transport::Stdio,
            TargetSpec::Http { .. } => Transport::StreamableHttp,
        }
    }

    /// The command line or the URL. May hold secrets: redact before showing.
    pub fn name(&self) -> String {
        match self {
            TargetSpec::Stdio { command, args, .. } => {
                let words: Vec<&str> = std::iter::once(command).chain(args).map(|s| &**s).collect();
                words.join(" ")
            }
            TargetSpec::Http { url, .. } => url.clone(),
        }
    }
}

/// Values of variables and headers are never shown.
impl fmt::Debug for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |pairs: &[(String, String)]| -> Vec<String> {
            pairs.iter().map(|(name, _)| name.clone()).collect()
        };
        match self {
            TargetSpec::Stdio { command, args, env, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &names(env))
                .field("cwd", cwd)
                .finish(),
            TargetSpec::Http { headers, .. } => {
                f.debug_struct("Http").field("headers", &names(headers)).finish_non_exhaustive()
            }
        }
    }
}

/// Limits on what a target may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for the answer to a request.
    pub request: Duration,
    /// Longest wait for the very first answer of a process: package runners download first.
    pub cold_start: Duration,
    /// Longest wait for the answer to `server/discover` before the handshake is tried; a server
    /// of a handshake era may stay silent.
    pub probe: Duration,
    /// Longest wait for a sign of life after a request was left unanswered.
    pub alive: Duration,
    /// Longest single message, in bytes.
    pub frame_bytes: usize,
    /// Most bytes of all messages of one session.
    pub session_bytes: u64,
    /// Most bytes of all messages of a run: its capture is read into memory to be judged.
    pub run_bytes: u64,
    /// Longest time that a run may take.
    pub run: Duration,
    /// Most messages that may arrive while one request is open.
    pub frames_per_request: u32,
    /// How much of the end of standard error is kept, in bytes.
    pub stderr_tail: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            request: Duration::from_secs(30),
            cold_start: Duration::from_secs(60),
            probe: Duration::from_secs(15),
            alive: Duration::from_secs(10),
            frame_bytes: 16 << 20,
            session_bytes: 128 << 20,
            run_bytes: 128 << 20,
            run: Duration::from_secs(600),
            frames_per_request: 10_000,
            stderr_tail: 8 << 10,
        }
    }
}
