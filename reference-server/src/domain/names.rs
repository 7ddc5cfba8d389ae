//! Labels and assignees as arguments. Owns their check against the repository and the repair of an
//! unknown one; refuses to create either. Names are free text of the caller: a failure tells their
//! places in the list, never the names.

use super::call::Call;
use super::failure::{Code, Failure};
use super::nearest::corrected;
use super::service::Session;
use super::store;
use super::text::as_set;

/// The labels of an argument as a set, all known in the repository, or `label_not_found`.
pub(super) fn known_labels(
    session: &Session<'_>,
    call: &Call,
    field: &'static str,
    names: Option<&[String]>,
) -> Result<Option<Vec<String>>, Failure> {
    let Some(names) = names else { return Ok(None) };
    let known = store::labels(&session.connection, &session.repository)?;
    match strangers(names, &known) {
        None => Ok(Some(as_set(names))),
        Some(places) => {
            let message = "A label does not exist in the repository; nothing was written.";
            let reason = format!("No such labels in the repository: {places}.");
            Err(refusal(
                Failure::new(Code::LabelNotFound, message),
                call,
                field,
                reason,
                names,
                known,
            ))
        }
    }
}

/// The assignees of an argument as a set, all with access to the repository, or `invalid_field`.
pub(super) fn known_assignees(
    session: &Session<'_>,
    call: &Call,
    names: Option<&[String]>,
) -> Result<Option<Vec<String>>, Failure> {
    let Some(names) = names else { return Ok(None) };
    let known = store::collaborators(&session.connection, &session.repository)?;
    match strangers(names, &known) {
        None => Ok(Some(as_set(names))),
        Some(places) => {
            let message = "An assignee has no access to the repository; nothing was written.";
            let reason = format!("Not assignable in the repository: {places}.");
            let failure = Failure::new(Code::InvalidField, message);
            Err(refusal(failure, call, "assignees", reason, names, known))
        }
    }
}

fn refusal(
    failure: Failure,
    call: &Call,
    field: &'static str,
    reason: String,
    names: &[String],
    known: Vec<String>,
) -> Failure {
    let repair = call
        .clone()
        .with_list(field, &corrected(names, &known))
        .repair("retry_with_known_names")
        .or("Choose other names from details.allowed, or ask the user.");
    failure.at(field, reason).allow(known).repair(repair)
}

/// Where the unknown names stand, such as `items 1 and 3 of 4`; `None` when all are known.
fn strangers(names: &[String], known: &[String]) -> Option<String> {
    let places: Vec<String> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| !known.contains(name))
        .map(|(index, _)| (index + 1).to_string())
        .collect();
    let (last, rest) = places.split_last()?;
    let count = names.len();
    Some(if rest.is_empty() {
        format!("item {last} of {count}")
    } else {
        format!("items {} and {last} of {count}", rest.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::strangers;

    #[test]
    fn places_count_from_one() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let known = names(&["bug"]);
        assert_eq!(strangers(&names(&["bug"]), &known), None);
        assert_eq!(strangers(&[], &known), None);
        assert_eq!(strangers(&names(&["x"]), &known).as_deref(), Some("item 1 of 1"));
        assert_eq!(
            strangers(&names(&["x", "bug", "y", "z"]), &known).as_deref(),
            Some("items 1, 3 and 4 of 4")
        );
    }
}
