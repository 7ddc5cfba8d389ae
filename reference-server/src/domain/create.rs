//! To come.

use super::failure::Failure;
use super::input::CreateIssue;
use super::output::IssueCreated;
use super::service::Domain;

impl Domain {
    /// To come.
    pub fn create_issue(&self, _: &CreateIssue) -> Result<IssueCreated, Failure> {
        unimplemented!("lands with the next slice")
    }
}
