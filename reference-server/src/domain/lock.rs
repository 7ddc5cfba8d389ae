//! To come.

use super::failure::Failure;
use super::input::SetIssueLock;
use super::output::LockState;
use super::service::Domain;

impl Domain {
    /// To come.
    pub fn set_issue_lock(&self, _: &SetIssueLock) -> Result<LockState, Failure> {
        unimplemented!("lands with the next slice")
    }
}
