//! The domain, opened when it is first needed.
//!
//! Discovery does not need stored issues, so a server in memory answers it while the seed is still being laid.

use std::sync::OnceLock;

use crate::domain::{Code, Domain, Failure, OpenError, Options};

/// A domain that opens itself once.
pub struct Store {
    options: Options,
    domain: OnceLock<Result<Domain, OpenError>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Store {
    /// A store that is not open yet.
    pub fn new(options: Options) -> Self {
        Self { options, domain: OnceLock::new() }
    }

    /// Opens now, on the calling thread, and says why that fails.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let domain = Domain::open(options.clone())?;
        Ok(Self { options, domain: OnceLock::from(Ok(domain)) })
    }

    /// The domain; waits while another thread opens it.
    pub fn domain(&self) -> Result<&Domain, Failure> {
        let domain = self.domain.get_or_init(|| Domain::open(self.options.clone()));
        domain.as_ref().map_err(|_| {
            let mut failure = Failure::new(
                Code::UpstreamUnavailable,
                "The store cannot be opened; nothing was done.",
            );
            failure.retry_after_ms = Some(5_000);
            failure
        })
    }
}
