//! Reading an issue and its thread. Owns how records become views at both levels of detail.

use super::call::{Call, GET_ISSUE, LIST_COMMENTS};
use super::clock::rfc3339;
use super::cursor::{Position, QueryDigest};
use super::failure::Failure;
use super::input::{Detail, GetIssue, ListComments};
use super::output::{CommentPage, CommentView, IssueRead, IssueView};
use super::paging::{PAGE, instant, issued_ms, resume};
use super::service::{Domain, Session};
use super::store::{CommentRecord, IssueRecord, Repository};
use super::text::summarize;
use super::url::{comment_url, issue_url};
use super::version::version;

/// Comments that come with an issue.
const FIRST_COMMENTS: u32 = 20;

impl Domain {
    /// Reads one issue and the start of its thread.
    ///
    /// Fails with `issue_not_found`, `repo_not_found`, or what the upstream refuses.
    pub fn get_issue(&self, input: &GetIssue) -> Result<IssueRead, Failure> {
        let call = Call::new(GET_ISSUE, input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let issue = session.issue(input.issue_number)?;
        let detail = input.detail.unwrap_or(Detail::Summary);
        let thread = match input.include_comments.unwrap_or(true) {
            true => Some(self.thread(&session, &issue, None, None, FIRST_COMMENTS, detail)?),
            false => None,
        };
        let issue = issue_view(&session.repository, issue, detail);
        Ok(match thread {
            Some(page) => IssueRead {
                issue,
                comments: Some(page.comments),
                comments_has_more: Some(page.has_more),
                comments_cursor: page.next_cursor,
            },
            None => {
                IssueRead { issue, comments: None, comments_has_more: None, comments_cursor: None }
            }
        })
    }

    /// Reads on in a thread, or only what is new in it.
    ///
    /// Fails with `issue_not_found`, `invalid_field` (`cursor`, `updated_after`), `cursor_expired`,
    /// `repo_not_found`, or what the upstream refuses.
    pub fn list_comments(&self, input: &ListComments) -> Result<CommentPage, Failure> {
        let call = Call::new(LIST_COMMENTS, input);
        let session = self.admit(&call, &input.owner, &input.repo)?;
        let issue = session.issue(input.issue_number)?;
        let updated_after = instant(&call, input.updated_after.as_deref())?;
        let query = self.thread_query(&session, &issue, updated_after);
        let start = match &input.cursor {
            Some(token) => {
                Some(resume(&self.key, &self.options, &call, token, query, session.now_ms)?)
            }
            None => None,
        };
        let detail = input.detail.unwrap_or(Detail::Summary);
        self.thread(&session, &issue, start, updated_after, PAGE, detail)
    }

    fn thread(
        &self,
        session: &Session<'_>,
        issue: &IssueRecord,
        start: Option<Position>,
        updated_after: Option<i64>,
        limit: u32,
        detail: Detail,
    ) -> Result<CommentPage, Failure> {
        let (after, seen) = start.map_or((0, 0), |position| (position.after, position.seen));
        let mut records =
            CommentRecord::page(&session.connection, issue.id, after, updated_after, limit + 1)?;
        let more = records.len() > limit as usize;
        records.truncate(limit as usize);
        let next_cursor = records.last().filter(|_| more).map(|last| {
            let query = self.thread_query(session, issue, updated_after);
            self.key.seal(&Position {
                after: last.id,
                seen: seen + limit,
                issued_ms: issued_ms(&self.options, session.now_ms),
                query,
            })
        });
        let view = |record| comment_view(&session.repository, issue.number, record, detail);
        Ok(CommentPage {
            comments: records.into_iter().map(view).collect(),
            has_more: more,
            next_cursor,
        })
    }

    fn thread_query(
        &self,
        session: &Session<'_>,
        issue: &IssueRecord,
        updated_after: Option<i64>,
    ) -> QueryDigest {
        let Repository { owner, name, .. } = &session.repository;
        QueryDigest::of(&(
            LIST_COMMENTS,
            format!("{:?}", self.options.credential),
            owner,
            name,
            issue.number,
            updated_after,
        ))
    }
}

/// An issue at a level of detail.
pub(super) fn issue_view(
    repository: &Repository,
    record: IssueRecord,
    detail: Detail,
) -> IssueView {
    let version = version(repository, &record);
    let url = issue_url(repository, record.number, false);
    let (body, truncated) = at_detail(record.body, detail);
    IssueView {
        issue_number: record.number,
        title: record.title,
        state: record.state,
        state_reason: record.state_reason,
        locked: record.locked,
        lock_reason: record.lock_reason,
        author: record.author,
        labels: record.labels,
        assignees: record.assignees,
        created_at: rfc3339(record.created_at),
        updated_at: rfc3339(record.updated_at),
        body,
        body_truncated: truncated.then_some(true),
        version,
        url,
        comment_count: (detail == Detail::Full).then_some(record.comment_count),
    }
}

fn comment_view(
    repository: &Repository,
    number: u64,
    record: CommentRecord,
    detail: Detail,
) -> CommentView {
    let (body, truncated) = at_detail(record.body, detail);
    CommentView {
        comment_id: record.id,
        author: record.author,
        created_at: rfc3339(record.created_at),
        updated_at: rfc3339(record.updated_at),
        body,
        body_truncated: truncated.then_some(true),
        url: (detail == Detail::Full).then(|| comment_url(repository, number, record.id)),
    }
}

fn at_detail(body: String, detail: Detail) -> (String, bool) {
    match detail {
        Detail::Summary => summarize(body),
        Detail::Full => (body, false),
    }
}
