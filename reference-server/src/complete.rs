//! `completion/complete`: the variables of the resource templates.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use crate::contract::resources::{INDEX_TEMPLATE, ISSUE_TEMPLATE};
use crate::domain::input::{IssueIndexQuery, StateFilter};
use crate::domain::{Code, Domain, Failure};
use crate::store::Store;

/// The values that continue what was typed, for the variable of the template that `request` names.
pub fn complete(store: &Store, request: &CompleteRequestParams) -> Result<CompletionInfo, Failure> {
    let variables: &[&str] = match &request.r#ref {
        Reference::Resource(reference) if reference.uri == ISSUE_TEMPLATE => {
            &["owner", "repo", "issue_number"]
        }
        Reference::Resource(reference) if reference.uri == INDEX_TEMPLATE => {
            &["owner", "repo", "state", "labels", "updated_after"]
        }
        _ => {
            return Err(refused(
                "ref",
                "Only the listed resource templates complete.",
                &[ISSUE_TEMPLATE, INDEX_TEMPLATE],
            ));
        }
    };
    let (name, typed) = (request.argument.name.as_str(), request.argument.value.as_str());
    if !variables.contains(&name) {
        return Err(refused("argument", "The template has no such variable.", variables));
    }
    let known = |name: &str| {
        request.context.as_ref().and_then(|context| context.get_argument(name)).map(String::as_str)
    };
    let domain = store.domain()?;
    let values = match name {
        "owner" => domain.complete_owner(typed),
        "repo" => domain.complete_repo(known("owner"), typed),
        "state" => starting(["open", "closed", "all"].map(str::to_owned), typed),
        "issue_number" => match (known("owner"), known("repo")) {
            (Some(owner), Some(repo)) => numbers(domain, owner, repo, typed),
            _ => Vec::new(),
        },
        // Labels and instants are free text here.
        _ => Vec::new(),
    };
    Ok(CompletionInfo::with_all_values(values)
        .expect("the domain and the filters here give at most 100 values"))
}

fn numbers(domain: &Domain, owner: &str, repo: &str, typed: &str) -> Vec<String> {
    let (owner, repo, state) = (owner.to_owned(), repo.to_owned(), Some(StateFilter::All));
    let query = IssueIndexQuery { owner, repo, state, labels: None, updated_after: None };
    // What cannot be listed has nothing to offer; the read that follows says why.
    let numbers = domain.issue_numbers(&query).unwrap_or_default();
    starting(numbers.iter().map(u64::to_string), typed)
}

fn starting(values: impl IntoIterator<Item = String>, typed: &str) -> Vec<String> {
    values
        .into_iter()
        .filter(|value| value.starts_with(typed))
        .take(CompletionInfo::MAX_VALUES)
        .collect()
}

fn refused(field: &str, reason: &str, allowed: &[&str]) -> Failure {
    let mut failure = Failure::new(Code::InvalidField, "Nothing completes there.");
    failure.field = Some(field.to_owned());
    failure.reason = Some(reason.to_owned());
    failure.allowed = allowed.iter().map(|name| (*name).to_owned()).collect();
    failure
}
