//! Editing an issue: checked whole, then written in one transaction. Every argument is an absolute
//! set, so that a repeat changes nothing, not even the time of the last change.

use super::call::{Call, GET_ISSUE, UPDATE_ISSUE};
use super::clock::rfc3339;
use super::failure::{Code, Failure};
use super::input::{State, StateReason, UpdateIssue};
use super::names::{known_assignees, known_labels};
use super::output::IssueUpdated;
use super::service::{Domain, Session, title};
use super::store::{self, IssueRecord, symbol};
use super::text::{as_set, sanitize};
use super::url::issue_url;
use super::version::{is_token, version};

impl Domain {
    /// Edits an issue; what the caller left out stays as it is.
    ///
    /// Fails with `invalid_field` (`labels`, `remove_labels`, `state_reason`, `title`, `assignees`),
    /// `version_conflict`, `label_not_found`, `issue_not_found`, `repo_not_found`,
    /// `insufficient_scope`, or what the upstream refuses.
    pub fn update_issue(&self, input: &UpdateIssue) -> Result<IssueUpdated, Failure> {
        let call = Call::new(UPDATE_ISSUE, input);
        self.options.check_upstream()?;
        check_labels(&call, input)?;
        check_state_reason(&call, input)?;
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let transaction = session.begin()?;
        let before = session.issue(input.issue_number)?;
        check_version(&session, &before, input)?;
        let mut after = edited(&session, &call, &before, input)?;
        if after != before {
            after.updated_at = after.updated_at.max(session.now());
            after.store(&transaction)?;
            if (&after.title, &after.body) != (&before.title, &before.body) {
                store::reindex(&transaction, after.id)?;
            }
            transaction.commit()?;
        }
        Ok(IssueUpdated {
            issue_number: after.number,
            state: after.state,
            version: version(&session.repository, &after),
            url: issue_url(&session.repository, after.number, false),
            labels: after.labels,
            assignees: after.assignees,
        })
    }
}

/// `labels` replaces, the other two edit; both at once is a contradiction unless it is spelled out as
/// one replacement, which the repair does.
fn check_labels(call: &Call, input: &UpdateIssue) -> Result<(), Failure> {
    let add = input.add_labels.as_deref().unwrap_or_default();
    let remove = input.remove_labels.as_deref().unwrap_or_default();
    let kept: Vec<String> = remove.iter().filter(|name| !add.contains(name)).cloned().collect();
    if let Some(labels) = &input.labels
        && (input.add_labels.is_some() || input.remove_labels.is_some())
    {
        let mut merged: Vec<String> =
            labels.iter().chain(add).filter(|name| !kept.contains(name)).cloned().collect();
        merged = as_set(&merged);
        let message = "labels excludes add_labels and remove_labels; nothing was written.";
        return Err(Failure::new(Code::InvalidField, message)
            .at("labels", "labels replaces the whole set, the other two edit it; send one kind.")
            .along_with(if input.add_labels.is_some() { &["add_labels"] } else { &[] })
            .along_with(if input.remove_labels.is_some() { &["remove_labels"] } else { &[] })
            .repair(
                call.clone()
                    .without("add_labels")
                    .without("remove_labels")
                    .with("labels", merged)
                    .repair("retry_with_one_label_set")
                    .or("To edit the set that is there, leave labels out instead."),
            ));
    }
    if kept.len() < remove.len() {
        let message = "A label cannot be added and removed at once; nothing was written.";
        return Err(Failure::new(Code::InvalidField, message)
            .at("remove_labels", "An item is in add_labels, too.")
            .repair(
                call.clone()
                    .with_list("remove_labels", &kept)
                    .repair("retry_without_contradiction"),
            ));
    }
    Ok(())
}

fn check_state_reason(call: &Call, input: &UpdateIssue) -> Result<(), Failure> {
    let Some(reason) = input.state_reason else { return Ok(()) };
    let fitting = match reason {
        StateReason::Reopened => State::Open,
        StateReason::Completed | StateReason::NotPlanned => State::Closed,
    };
    let failure = |message: &str| {
        Failure::new(Code::InvalidField, format!("{message}; nothing was written."))
            .value(symbol(&reason))
    };
    match input.state {
        Some(state) if state == fitting => Ok(()),
        None => Err(failure("state_reason comes only with state")
            .at("state_reason", "Valid only alongside state.")
            .along_with(&["state"])
            .repair(call.clone().with("state", symbol(&fitting)).repair("retry_with_state"))),
        Some(State::Open) => Err(failure("An open issue was not closed for a reason")
            .at("state_reason", "With state \"open\" the only reason is \"reopened\".")
            .allow(vec!["reopened".to_owned()])
            .repair(call.clone().with("state_reason", "reopened").repair("retry_with_reason"))),
        Some(State::Closed) => Err(failure("A closed issue was not reopened")
            .at("state_reason", "\"reopened\" is valid only with state \"open\".")
            .allow(vec!["completed".to_owned(), "not_planned".to_owned()])
            .repair(
                call.clone()
                    .without("state_reason")
                    .repair("retry_without_field")
                    .or("Give one of details.allowed as the reason."),
            )),
    }
}

fn check_version(
    session: &Session<'_>,
    issue: &IssueRecord,
    input: &UpdateIssue,
) -> Result<(), Failure> {
    let Some(expected) = &input.expected_version else { return Ok(()) };
    let current = version(&session.repository, issue);
    if *expected == current {
        return Ok(());
    }
    let updated = rfc3339(issue.updated_at);
    let reread = Call::new(
        GET_ISSUE,
        &serde_json::json!({
            "owner": session.repository.owner,
            "repo": session.repository.name,
            "issue_number": issue.number,
            "include_comments": false,
        }),
    );
    let message = "The issue is not at the version that you read; nothing was written.";
    let failure = Failure::new(Code::VersionConflict, message)
        .at(
            "expected_version",
            format!("The current version is {current}, last updated {updated}."),
        )
        .repair(
            reread
                .repair("reread_then_reapply")
                .or("If overwriting is acceptable, repeat the call without expected_version."),
        );
    Err(if is_token(expected) { failure.value(expected.clone()) } else { failure })
}

fn edited(
    session: &Session<'_>,
    call: &Call,
    before: &IssueRecord,
    input: &UpdateIssue,
) -> Result<IssueRecord, Failure> {
    let labels = known_labels(session, call, "labels", input.labels.as_deref())?;
    let add = known_labels(session, call, "add_labels", input.add_labels.as_deref())?;
    let assignees = known_assignees(session, call, input.assignees.as_deref())?;
    let mut after = before.clone();
    if let Some(new) = &input.title {
        after.title = title(new)?;
    }
    if let Some(body) = &input.body {
        after.body = sanitize(body);
    }
    if let Some(labels) = labels {
        after.labels = labels;
    }
    after.labels.extend(add.unwrap_or_default());
    after.labels.retain(|label| !input.remove_labels.iter().flatten().any(|gone| gone == label));
    after.labels = as_set(&after.labels);
    if let Some(assignees) = assignees {
        after.assignees = assignees;
    }
    if let Some(state) = input.state {
        move_to(&mut after, state, input.state_reason);
    }
    Ok(after)
}

/// A transition takes its default reason unless the caller gives one; standing still keeps the reason,
/// except that a closed issue takes another closing reason.
fn move_to(issue: &mut IssueRecord, state: State, reason: Option<StateReason>) {
    let moved = issue.state != state;
    issue.state = state;
    match state {
        State::Open if moved => issue.state_reason = Some(StateReason::Reopened),
        State::Open => {}
        State::Closed if moved => issue.state_reason = reason.or(Some(StateReason::Completed)),
        State::Closed => issue.state_reason = reason.or(issue.state_reason),
    }
}
