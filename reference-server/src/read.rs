//! `resources/read`: URIs of the contract to their text.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::contract::resources::{CAPABILITIES_URI, INDEX_TEMPLATE, ISSUE_TEMPLATE, MIME_TYPE};
use crate::contract::surface::Surface;
use crate::domain::input::{Detail, GetIssue, IssueIndexQuery, StateFilter};
use crate::domain::{Code, Failure};
use crate::store::Store;

/// Entries of an issue index at most; an index is for choosing, not for reading everything.
const INDEX_LIMIT: u32 = 100;

/// What a URI names.
#[derive(Debug)]
enum Address {
    Capabilities,
    Issue(GetIssue),
    Index(IssueIndexQuery),
}

/// The text of the resource at `uri`. A failure names the request's own parameter, `uri`, whatever part of it is wrong.
pub fn read(surface: &Surface, store: &Store, uri: &str) -> Result<String, Failure> {
    let at_uri = |mut failure: Failure| {
        failure.field = failure.field.map(|_| "uri".to_owned());
        failure.with.clear();
        failure.value = None;
        failure
    };
    match parse(uri)? {
        Address::Capabilities => Ok(surface.summary_text.clone()),
        Address::Issue(issue) => {
            let read = store.domain()?.get_issue(&issue).map_err(at_uri)?;
            Ok(serde_json::to_string(&read.issue).expect("an issue holds text, numbers and lists"))
        }
        Address::Index(query) => index(store, query).map_err(at_uri),
    }
}

fn index(store: &Store, query: IssueIndexQuery) -> Result<String, Failure> {
    let (owner, repo) = (query.owner.clone(), query.repo.clone());
    let index = store.domain()?.issue_index(&query, INDEX_LIMIT)?;
    let entries: Vec<Value> = index
        .entries
        .iter()
        .map(|entry| {
            let description = if entry.preview.is_empty() { "Empty body." } else { &entry.preview };
            json!({
                "uri": format!("github://repos/{owner}/{repo}/issues/{}", entry.issue_number),
                "name": format!("#{}", entry.issue_number),
                "title": entry.title,
                "description": description,
                "mimeType": MIME_TYPE,
                "size": entry.size,
                "annotations": {"lastModified": entry.updated_at}
            })
        })
        .collect();
    let truncated = index.estimated_total > entries.len() as u64;
    let mut document = json!({"entries": entries, "estimated_total": index.estimated_total, "truncated": truncated});
    if truncated {
        let hint = "Narrow with state, labels or updated_after, or page through all issues with github_find_issues.";
        document["truncation_hint"] = hint.into();
    }
    Ok(document.to_string())
}

fn parse(uri: &str) -> Result<Address, Failure> {
    if uri == CAPABILITIES_URI {
        return Ok(Address::Capabilities);
    }
    let rest = uri.strip_prefix("github://repos/").ok_or_else(unknown)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let segments = path.split('/').map(decode).collect::<Result<Vec<String>, Failure>>()?;
    match &segments[..] {
        [owner, repo, issues] if issues == "issues" => filters(owner, repo, query),
        [owner, repo, issues, number] if issues == "issues" && query.is_empty() => {
            let issue_number = number.parse().map_err(|_| unknown())?;
            Ok(Address::Issue(GetIssue {
                owner: owner.clone(),
                repo: repo.clone(),
                issue_number,
                include_comments: Some(false),
                detail: Some(Detail::Full),
            }))
        }
        _ => Err(unknown()),
    }
}

/// The query of an index URI. An empty value is what a template expands an empty variable to: no filter.
fn filters(owner: &str, repo: &str, query: &str) -> Result<Address, Failure> {
    let (owner, repo) = (owner.to_owned(), repo.to_owned());
    let mut index = IssueIndexQuery { owner, repo, state: None, labels: None, updated_after: None };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "state" | "labels" | "updated_after" if value.is_empty() => {}
            "state" => {
                let state = serde_json::from_value::<StateFilter>(decode(value)?.into());
                index.state =
                    Some(state.map_err(|_| invalid("state must be open, closed or all."))?);
            }
            "labels" => {
                index.labels = Some(value.split(',').map(decode).collect::<Result<_, _>>()?)
            }
            "updated_after" => {
                let instant = decode(value)?;
                let format = &time::format_description::well_known::Rfc3339;
                time::OffsetDateTime::parse(&instant, format)
                    .map_err(|_| invalid("updated_after must be an RFC 3339 instant."))?;
                index.updated_after = Some(instant);
            }
            _ => return Err(invalid("The query takes state, labels and updated_after.")),
        }
    }
    Ok(Address::Index(index))
}

fn decode(text: &str) -> Result<String, Failure> {
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| invalid("Percent-encoded bytes must be UTF-8."))?;
    Ok(decoded.into_owned())
}

fn unknown() -> Failure {
    let mut failure = invalid("The URI is neither listed nor an expansion of a template.");
    failure.allowed =
        [CAPABILITIES_URI, ISSUE_TEMPLATE, INDEX_TEMPLATE].map(str::to_owned).to_vec();
    failure
}

fn invalid(reason: &str) -> Failure {
    let mut failure = Failure::new(Code::InvalidField, "Resource not found");
    failure.field = Some("uri".to_owned());
    failure.reason = Some(reason.to_owned());
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_uri_carries_its_filters() {
        let uri = "github://repos/acme/widgets/issues?state=all&labels=good%20first%20issue,gr%C3%B6%C3%9Fe&updated_after=";
        let Address::Index(query) = parse(uri).expect("an index") else { panic!("not an index") };
        assert!(matches!(query.state, Some(StateFilter::All)));
        assert_eq!(query.labels.expect("labels"), ["good first issue", "größe"]);
        assert!(query.updated_after.is_none());
    }

    #[test]
    fn foreign_and_half_uris_are_refused() {
        for uri in [
            "",
            "file:///etc/passwd",
            "github://",
            "github://repos/acme",
            "github://repos/acme/widgets/issues/x",
            "github://repos/acme/widgets/issues/1/comments",
            "github://repos/acme/widgets/issues?stat=open",
            "github://repos/acme/widgets/issues?state=opened",
            "github://repos/acme/widgets/issues?updated_after=now",
            "github://capabilities/",
        ] {
            let failure = parse(uri).expect_err(uri);
            assert_eq!(
                (failure.code, failure.field.as_deref()),
                (Code::InvalidField, Some("uri")),
                "{uri}"
            );
        }
    }
}
