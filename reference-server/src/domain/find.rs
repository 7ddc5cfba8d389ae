//! Finding issues, as pages and as an index. Owns the filters and the cap; refuses to rank: the order
//! is newest number first, with or without free text.

use rusqlite::{Connection, named_params};

use super::call::{Call, FIND_ISSUES};
use super::clock::rfc3339;
use super::cursor::{Position, QueryDigest};
use super::failure::{Code, Failure};
use super::input::{Detail, FindIssues, IssueIndexQuery, StateFilter};
use super::output::{IndexEntry, IssueIndex, IssuePage, IssueRow};
use super::paging::{CAP, PAGE, instant, issued_ms, resume};
use super::read::issue_view;
use super::service::{Domain, Session};
use super::store::{ISSUE_COLUMNS, IssueRecord, Repository, match_expression};
use super::text::{as_set, preview};
use super::url::issue_url;
use super::version::version;

impl Domain {
    /// Lists or searches the issues of a repository.
    ///
    /// Fails with `invalid_field` (`cursor`, `query`, `updated_after`), `cursor_expired`,
    /// `repo_not_found`, or what the upstream refuses.
    pub fn find_issues(&self, input: &FindIssues) -> Result<IssuePage, Failure> {
        let call = Call::new(FIND_ISSUES, input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let filter = Filter::of(&call, input)?;
        let digest = QueryDigest::of(&(
            (FIND_ISSUES, format!("{:?}", self.options.credential), &input.owner, &input.repo),
            (&filter.expression, filter.state, &filter.labels, &filter.assignee, &filter.creator),
            (filter.updated_after, filter.pull_requests),
        ));
        let start = match &input.cursor {
            Some(token) => {
                Some(resume(&self.key, &self.options, &call, token, digest, session.now_ms)?)
            }
            None => None,
        };
        let (after, seen) =
            start.map_or((None, 0), |position| (Some(position.after), position.seen));
        let limit = PAGE.min(CAP.saturating_sub(seen));
        let total = filter.count(&session)?;
        let mut records = filter.page(&session, after, limit + 1)?;
        let more = records.len() > limit as usize && seen + limit < CAP;
        records.truncate(limit as usize);
        let seen = seen + u32::try_from(records.len()).expect("a page is short");
        let next_cursor = records.last().filter(|_| more).map(|last| {
            self.key.seal(&Position {
                after: last.number,
                seen,
                issued_ms: issued_ms(&self.options, session.now_ms),
                query: digest,
            })
        });
        let full = input.detail == Some(Detail::Full);
        Ok(IssuePage {
            issues: records
                .into_iter()
                .map(|record| row(&session.repository, record, full))
                .collect(),
            has_more: next_cursor.is_some(),
            next_cursor,
            estimated_total: total,
            truncated: total > u64::from(CAP),
            truncation_hint: hint(total, "labels, updated_after or query"),
        })
    }

    /// The first `limit` issues of a repository as index entries, and no more than a search shows. Fails as
    /// [`Domain::find_issues`] does.
    pub fn issue_index(&self, query: &IssueIndexQuery, limit: u32) -> Result<IssueIndex, Failure> {
        let (session, filter) = self.index(query)?;
        let total = filter.count(&session)?;
        let records = filter.page(&session, None, limit.min(CAP))?;
        Ok(IssueIndex {
            entries: records.into_iter().map(|record| entry(&session.repository, record)).collect(),
            estimated_total: total,
            truncation_hint: hint(total, "state, labels or updated_after"),
        })
    }

    /// The numbers in the whole index, newest first. Fails as [`Domain::find_issues`] does.
    pub fn issue_numbers(&self, query: &IssueIndexQuery) -> Result<Vec<u64>, Failure> {
        let (session, filter) = self.index(query)?;
        let (connection, repository) = (&session.connection, &session.repository);
        let tail = newest(CAP);
        let numbers = filter.select(connection, repository, "number", None, &tail, |row| {
            row.get(0).map(|number: i64| number.unsigned_abs())
        })?;
        Ok(numbers)
    }

    fn index(&self, query: &IssueIndexQuery) -> Result<(Session<'_>, Filter), Failure> {
        let input = FindIssues {
            owner: query.owner.clone(),
            repo: query.repo.clone(),
            query: None,
            state: query.state,
            labels: query.labels.clone(),
            assignee: None,
            creator: None,
            updated_after: query.updated_after.clone(),
            include_pull_requests: None,
            detail: None,
            cursor: None,
        };
        let call = Call::new(FIND_ISSUES, &input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        Ok((session, Filter::of(&call, &input)?))
    }
}

/// The conditions of a query, in the form that SQL takes.
struct Filter {
    expression: Option<String>,
    state: Option<&'static str>,
    labels: Option<String>,
    assignee: Option<String>,
    creator: Option<String>,
    updated_after: Option<i64>,
    pull_requests: bool,
}

const CONDITIONS: &str = "FROM issue
    WHERE repository_id = :repository
    AND (:state IS NULL OR state = :state)
    AND (:after IS NULL OR number < :after)
    AND (:pull_requests OR NOT is_pull_request)
    AND (:creator IS NULL OR author = :creator)
    AND (:updated_after IS NULL OR updated_at >= :updated_after)
    AND (:assignee IS NULL OR EXISTS (SELECT 1 FROM json_each(issue.assignees) WHERE value = :assignee))
    AND (:labels IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(:labels) AS wanted
        WHERE wanted.value NOT IN (SELECT value FROM json_each(issue.labels))))";

impl Filter {
    fn of(call: &Call, input: &FindIssues) -> Result<Filter, Failure> {
        let expression = match &input.query {
            Some(query) => Some(match_expression(query).ok_or_else(|| no_word(call))?),
            None => None,
        };
        Ok(Filter {
            expression,
            state: match input.state.unwrap_or(StateFilter::Open) {
                StateFilter::Open => Some("open"),
                StateFilter::Closed => Some("closed"),
                StateFilter::All => None,
            },
            labels: input
                .labels
                .as_ref()
                .map(|labels| serde_json::to_string(&as_set(labels)).expect("strings serialize")),
            assignee: input.assignee.clone(),
            creator: input.creator.clone(),
            updated_after: instant(call, input.updated_after.as_deref())?,
            pull_requests: input.include_pull_requests.unwrap_or(false),
        })
    }

    fn count(&self, session: &Session<'_>) -> rusqlite::Result<u64> {
        let counts =
            self.select(&session.connection, &session.repository, "count(*)", None, "", |row| {
                row.get(0)
            })?;
        Ok(counts.first().map_or(0, |count: &i64| count.unsigned_abs()))
    }

    fn page(
        &self,
        session: &Session<'_>,
        after: Option<u64>,
        limit: u32,
    ) -> rusqlite::Result<Vec<IssueRecord>> {
        let tail = newest(limit);
        self.select(
            &session.connection,
            &session.repository,
            ISSUE_COLUMNS,
            after,
            &tail,
            IssueRecord::read,
        )
    }

    fn select<T>(
        &self,
        connection: &Connection,
        repository: &Repository,
        columns: &str,
        after: Option<u64>,
        tail: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let matching = match self.expression {
            Some(_) => "AND id IN (SELECT rowid FROM search WHERE search MATCH :query)",
            None => "AND :query IS NULL",
        };
        let sql = format!("SELECT {columns} {CONDITIONS} {matching} {tail}");
        connection
            .prepare_cached(&sql)?
            .query_map(
                named_params! {
                    ":repository": repository.id,
                    ":state": self.state,
                    ":after": after.map(|number| i64::try_from(number).unwrap_or(i64::MAX)),
                    ":pull_requests": self.pull_requests,
                    ":creator": self.creator,
                    ":updated_after": self.updated_after,
                    ":assignee": self.assignee,
                    ":labels": self.labels,
                    ":query": self.expression,
                },
                read,
            )?
            .collect()
    }
}

fn newest(limit: u32) -> String {
    format!("ORDER BY number DESC LIMIT {limit}")
}

fn no_word(call: &Call) -> Failure {
    Failure::new(Code::InvalidField, "The query holds no word to search for.")
        .at("query", "At least one letter or digit is needed.")
        .repair(call.clone().without("query").repair("retry_without_field"))
}

fn hint(total: u64, ways: &str) -> Option<String> {
    (total > u64::from(CAP))
        .then(|| format!("{CAP} of {total} matches are shown; narrow with {ways}."))
}

fn row(repository: &Repository, record: IssueRecord, full: bool) -> IssueRow {
    let dense = full.then(|| {
        let preview = preview(&record.body);
        let url = issue_url(repository, record.number, record.is_pull_request);
        ((!preview.is_empty()).then_some(preview), url, version(repository, &record))
    });
    let (body_preview, url, version) = match dense {
        Some((preview, url, version)) => (preview, Some(url), Some(version)),
        None => (None, None, None),
    };
    IssueRow {
        issue_number: record.number,
        title: record.title,
        state: record.state,
        pull_request: record.is_pull_request.then_some(true),
        labels: record.labels,
        assignees: record.assignees,
        updated_at: rfc3339(record.updated_at),
        body_preview,
        author: full.then_some(record.author),
        comment_count: full.then_some(record.comment_count),
        created_at: full.then(|| rfc3339(record.created_at)),
        url,
        version,
    }
}

fn entry(repository: &Repository, record: IssueRecord) -> IndexEntry {
    let preview = preview(&record.body);
    let view = issue_view(repository, record, Detail::Full);
    let size = serde_json::to_vec(&view).expect("strings and numbers serialize").len();
    IndexEntry {
        issue_number: view.issue_number,
        title: view.title,
        preview,
        size: size as u64,
        updated_at: view.updated_at,
    }
}
