//! How a domain is started. Owns the start options; refuses to read them from anywhere.

use std::path::PathBuf;
use std::time::Duration;

use super::clock::Clock;
use super::failure::Failure;

/// What a [`super::Domain`] is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database file to keep the store in; `None` keeps it in memory.
    pub db: Option<PathBuf>,
    /// The source of time.
    pub clock: Clock,
    /// The standing of the upstream credential that the server acts with.
    pub credential: Credential,
    /// Every operation answers `rate_limited`.
    pub throttle: bool,
    /// Every operation answers `upstream_unavailable`.
    pub outage: bool,
    /// How long a cursor works at least after it was issued; up to a fifteenth, at most a minute, longer.
    pub cursor_ttl: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            db: None,
            clock: Clock::system(),
            credential: Credential::Valid,
            throttle: false,
            outage: false,
            cursor_ttl: Duration::from_secs(15 * 60),
        }
    }
}

impl Options {
    /// What the upstream refuses before it looks at the call. Asks no store, so that a server whose every answer is a
    /// refusal never lays the seed.
    pub fn check_upstream(&self) -> Result<(), Failure> {
        self.check_credential()?;
        if self.throttle {
            return Err(Failure::rate_limited());
        }
        if self.outage {
            return Err(Failure::upstream_unavailable());
        }
        Ok(())
    }

    /// What the upstream says of the credential alone.
    pub fn check_credential(&self) -> Result<(), Failure> {
        match self.credential {
            Credential::Missing => Err(Failure::missing_credential()),
            Credential::Invalid => Err(Failure::invalid_credential()),
            Credential::Valid | Credential::ReadOnly => Ok(()),
        }
    }
}

/// The standing of the credential towards the upstream service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// May read and write.
    Valid,
    /// None is configured: everything answers `missing_credential`.
    Missing,
    /// The upstream rejects it: everything answers `invalid_credential`.
    Invalid,
    /// May read; what writes answers `insufficient_scope`.
    ReadOnly,
}
