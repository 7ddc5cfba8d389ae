//! To come.

use super::failure::Failure;
use super::input::AddComment;
use super::output::CommentWritten;
use super::service::Domain;

impl Domain {
    /// To come.
    pub fn add_comment(&self, _: &AddComment) -> Result<CommentWritten, Failure> {
        unimplemented!("lands with the next slice")
    }
}
