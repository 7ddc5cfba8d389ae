//! A10: the error path is its own contract (rules `3.output-schema-scope`, `6.retryability`,
//! `6.presence`, `6.degraded-carrier`, `6.rename`, `3.declare-effects`).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::failure::{Failure, Form};
use super::prose::pattern;
use super::{Builtin, Look, View};
use crate::assertion::{Of, Subject};
use crate::contract::{Contract, Dialect, EnvelopeCarrier, Part, Tool};
use crate::schema::walk;
use crate::score::Finding;
use crate::wire::Revision;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[("error-shape-documented", error_shape_documented)];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("errors-carried-structured", errors_carried_structured),
    ("envelope-members-present", envelope_members_present),
    ("nothing-sent-empty", nothing_sent_empty),
    ("retry-signals-consistent", retry_signals_consistent),
    ("renames-kept", renames_kept),
    ("rate-limits-structured", rate_limits_structured),
];

/// A failure that is no rejection by the protocol, or why it is none.
pub fn read<'a>(view: &View<'a>, subject: &Subject<'a>) -> Result<Failure<'a>, String> {
    let failure = Failure::of(view.contract, subject).ok_or("not a failure")?;
    if failure.call.is_some_and(|call| call.tool.is_none()) {
        return Err("the tool is not listed: a protocol rejection".into());
    }
    Ok(failure)
}

/// An error result carries its envelope in structured content; in text only when that is disclosed.
fn errors_carried_structured(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let revision = view.contract.revision_of(failure.exchange).or(view.contract.revision);
    if revision.is_some_and(|revision| !Revision::has_structured_content(revision)) {
        return Look::Inapplicable("before 2025-06-18 text was the carrier".into());
    }
    match &failure.envelope {
        Some(envelope) if envelope.carrier != EnvelopeCarrier::ContentText => Look::Fine,
        Some(_) if is_text_carrier_disclosed(view) => Look::Fine,
        Some(_) if !view.contract.summary.unread.is_empty() => {
            Look::Skip("a summary that may disclose the text carrier was not read".into())
        }
        Some(_) => Look::Faulty(vec![failure.finding(
            subject,
            Part::Code,
            format!("{} sends its error envelope as text, and no summary says when", subject.name),
            "the envelope in structuredContent, or a summary that says when text carries it",
        )]),
        None => Look::Faulty(vec![Finding {
            actual: failure.said(),
            ..failure.finding(
                subject,
                Part::Code,
                match failure.form() {
                    Form::Prose => format!("{} sends an error without an envelope", subject.name),
                    form => format!("{} sends an error as {form}", subject.name),
                },
                "the envelope in structuredContent",
            )
        }]),
    }
}

/// Whether a summary says that the envelope rides in text, and when.
fn is_text_carrier_disclosed(view: &View<'_>) -> bool {
    static CARRIER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)(envelope|errors?)\b[^.]{0,120}\b(in|as|inside)\b[^.]{0,20}\b(text|content\[0\])[^.]{0,120}\b(when|if|unless|for clients|before)\b",
        )
    });
    let carriers = &view.contract.summary.carriers;
    let disclosed = || carriers.iter().any(|carrier| CARRIER.is_match(&carrier.text));
    *view.survey.text_carrier_is_disclosed.get_or_init(disclosed)
}

/// `code`, `message`, `temporary` and `retry_after_ms` are there on every error.
fn envelope_members_present(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let Some(envelope) = &failure.envelope else {
        return Look::Skip("prose without an envelope".into());
    };
    // On that carrier the message of the dialect stands beside the data.
    let elsewhere = |part: &Part| {
        envelope.dialect == Dialect::TsCore
            && envelope.carrier == EnvelopeCarrier::ErrorData
            && *part == Part::Message
    };
    // That a code is missing is said by `errors-carry-symbolic-code`.
    let required = [Part::Message, Part::Temporary, Part::RetryAfterMs];
    let missing: Vec<_> = required
        .into_iter()
        .filter(|part| failure.part(*part).is_none() && !elsewhere(part))
        .map(|part| match envelope.spelling(part) {
            Some(spelling) => format!("{} ({spelling})", part.name()),
            None => part.name().to_owned(),
        })
        .collect();
    if missing.is_empty() {
        return Look::Fine;
    }
    let dialect = match envelope.dialect {
        Dialect::TsCore => "ts-core ",
        Dialect::AgentFacing | Dialect::Text => "",
    };
    Look::Faulty(vec![failure.finding(
        subject,
        Part::Details,
        format!("the {dialect}error envelope of {} lacks {}", subject.name, missing.join(", ")),
        "message, temporary and retry_after_ms on every error (retry_after_ms may be null)",
    )])
}

/// Members that may be left out are never sent null or empty.
fn nothing_sent_empty(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let Some(envelope) = &failure.envelope else {
        return Look::Skip("prose without an envelope".into());
    };
    if envelope.dialect == Dialect::TsCore {
        return Look::Skip("another dialect spells these members otherwise".into());
    }
    let optional =
        ["details", "repair", "rate_limit_remaining", "request_id", "resource_uri", "fingerprint"];
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let findings = optional
        .iter()
        .filter(|name| envelope.object.get(**name).is_some_and(is_empty))
        .map(|name| {
            let pointer = match envelope.carrier {
                EnvelopeCarrier::ContentText => envelope.carrier.pointer().to_owned(),
                other => format!("{}/{name}", other.pointer()),
            };
            Finding {
                pointer,
                actual: envelope.object[*name].clone(),
                ..failure.finding(
                    subject,
                    Part::Details,
                    format!("{} sends {name} empty instead of leaving it out", subject.name),
                    "the member left out",
                )
            }
        });
    Look::of(findings.collect())
}

/// `temporary` is a boolean, and a delay is a number only on a temporary error.
fn retry_signals_consistent(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    if failure.envelope.is_none() {
        return Look::Skip("prose without an envelope".into());
    }
    let (temporary, delay) = (failure.part(Part::Temporary), failure.part(Part::RetryAfterMs));
    // Absence is judged by envelope-members-present.
    if temporary.is_none() && delay.is_none() {
        return Look::Skip("the envelope carries no retry signal".into());
    }
    let wrong = |part: Part, message: &str, expected: &str| {
        failure.finding(subject, part, format!("{}: {message}", subject.name), expected)
    };
    let mut findings = Vec::new();
    if temporary.is_some_and(|value| !value.is_boolean()) {
        findings.push(wrong(Part::Temporary, "temporary is no boolean", "true or false"));
    }
    match delay {
        Some(Value::Null) | None => {}
        Some(value) if value.as_u64().is_none() => {
            findings.push(wrong(
                Part::RetryAfterMs,
                "retry_after_ms is no whole number of milliseconds",
                "null, or an integer from 0",
            ));
        }
        Some(_) if temporary == Some(&Value::Bool(false)) => {
            findings.push(wrong(
                Part::RetryAfterMs,
                "retry_after_ms is a number although temporary is false",
                "null",
            ));
        }
        Some(_) => {}
    }
    Look::of(findings)
}

/// An error of too many requests says for how long, or what is left.
fn rate_limits_structured(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let Some(envelope) = failure.envelope.as_ref().filter(|_| failure.is_rate_limit()) else {
        return Look::Skip("no rate limit was met".into());
    };
    let remaining = envelope.object.get("rate_limit_remaining").and_then(Value::as_u64);
    if envelope.retry_after_ms().is_some() || remaining.is_some() {
        return Look::Fine;
    }
    Look::Faulty(vec![failure.finding(
        subject,
        Part::RetryAfterMs,
        format!("{} is limited and says neither for how long nor what is left", subject.name),
        "retry_after_ms or rate_limit_remaining, an integer",
    )])
}

/// `machine_code` and `human_message` are the spelling in `error.data`, and only there.
fn renames_kept(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let Some(envelope) = failure.envelope.as_ref().filter(|e| e.dialect == Dialect::AgentFacing)
    else {
        return Look::Skip("no envelope of this dialect".into());
    };
    let on_rpc = envelope.carrier == EnvelopeCarrier::ErrorData;
    let (right, wrong) = match on_rpc {
        true => (["machine_code", "human_message"], ["code", "message"]),
        false => (["code", "message"], ["machine_code", "human_message"]),
    };
    let found: Vec<_> =
        wrong.into_iter().filter(|name| envelope.object.get(*name).is_some()).collect();
    if found.is_empty() {
        return Look::Fine;
    }
    let place = if on_rpc { "error.data" } else { "a tool result" };
    Look::Faulty(vec![failure.finding(
        subject,
        if found[0].contains("code") { Part::Code } else { Part::Message },
        format!("{} spells {} in {place}", subject.name, found.join(" and ")),
        format!("{} in {place}", right.join(" and ")),
    )])
}

/// The shape of a tool's errors is documented apart from its successes, or united with them.
fn error_shape_documented(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let contract = view.contract;
    let failures: Vec<_> = contract
        .calls_of(&tool.name)
        .filter(|exchange| exchange.result().is_some())
        .filter_map(|exchange| Failure::read(contract, exchange))
        .filter(|failure| failure.envelope.is_some())
        .collect();
    let Some(first) = failures.first() else {
        return Look::Skip("no error of the tool carries an envelope".into());
    };
    if is_united(contract, tool, first) || is_documented(view, tool) {
        return Look::Fine;
    }
    if let Some(unread) = contract.summary.unread.first() {
        return Look::Skip(format!("{unread} may document the envelope and was not read"));
    }
    let code = first.code().unwrap_or("an error");
    Look::Faulty(vec![Finding {
        severity: None,
        subject: tool.name.clone(),
        message: format!("{} answered {code}, and nothing documents the shape of its errors", tool.name),
        seq: first.exchange.seqs(),
        pointer: first.envelope.as_ref().map(|e| e.carrier.pointer().to_owned()).unwrap_or_default(),
        actual: Value::Null,
        expected: "the envelope in the summary, the tool's _meta or description, or a union in its output schema".into(),
    }])
}

/// Whether the root of the output schema is a union with a branch for errors that this one fits.
fn is_united(contract: &Contract, tool: &Tool, failure: &Failure<'_>) -> bool {
    let Some(output) = &tool.output else { return false };
    let requires = |branch: &Value, name: &str| {
        branch
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|n| n == name))
    };
    let branches =
        ["oneOf", "anyOf"].iter().filter_map(|key| output.get(*key)?.as_array()).flatten();
    let has_branch = branches.map(|branch| match branch.get("$ref").and_then(Value::as_str) {
        Some(target) => output.pointer(target.trim_start_matches('#')).unwrap_or(branch),
        None => branch,
    });
    let fits = || {
        let structured = failure.call.and_then(|call| call.structured());
        structured.is_some_and(|value| contract.validator(output).is_ok_and(|v| v.is_valid(value)))
    };
    has_branch.into_iter().any(|branch| requires(branch, "code") && requires(branch, "temporary"))
        && fits()
}

/// Whether a surface that the agent sees names the members of the envelope, or points there.
fn is_documented(view: &View<'_>, tool: &Tool) -> bool {
    let meta = tool.record.get("_meta").map(Value::to_string).unwrap_or_default();
    // An inline list of codes is a pointer to the errors' own shape.
    let inline_codes = meta.contains("error") && meta.contains("code");
    let everywhere = &view.survey.envelope_is_documented;
    inline_codes
        || names_envelope(&meta)
        || names_envelope(&tool.description)
        || *everywhere.get_or_init(|| is_documented_for_all(view.contract))
        || tool.output.as_deref().is_some_and(|output| {
            walk(output).iter().any(|place| {
                place.path.is_empty()
                    && place
                        .schema
                        .get("required")
                        .is_some_and(|r| r.to_string().contains("temporary"))
            })
        })
}

/// Whether a summary or a resource that was read names the members of the envelope.
fn is_documented_for_all(contract: &Contract) -> bool {
    let catalog =
        contract.exchanges.iter().filter(|exchange| &*exchange.method == "resources/read");
    let in_resource = |value: &Value| {
        let contents = value.get("contents").and_then(Value::as_array);
        let mut texts =
            contents.into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
        texts.any(names_envelope)
    };
    contract.summary.carriers.iter().any(|carrier| names_envelope(&carrier.text))
        || catalog.filter_map(|exchange| exchange.result()).any(in_resource)
}

/// Whether a text speaks of errors and names members of the envelope.
fn names_envelope(text: &str) -> bool {
    let members = [
        "code",
        "message",
        "temporary",
        "retry_after_ms",
        "repair",
        "details",
        "structuredContent",
        "error.data",
    ];
    text.to_lowercase().contains("error")
        && members.iter().filter(|member| text.contains(*member)).count() >= 2
}
