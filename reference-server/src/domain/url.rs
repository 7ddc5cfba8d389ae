//! Addresses of pages for people. Owns their shape; the host is reserved and serves nothing.

use super::store::Repository;

const SITE: &str = "https://github.example";

/// The page of an issue or pull request.
pub(super) fn issue_url(repository: &Repository, number: u64, is_pull_request: bool) -> String {
    let Repository { owner, name, .. } = repository;
    let kind = if is_pull_request { "pull" } else { "issues" };
    format!("{SITE}/{owner}/{name}/{kind}/{number}")
}

/// The place of a comment on the page of its issue.
pub(super) fn comment_url(repository: &Repository, number: u64, comment_id: u64) -> String {
    format!("{}#issuecomment-{comment_id}", issue_url(repository, number, false))
}
