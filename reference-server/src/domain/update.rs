//! To come.

use super::failure::Failure;
use super::input::UpdateIssue;
use super::output::IssueUpdated;
use super::service::Domain;

impl Domain {
    /// To come.
    pub fn update_issue(&self, _: &UpdateIssue) -> Result<IssueUpdated, Failure> {
        unimplemented!("lands with the next slice")
    }
}
