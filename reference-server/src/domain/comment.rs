//! Commenting: refused on a locked conversation, one transaction otherwise.

use super::call::{ADD_COMMENT, Call, SET_ISSUE_LOCK};
use super::clock::rfc3339;
use super::failure::{Code, Failure};
use super::input::AddComment;
use super::output::CommentWritten;
use super::repeat::RepeatKey;
use super::service::{ACTOR, Domain};
use super::store::{self, IssueRecord, Repository, symbol};
use super::text::sanitize;
use super::url::comment_url;

impl Domain {
    /// Adds a comment, or returns the first result of a repeated call, also when the conversation was
    /// locked since.
    ///
    /// Fails with `issue_locked`, `issue_not_found`, `invalid_field` (`body`, `idempotency_key`),
    /// `repo_not_found`, `insufficient_scope`, or what the upstream refuses.
    pub fn add_comment(&self, input: &AddComment) -> Result<CommentWritten, Failure> {
        let call = Call::new(ADD_COMMENT, input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let transaction = session.begin()?;
        let mut issue = session.issue(input.issue_number)?;
        let scope = format!("comment/{}", issue.id);
        let repeat = RepeatKey::of(&call, scope, input.idempotency_key.as_deref());
        if let Some(key) = &repeat
            && let Some(first) = key.recall(&transaction, &call, session.now_ms)?
        {
            return Ok(first);
        }
        if issue.locked {
            return Err(issue_locked(&session.repository, &issue));
        }
        let body = sanitize(&input.body);
        if body.is_empty() {
            return Err(Failure::new(
                Code::InvalidField,
                "The comment is empty; nothing was written.",
            )
            .at("body", "Nothing is left when control characters are removed."));
        }
        let now = session.now();
        let id = transaction
            .prepare_cached(
                "INSERT INTO comment (issue_id, author, body, created_at, updated_at)
                VALUES (?1, ?2, ?3, ?4, ?4)",
            )?
            .insert((issue.id, ACTOR, body, now))?
            .unsigned_abs();
        issue.updated_at = issue.updated_at.max(now);
        issue.store(&transaction)?;
        store::reindex(&transaction, issue.id)?;
        let written = CommentWritten {
            comment_id: id,
            url: comment_url(&session.repository, issue.number, id),
            created_at: rfc3339(now),
        };
        if let Some(key) = &repeat {
            key.keep(&transaction, session.now_ms, &written)?;
        }
        transaction.commit()?;
        Ok(written)
    }
}

fn issue_locked(repository: &Repository, issue: &IssueRecord) -> Failure {
    let since = issue.locked_at.map(|at| format!(" since {}", rfc3339(at))).unwrap_or_default();
    let why = match &issue.lock_reason {
        Some(reason) => format!("with reason \"{}\"", symbol(reason)),
        None => "with no stated reason".to_owned(),
    };
    let unlock = Call::new(
        SET_ISSUE_LOCK,
        &serde_json::json!({
            "owner": repository.owner,
            "repo": repository.name,
            "issue_number": issue.number,
            "locked": false,
        }),
    );
    Failure::new(Code::IssueLocked, "The conversation is locked; the comment was not posted.")
        .at("issue_number", format!("Locked{since} {why}."))
        .value(issue.number)
        .repair(
            unlock
                .repair("unlock_then_retry")
                .or("If unlocking is not appropriate, tell the user that the thread is locked."),
        )
}
