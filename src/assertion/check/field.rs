//! A4: a rejected argument is named by its published path, with the reason and what is allowed
//! (rules `6.field-feedback`, `6.details-field`).

use serde_json::Value;

use super::failure::Failure;
use super::violation::{Violation, is_published, normal_path};
use super::{Builtin, Look, View};
use crate::assertion::Subject;
use crate::contract::Part;

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("field-and-reason-given", field_and_reason_given),
    ("allowed-values-named", allowed_values_named),
    ("field-is-published", field_is_published),
    ("field-is-the-broken-one", field_is_the_broken_one),
];

/// Enumerations longer than this may be looked up through a repair instead.
const LONG_ENUM: usize = 50;

/// A refusal of a call's arguments with its envelope, or why there is nothing to judge.
fn refusal<'a>(view: &View<'a>, subject: &Subject<'a>) -> Result<Failure<'a>, String> {
    let failure = Failure::of(view.contract, subject).ok_or("the call was not refused")?;
    if failure.exchange.error().is_some() {
        return Err("refused as a JSON-RPC error".into());
    }
    if let Some(why) = failure.environment() {
        return Err(why.into());
    }
    if failure.envelope.is_none() {
        return Err("prose without an envelope".into());
    }
    Ok(failure)
}

/// A refused argument is named, and the reason is given.
fn field_and_reason_given(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match refusal(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let violations = failure.violations();
    if violations.is_empty() {
        return Look::Skip("the arguments are valid".into());
    }
    if failure.fields().is_empty() {
        return Look::Faulty(vec![failure.finding(
            subject,
            Part::Details,
            format!("{} refuses {} and names no field", subject.name, said(&violations)),
            "details.field, a published path",
        )]);
    }
    let only_unknown = violations.iter().all(Violation::is_unknown_property);
    let details = failure.part(Part::Details);
    // The issues of a dialect carry the reason one by one.
    let has_reason = |value: &Value| {
        ["reason", "message"].iter().any(|key| {
            value.get(*key).and_then(Value::as_str).is_some_and(|reason| !reason.trim().is_empty())
        })
    };
    let reason = details.is_some_and(|details| {
        has_reason(details)
            || details.as_array().is_some_and(|issues| issues.iter().any(has_reason))
    });
    if reason || only_unknown {
        return Look::Fine;
    }
    Look::Faulty(vec![failure.finding(
        subject,
        Part::Details,
        format!("{} refuses {} and gives no reason", subject.name, said(&violations)),
        "details.reason, a sentence",
    )])
}

fn said(violations: &[Violation]) -> String {
    violations.first().map_or_else(String::new, |one| {
        let name = if one.path.is_empty() { "the arguments" } else { &one.path };
        format!("a broken {} of {name}", one.keyword)
    })
}

/// A value out of an enumeration is answered with every allowed value.
fn allowed_values_named(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match refusal(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let violations = failure.violations();
    let [one] = &violations[..] else {
        return Look::Skip("not exactly one broken constraint".into());
    };
    if one.keyword != "enum" || one.allowed.is_empty() {
        return Look::Skip("not out of an enumeration".into());
    }
    if one.allowed.len() > LONG_ENUM && failure.repair().is_some() {
        return Look::Fine;
    }
    let details = failure.part(Part::Details).map(Value::to_string).unwrap_or_default();
    let missing: Vec<String> = one
        .allowed
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .filter(|value| !details.contains(value.as_str()))
        .collect();
    if missing.is_empty() {
        return Look::Fine;
    }
    Look::Faulty(vec![failure.finding(
        subject,
        Part::Details,
        format!(
            "{} refuses a value of {} and does not say that {} is allowed",
            subject.name,
            one.path,
            missing.join(", ")
        ),
        "every allowed value in details",
    )])
}

/// `details` has exactly one of `field` and `fields`, and each path is one of the input schema.
fn field_is_published(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some(details) = failure.part(Part::Details) else {
        return Look::Skip("the failure has no details".into());
    };
    let wrong = |message: String, expected: &str| {
        Look::Faulty(vec![failure.finding(subject, Part::Details, message, expected)])
    };
    let (one, many) = (details.get("field"), details.get("fields"));
    if one.is_some() && many.is_some() {
        return wrong(
            format!("{} names both field and fields", subject.name),
            "field for one parameter, fields for several",
        );
    }
    if one.is_some_and(|field| !field.is_string()) {
        return wrong(format!("{}: details.field is no string", subject.name), "a string");
    }
    if let Some(fields) = many {
        let names: Option<Vec<&str>> =
            fields.as_array().and_then(|all| all.iter().map(Value::as_str).collect());
        let distinct = names.as_ref().is_some_and(|names| {
            !names.is_empty()
                && names.iter().enumerate().all(|(at, name)| !names[..at].contains(name))
        });
        if !distinct {
            return wrong(
                format!("{}: details.fields is no list of distinct names", subject.name),
                "a list of distinct parameter paths that is not empty",
            );
        }
    }
    let fields = failure.fields();
    if fields.is_empty() {
        return Look::Skip("the failure names no field".into());
    }
    let violations = failure.violations();
    let known = |field: &str| {
        let path = normal_path(field);
        let path = path.strip_prefix("arguments.").unwrap_or(&path);
        // A refusal by JSON-RPC is about the parameters of the method, not those of the tool.
        if failure.exchange.error().is_some() && failure.exchange.params.get(path).is_some() {
            return true;
        }
        match failure.call.and_then(|call| call.tool) {
            Some(tool) => {
                is_published(&tool.input, path)
                    || violations.iter().any(|one| one.is_unknown_property() && one.path == path)
                    || failure.call.and_then(|call| call.arguments).is_some_and(|sent| {
                        // An extra key of a schema that does not close.
                        sent.contains_key(path)
                            && tool.input.pointer("/additionalProperties").is_none()
                    })
            }
            None => {
                failure.exchange.params.get(path).is_some()
                    || matches!(path, "uri" | "cursor" | "name")
            }
        }
    };
    match fields.iter().find(|field| !known(field)) {
        None => Look::Fine,
        Some(field) => wrong(
            format!(
                "{} names the field {field}, which its input schema does not publish",
                subject.name
            ),
            "a path of the published input schema",
        ),
    }
}

/// Where exactly one constraint was broken, the reported field is that property.
fn field_is_the_broken_one(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match refusal(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let violations = failure.violations();
    let fields = failure.fields();
    if violations.is_empty() || fields.is_empty() {
        return Look::Skip("no field is named, or nothing is broken".into());
    }
    // A combinator reports the place where it stands, not the property that broke it.
    let vague = violations.iter().any(|one| {
        one.path.is_empty()
            || matches!(
                one.keyword.as_str(),
                "anyOf" | "oneOf" | "not" | "dependentRequired" | "falseSchema"
            )
    });
    if vague {
        return Look::Skip("which property is broken cannot be told".into());
    }
    let meets = fields.iter().any(|field| {
        let field = normal_path(field);
        let field = field.strip_prefix("arguments.").unwrap_or(&field);
        violations.iter().any(|one| {
            one.path == field
                || field.starts_with(&format!("{}.", one.path))
                || one.path.starts_with(&format!("{field}."))
        })
    });
    if meets {
        return Look::Fine;
    }
    Look::Faulty(vec![failure.finding(
        subject,
        Part::Details,
        format!(
            "{} names the field {}, and the call broke {}",
            subject.name,
            fields.join(", "),
            violations[0].path
        ),
        format!("the field {}", violations[0].path),
    )])
}
