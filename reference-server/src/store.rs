//! The domain, opened when it is first needed.
//!
//! Discovery does not need stored issues, so a server in memory answers it before the seed is laid.

use std::sync::{Arc, Once, OnceLock};

use crate::domain::{Code, Domain, Failure, OpenError, Options};

/// A domain that opens itself once.
pub struct Store {
    options: Options,
    domain: OnceLock<Result<Domain, OpenError>>,
    soon: Once,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Store {
    /// A store that is not open yet.
    pub fn new(options: Options) -> Self {
        Self { options, domain: OnceLock::new(), soon: Once::new() }
    }

    /// Opens now, on the calling thread, and says why that fails.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let domain = Domain::open(options.clone())?;
        Ok(Self { options, domain: OnceLock::from(Ok(domain)), soon: Once::new() })
    }

    /// The domain for a call that the upstream does not refuse unseen; a refusal leaves the store unopened.
    pub fn admitting(&self) -> Result<&Domain, Failure> {
        self.options.check_upstream()?;
        self.domain()
    }

    /// Whether the credential sees any repository at all.
    pub fn shows_names(&self) -> bool {
        self.options.check_credential().is_ok()
    }

    /// Opens in the background, once: a peer that has discovered the server is about to call it. Not before, because
    /// laying the seed takes longer than everything that discovery needs.
    pub fn open_soon(self: &Arc<Self>) {
        if self.options.check_upstream().is_err() {
            return;
        }
        self.soon.call_once(|| {
            let store = self.clone();
            let opening = std::thread::Builder::new().name("seed".to_owned());
            // Without a thread the first call opens.
            let _ = opening.spawn(move || drop(store.domain()));
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Credential;

    #[test]
    fn a_server_that_refuses_every_call_lays_no_seed() {
        let refusing = [
            Options { credential: Credential::Missing, ..Options::default() },
            Options { credential: Credential::Invalid, ..Options::default() },
            Options { throttle: true, ..Options::default() },
            Options { outage: true, ..Options::default() },
        ];
        for options in refusing {
            let store = Arc::new(Store::new(options));
            store.open_soon();
            assert!(store.admitting().is_err(), "{store:?}");
            assert!(!store.soon.is_completed() && store.domain.get().is_none(), "{store:?}");
        }
        let reading = Options { credential: Credential::ReadOnly, ..Options::default() };
        let store = Store::new(reading);
        assert!(store.admitting().is_ok() && store.domain.get().is_some());
    }
}
