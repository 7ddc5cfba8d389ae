//! Locking and unlocking: an absolute set, so that a repeat changes nothing.

use super::call::{Call, SET_ISSUE_LOCK};
use super::failure::{Code, Failure};
use super::input::SetIssueLock;
use super::output::LockState;
use super::service::Domain;
use super::store::symbol;

impl Domain {
    /// Locks or unlocks a conversation. Locking without a reason drops an earlier reason.
    ///
    /// Fails with `invalid_field` (`lock_reason`), `issue_not_found`, `repo_not_found`,
    /// `insufficient_scope`, or what the upstream refuses.
    pub fn set_issue_lock(&self, input: &SetIssueLock) -> Result<LockState, Failure> {
        let call = Call::new(SET_ISSUE_LOCK, input);
        self.options.check_upstream()?;
        if let (false, Some(reason)) = (input.locked, &input.lock_reason) {
            return Err(Failure::new(
                Code::InvalidField,
                "An unlocked conversation has no lock reason.",
            )
            .at("lock_reason", "Valid only when locked is true.")
            .value(symbol(reason))
            .repair(call.without("lock_reason").repair("retry_without_field")));
        }
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let transaction = session.begin()?;
        let mut issue = session.issue(input.issue_number)?;
        if (issue.locked, issue.lock_reason) != (input.locked, input.lock_reason) {
            let now = session.now();
            let since = issue.locked_at.filter(|_| issue.locked).unwrap_or(now);
            issue.locked = input.locked;
            issue.lock_reason = input.lock_reason;
            issue.locked_at = input.locked.then_some(since);
            issue.updated_at = issue.updated_at.max(now);
            issue.store(&transaction)?;
            transaction.commit()?;
        }
        Ok(LockState {
            issue_number: issue.number,
            locked: issue.locked,
            lock_reason: issue.lock_reason,
        })
    }
}
