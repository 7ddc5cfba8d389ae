//! The domain as its users see it: one object, one lock, one method an operation. Owns the order in
//! which a call is admitted (credential, load, repository, scope); the operations themselves are in
//! their own files. Invariant: a call that is not admitted has touched nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde_json::Value;

use super::call::{Call, FIND_ISSUES};
use super::clock::Clock;
use super::cursor::CursorKey;
use super::failure::{Code, Failure};
use super::nearest;
use super::options::{Credential, Options};
use super::store::{self, Behaviour, IssueRecord, OpenError, Repository};
use super::text::sanitize;

/// The login that the server acts as.
pub(super) const ACTOR: &str = "octo-agent";

/// The issue service: store, clock and credential. Shared freely between threads; calls take turns.
pub struct Domain {
    connection: Mutex<Connection>,
    pub(super) key: CursorKey,
    pub(super) options: Options,
}

/// An admitted call: exclusive use of the store, at one instant.
pub(super) struct Session<'a> {
    pub connection: MutexGuard<'a, Connection>,
    pub repository: Repository,
    /// The instant of the call in Unix milliseconds.
    pub now_ms: i64,
}

impl Session<'_> {
    /// The instant of the call in Unix seconds.
    pub(super) fn now(&self) -> i64 {
        self.now_ms.div_euclid(1000)
    }

    /// Opens the transaction of a call that writes; it rolls back unless it is committed.
    pub(super) fn begin(&self) -> Result<Transaction<'_>, Failure> {
        Ok(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?)
    }

    /// The issue with a number; pull requests are none.
    pub(super) fn issue(&self, number: u64) -> Result<IssueRecord, Failure> {
        match IssueRecord::find(&self.connection, &self.repository, number)? {
            Some(issue) if !issue.is_pull_request => Ok(issue),
            other => Err(issue_not_found(&self.repository, number, other.is_some())),
        }
    }
}

impl Domain {
    /// Opens the store, makes and fills it when it is new.
    pub fn open(options: Options) -> Result<Domain, OpenError> {
        let (connection, key) = store::open(options.db.as_deref(), options.clock.is_fixed())?;
        Ok(Domain { connection: Mutex::new(connection), key, options })
    }

    /// The clock that the operations read.
    pub fn clock(&self) -> &Clock {
        &self.options.clock
    }

    /// Visible owners that begin with `prefix`, case aside; at most 100, sorted.
    pub fn complete_owner(&self, prefix: &str) -> Vec<String> {
        self.completions(prefix, |repository| Some(&repository.owner))
    }

    /// Visible repository names that begin with `prefix`, case aside, of one owner or of all; at most
    /// 100, sorted.
    pub fn complete_repo(&self, owner: Option<&str>, prefix: &str) -> Vec<String> {
        self.completions(prefix, |repository| {
            owner
                .is_none_or(|owner| owner.eq_ignore_ascii_case(&repository.owner))
                .then_some(&repository.name)
        })
    }

    fn completions(
        &self,
        prefix: &str,
        name: impl Fn(&Repository) -> Option<&String>,
    ) -> Vec<String> {
        if self.options.check_credential().is_err() {
            return Vec::new();
        }
        let prefix = prefix.to_lowercase();
        let repositories = store::repositories(&self.lock()).unwrap_or_default();
        let mut names: Vec<String> = repositories
            .iter()
            .filter_map(name)
            .filter(|name| name.to_lowercase().starts_with(&prefix))
            .cloned()
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(100);
        names
    }

    /// Admits a call to a repository, or says why not.
    pub(super) fn admit(
        &self,
        call: &Call,
        owner: &str,
        repo: &str,
    ) -> Result<Session<'_>, Failure> {
        self.options.check_upstream()?;
        let connection = self.lock();
        let Some(repository) = store::repository(&connection, owner, repo)? else {
            return Err(repo_not_found(&store::repositories(&connection)?, call, owner, repo));
        };
        match repository.behaviour {
            Behaviour::Normal => {}
            Behaviour::Throttled => return Err(Failure::rate_limited()),
            Behaviour::Unavailable => return Err(Failure::upstream_unavailable()),
        }
        if self.options.credential == Credential::ReadOnly && !call.reads() {
            return Err(Failure::insufficient_scope());
        }
        Ok(Session { connection, repository, now_ms: self.options.clock.tick_ms() })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere cannot leave half a write behind: the transaction rolled back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A title as it is stored: on one line, without control characters.
pub(super) fn title(text: &str) -> Result<String, Failure> {
    let title = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(Failure::new(Code::InvalidField, "The title is empty; nothing was written.")
            .at("title", "Nothing is left when white space and control characters are removed."));
    }
    Ok(title)
}

fn issue_not_found(repository: &Repository, number: u64, is_pull_request: bool) -> Failure {
    let Repository { owner, name, .. } = repository;
    let mut lookup =
        Call::new(FIND_ISSUES, &serde_json::json!({"owner": owner, "repo": name, "state": "all"}));
    let reason = if is_pull_request {
        lookup = lookup.with("include_pull_requests", true);
        "The number belongs to a pull request; pull requests appear in find results only."
    } else {
        "No such issue number in this repository."
    };
    Failure::new(
        Code::IssueNotFound,
        format!("There is no issue with that number in {owner}/{name}."),
    )
    .at("issue_number", reason)
    .value(number)
    .repair(lookup.repair("find_then_retry").or("Ask the user which issue is meant."))
}

/// Nothing of the unknown name is repeated. A likely misspelling is corrected in place for a call that
/// reads; a call that writes never moves to a guessed repository, it is sent to look first.
fn repo_not_found(visible: &[Repository], call: &Call, owner: &str, repo: &str) -> Failure {
    let siblings: Vec<Repository> =
        visible.iter().filter(|other| other.owner == owner).cloned().collect();
    let (field, reason, allowed, pool, wanted) = if siblings.is_empty() {
        let mut owners: Vec<String> = visible.iter().map(|other| other.owner.clone()).collect();
        owners.dedup();
        let wanted = format!("{owner}/{repo}");
        (
            "owner",
            "No repository of such an owner is visible to the credential.",
            owners,
            visible.to_vec(),
            wanted,
        )
    } else {
        let names = siblings.iter().map(|other| other.name.clone()).collect();
        (
            "repo",
            "The owner has no such repository that is visible to the credential.",
            names,
            siblings,
            repo.to_owned(),
        )
    };
    let answering: Vec<Repository> =
        pool.into_iter().filter(|candidate| candidate.behaviour == Behaviour::Normal).collect();
    let near = nearest::near(&wanted, &answering, |candidate| {
        if field == "owner" {
            format!("{}/{}", candidate.owner, candidate.name)
        } else {
            candidate.name.clone()
        }
    });
    let mut failure = Failure::new(
        Code::RepoNotFound,
        "There is no such repository, or the credential cannot see it.",
    )
    .at(field, reason)
    .allow(allowed);
    if let Some(guess) = near.first().copied().or(answering.first()) {
        let (owner, repo) = (Value::from(guess.owner.clone()), Value::from(guess.name.clone()));
        let repair = if call.reads() && !near.is_empty() {
            call.clone()
                .without("cursor")
                .with("owner", owner)
                .with("repo", repo)
                .repair("retry_with_visible_repository")
        } else {
            // A caller that searches goes on searching; any other looks before it acts.
            let call = if call.tool == FIND_ISSUES {
                call.clone().without("cursor").with("owner", owner).with("repo", repo)
            } else {
                Call::new(FIND_ISSUES, &serde_json::json!({"owner": owner, "repo": repo}))
            };
            call.repair("look_at_visible_repository")
        };
        if field == "owner" {
            failure = failure.along_with(&["repo"]);
        }
        failure =
            failure.repair(repair.or("Take another name from details.allowed, or ask the user."));
    }
    failure
}
