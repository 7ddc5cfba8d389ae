//! Creating an issue: one transaction, or nothing.

use super::call::{CREATE_ISSUE, Call};
use super::failure::Failure;
use super::input::{CreateIssue, State};
use super::names::{known_assignees, known_labels};
use super::output::IssueCreated;
use super::repeat::RepeatKey;
use super::service::{ACTOR, Domain, title};
use super::store::{self, IssueRecord};
use super::text::sanitize;
use super::url::issue_url;
use super::version::version;

impl Domain {
    /// Creates an issue, or returns the first result of a repeated call.
    ///
    /// Fails with `label_not_found`, `invalid_field` (`title`, `assignees`, `idempotency_key`),
    /// `repo_not_found`, `insufficient_scope`, or what the upstream refuses.
    pub fn create_issue(&self, input: &CreateIssue) -> Result<IssueCreated, Failure> {
        let call = Call::new(CREATE_ISSUE, input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let transaction = session.begin()?;
        let scope = format!("create/{}", session.repository.id);
        let repeat = RepeatKey::of(&call, scope, input.idempotency_key.as_deref());
        if let Some(key) = &repeat
            && let Some(first) = key.recall(&transaction, &call, session.now_ms)?
        {
            return Ok(first);
        }
        let record = new_issue(&session, &call, input)?;
        let id = record.insert(&transaction, &session.repository)?;
        store::reindex(&transaction, id)?;
        let created = IssueCreated {
            issue_number: record.number,
            url: issue_url(&session.repository, record.number, false),
            version: version(&session.repository, &record),
            labels: record.labels,
            assignees: record.assignees,
        };
        if let Some(key) = &repeat {
            key.keep(&transaction, session.now_ms, &created)?;
        }
        transaction.commit()?;
        Ok(created)
    }
}

fn new_issue(
    session: &super::service::Session<'_>,
    call: &Call,
    input: &CreateIssue,
) -> Result<IssueRecord, Failure> {
    let labels = known_labels(session, call, "labels", input.labels.as_deref())?;
    let assignees = known_assignees(session, call, input.assignees.as_deref())?;
    let last: i64 = session
        .connection
        .prepare_cached("SELECT coalesce(max(number), 0) FROM issue WHERE repository_id = ?1")?
        .query_row([session.repository.id], |row| row.get(0))?;
    Ok(IssueRecord {
        id: 0,
        number: last.unsigned_abs() + 1,
        is_pull_request: false,
        title: title(&input.title)?,
        body: sanitize(input.body.as_deref().unwrap_or_default()),
        state: State::Open,
        state_reason: None,
        locked: false,
        lock_reason: None,
        locked_at: None,
        author: ACTOR.to_owned(),
        labels: labels.unwrap_or_default(),
        assignees: assignees.unwrap_or_default(),
        created_at: session.now(),
        updated_at: session.now(),
        comment_count: 0,
    })
}
