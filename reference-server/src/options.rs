//! How a reference server is started, and why it does not start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::domain::{Clock, ClockError, Credential, OpenError, Options};

/// A bundled contract, by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contract {
    /// `github-issues`: eight tools over the issues of a few repositories.
    #[default]
    GithubIssues,
}

impl Contract {
    /// Every bundled contract.
    pub const ALL: &[Contract] = &[Contract::GithubIssues];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Contract::GithubIssues => "github-issues",
        }
    }
}

/// A contract name that no bundled server has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no bundled contract is named {0:?}; the contracts are: {list}", list = names())]
pub struct UnknownContract(String);

fn names() -> String {
    Contract::ALL.iter().map(|contract| contract.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Contract {
    type Err = UnknownContract;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Contract::ALL
            .iter()
            .copied()
            .find(|contract| contract.name() == name)
            .ok_or_else(|| UnknownContract(name.to_owned()))
    }
}

/// What to serve, where, and in which mode. The default is the `github-issues` contract over stdio, in memory.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The contract to serve.
    pub contract: Contract,
    /// Database file that keeps the state; in memory when absent.
    pub db: Option<PathBuf>,
    /// Address for streamable HTTP, port 0 for a free one; stdio when absent.
    pub http: Option<SocketAddr>,
    /// Standing of the credential towards GitHub.
    pub credential: Credential,
    /// Answer `rate_limited` to every call.
    pub throttle: bool,
    /// Answer `upstream_unavailable` to every call.
    pub outage: bool,
    /// RFC 3339 instant at which the clock stands; the system's clock when absent.
    pub fixed_clock: Option<String>,
    /// By how much the clock moves forward after each call; not at all when absent.
    pub clock_step: Option<Duration>,
    /// How long a cursor works at least, and up to a fifteenth, at most a minute, longer; 15 minutes when absent.
    pub cursor_ttl: Option<Duration>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            contract: Contract::default(),
            db: None,
            http: None,
            credential: Credential::Valid,
            throttle: false,
            outage: false,
            fixed_clock: None,
            clock_step: None,
            cursor_ttl: None,
        }
    }
}

impl ServeOptions {
    /// The part that the domain is opened with.
    pub(crate) fn domain(&self) -> Result<Options, ServeError> {
        let mut clock = match &self.fixed_clock {
            Some(instant) => Clock::fixed_at(instant)?,
            None => Clock::system(),
        };
        if let Some(step) = self.clock_step {
            clock = clock.with_step(step);
        }
        let defaults = Options::default();
        Ok(Options {
            db: self.db.clone(),
            clock,
            credential: self.credential,
            throttle: self.throttle,
            outage: self.outage,
            cursor_ttl: self.cursor_ttl.unwrap_or(defaults.cursor_ttl),
        })
    }
}

/// Why a server did not start or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The fixed clock is not an instant.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// The store cannot be opened or written.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address cannot be bound: in use, not of this machine, or not permitted.
    #[error("listen on {address}: {cause}; choose another port, or 0 for a free one")]
    Bind {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        cause: std::io::Error,
    },
    /// Signals cannot be received, or the HTTP listener failed while serving.
    #[error("serve: {0}")]
    Io(#[from] std::io::Error),
}
