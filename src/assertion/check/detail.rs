//! A7: results are brief by default, and the level of detail changes density alone (rules
//! `8.concise-default`, `8.detail-orthogonal`, `8.detail-row-count`, `8.per-capability-detail`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::compare::{differences, in_role, is_masked, payload, succeeded};
use super::rows::{continuation, id_key, is_token_name, rows};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{Exchange, Tool};
use crate::schema::{DetailKind, declared_rows, detail, leaf_properties, parameters, walk};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("concise-by-default", concise_by_default),
    ("detail-only-adds", detail_only_adds),
    ("detail-keeps-rows", detail_keeps_rows),
    ("detail-offered-throughout", detail_offered_throughout),
];

/// Leaf properties from which on a result is rich (rule `8.per-capability-detail`).
const RICH: usize = 10;
/// Leaf properties below which even a row has nothing worth leaving out.
const POOR: usize = 5;

/// The answers of one detail case.
struct Levels<'a> {
    brief: (&'a Exchange, Value),
    full: (&'a Exchange, Value),
    omitted: Option<(&'a Exchange, Value)>,
    /// The brief level again.
    control: Value,
    masks: BTreeSet<String>,
}

impl<'a> Levels<'a> {
    fn of(subject: &Subject<'a>) -> Result<Levels<'a>, String> {
        let Of::Case(case) = &subject.of else { return Err("not a case".into()) };
        let read = |role| {
            let exchange = in_role(case, role).into_iter().find(|exchange| succeeded(exchange))?;
            Some((exchange, payload(exchange)?))
        };
        let (Some(brief), Some(full)) = (read(Role::Brief), read(Role::Full)) else {
            return Err("the two levels were not both answered".into());
        };
        let Some(control) = read(Role::Control) else {
            return Err("no control shows what varies by itself".into());
        };
        let masks = differences(&brief.1, &control.1);
        if masks.contains("") {
            return Err("everything in the result varies by itself".into());
        }
        Ok(Levels { omitted: read(Role::Omitted), brief, full, control: control.1, masks })
    }

    fn seqs(&self) -> Vec<u64> {
        [self.brief.0.seqs(), self.full.0.seqs()].concat()
    }

    fn finding(
        &self,
        subject: &Subject<'_>,
        message: String,
        actual: Value,
        expected: &str,
    ) -> Finding {
        Finding {
            severity: None,
            subject: subject.name.clone(),
            message,
            seq: self.seqs(),
            pointer: "/result/structuredContent".into(),
            actual,
            expected: expected.into(),
        }
    }
}

/// Leaving the level out gives the brief result, and the full one is larger.
fn concise_by_default(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let levels = match Levels::of(subject) {
        Ok(levels) => levels,
        Err(why) => return Look::Skip(why),
    };
    let Some((omitted, default)) = &levels.omitted else {
        return Look::Skip("the call without a level was not answered".into());
    };
    let changed = differences(&levels.brief.1, default)
        .into_iter()
        .find(|pointer| !is_masked(pointer, &levels.masks) && !ends_in_token(pointer));
    if let Some(pointer) = changed {
        let mut found = levels.finding(
            subject,
            format!(
                "{}: without a level the result is not the brief one; it differs at {pointer}",
                subject.name
            ),
            default.pointer(&pointer).cloned().unwrap_or_default(),
            "the brief result by default",
        );
        found.seq = [levels.brief.0.seqs(), omitted.seqs()].concat();
        return Look::Faulty(vec![found]);
    }
    let bytes = |value: &Value| value.to_string().len();
    let (brief, full) = (bytes(&levels.brief.1), bytes(&levels.full.1));
    let no_rows = rows(&levels.full.1).is_none() && rows(&levels.brief.1).is_none();
    if brief < full {
        return Look::Fine;
    }
    if no_rows || brief == full {
        // Nothing that this input shows is long enough to be left out.
        return Look::Skip("the levels are equally long for this input".into());
    }
    Look::Faulty(vec![levels.finding(
        subject,
        format!("{}: the brief result has {brief} bytes, the full one {full}", subject.name),
        Value::from(brief),
        "a brief result that is shorter",
    )])
}

fn ends_in_token(pointer: &str) -> bool {
    pointer.rsplit('/').next().is_some_and(is_token_name)
}

/// What the brief level shows, the full level shows too, with the same name, type and value.
fn detail_only_adds(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let levels = match Levels::of(subject) {
        Ok(levels) => levels,
        Err(why) => return Look::Skip(why),
    };
    let mut lost = Vec::new();
    let (brief, full) = (&levels.brief.1, &levels.full.1);
    match (rows(brief), rows(full)) {
        (Some(few), Some(many)) => {
            let Some(key) = id_key(few) else {
                return Look::Skip("nothing identifies the rows".into());
            };
            for row in few {
                let Some(same) = many.iter().find(|other| other.get(key) == row.get(key)) else {
                    continue;
                };
                differing(row, same, row, &mut String::new(), &mut lost);
            }
        }
        (None, None) => differing(brief, full, brief, &mut String::new(), &mut lost),
        _ => return Look::Skip("one level has rows and the other has none".into()),
    }
    lost.retain(|(pointer, _, _)| {
        !ends_in_token(pointer) && !levels.masks.iter().any(|mask| mask.ends_with(pointer.as_str()))
    });
    let Some((pointer, what, value)) = lost.into_iter().next() else { return Look::Fine };
    Look::Faulty(vec![levels.finding(
        subject,
        format!("{}: the full level {what} {pointer} of the brief one", subject.name),
        value,
        "every field of the brief level, with the same type and value",
    )])
}

/// Where the full value loses or changes what the brief one has. A brief text may be the beginning
/// of the full one when a flag says that it was cut.
fn differing(
    brief: &Value,
    full: &Value,
    owner: &Value,
    at: &mut String,
    lost: &mut Vec<(String, &'static str, Value)>,
) {
    match (brief, full) {
        (Value::Object(few), Value::Object(many)) => {
            for (name, value) in
                few.iter().filter(|(name, value)| !value.is_null() && !is_cut_flag(name))
            {
                let length = at.len();
                at.push('/');
                at.push_str(name);
                match many.get(name) {
                    Some(other) => differing(value, other, brief, at, lost),
                    None => lost.push((at.clone(), "leaves out", value.clone())),
                }
                at.truncate(length);
            }
        }
        (Value::Array(few), Value::Array(many)) if few.len() == many.len() => {
            for (index, (value, other)) in few.iter().zip(many).enumerate() {
                let length = at.len();
                at.push_str(&format!("/{index}"));
                differing(value, other, owner, at, lost);
                at.truncate(length);
            }
        }
        (Value::String(short), Value::String(long)) if short != long => {
            let begins = long.starts_with(short.trim_end_matches(['…', '.']));
            let flagged = owner
                .as_object()
                .is_some_and(|members| members.keys().any(|name| is_cut_flag(name)));
            if !(begins && flagged) {
                lost.push((at.clone(), "changes", full.clone()));
            }
        }
        (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => {
            lost.push((at.clone(), "changes the type of", full.clone()));
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (a, b) if a != b => lost.push((at.clone(), "changes", full.clone())),
        _ => {}
    }
}

fn is_cut_flag(name: &str) -> bool {
    name.to_lowercase().contains("truncated")
}

/// The rows and their order are the same at both levels.
fn detail_keeps_rows(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let levels = match Levels::of(subject) {
        Ok(levels) => levels,
        Err(why) => return Look::Skip(why),
    };
    let (brief, full) = (&levels.brief.1, &levels.full.1);
    let (Some(few), Some(many)) = (rows(brief), rows(full)) else {
        return Look::Inapplicable("no result with a level of detail has rows".into());
    };
    let key = id_key(few).or_else(|| id_key(many));
    let ids = |rows: &[Value]| -> Vec<Value> {
        rows.iter()
            .map(|row| key.and_then(|key| row.get(key)).cloned().unwrap_or_default())
            .collect()
    };
    if rows(&levels.control).map(|again| ids(again)) != Some(ids(few)) {
        return Look::Skip("the rows vary by themselves".into());
    }
    let more = |payload: &Value| {
        payload.as_object().and_then(|members| continuation(members).flag).map(|(_, more)| more)
    };
    if few.len() != many.len() {
        return Look::Faulty(vec![levels.finding(
            subject,
            format!(
                "{}: {} rows at the brief level, {} at the full one",
                subject.name,
                few.len(),
                many.len()
            ),
            Value::from(many.len()),
            "the same rows at every level",
        )]);
    }
    if key.is_some() && ids(few) != ids(many) {
        return Look::Faulty(vec![levels.finding(
            subject,
            format!("{}: the levels show other rows, or another order", subject.name),
            Value::from(ids(many)),
            "the same rows in the same order",
        )]);
    }
    if more(brief) != more(full) {
        return Look::Faulty(vec![levels.finding(
            subject,
            format!("{}: the levels disagree on whether there is more", subject.name),
            Value::from(more(full)),
            "the same continuation at every level",
        )]);
    }
    Look::Fine
}

/// Every read-only tool with a rich result offers the level of detail, in the same words.
fn detail_offered_throughout(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let tools = &view.contract.tools;
    let is_rich = |tool: &Tool| {
        tool.output.as_deref().is_some_and(|output| {
            // Media are shown or not; there is no brief form of them.
            let is_media = walk(output).iter().any(|place| place.path.ends_with("/mimeType"));
            let leaves = if is_media { 0 } else { leaf_properties(output) };
            leaves >= RICH || (leaves >= POOR && !declared_rows(output).is_empty())
        })
    };
    // A result that no parameter varies is fixed, and offers nothing to leave out.
    let in_scope =
        |tool: &&Tool| tool.is_read_only() && is_rich(tool) && !parameters(&tool.input).is_empty();
    let rich: Vec<_> = tools.iter().filter(in_scope).collect();
    if rich.is_empty() {
        return Look::Inapplicable("no read-only tool declares a rich result".into());
    }
    let known = tools.iter().find_map(|tool| {
        let found = detail(&tool.input).filter(|found| found.kind != DetailKind::Include)?;
        Some((tool, found))
    });
    let on_tool = |tool: &Tool, message: String, expected: String| Finding {
        subject: tool.name.clone(),
        seq: vec![tool.seq],
        pointer: format!("{}/inputSchema", tool.pointer),
        actual: Value::Null,
        message,
        ..finding(subject, "", "", expected)
    };
    let Some((example, pattern)) = known else {
        if rich.iter().any(|tool| detail(&tool.input).is_some()) {
            return Look::Fine;
        }
        return Look::Faulty(vec![on_tool(
            rich[0],
            format!(
                "{} of {} read-only tools declare a rich result, and none offers a brief one",
                rich.len(),
                tools.len()
            ),
            "a parameter that chooses between a brief and a full result".into(),
        )]);
    };
    let findings = rich.into_iter().filter_map(|tool| match detail(&tool.input) {
        None => Some(on_tool(
            tool,
            format!(
                "{} declares a rich result and offers no level of detail, as {} does",
                tool.name, example.name
            ),
            format!("the parameter {} with the same values", pattern.property),
        )),
        Some(own) => {
            let differs = own.kind == DetailKind::Levels
                && pattern.kind == DetailKind::Levels
                && (own.property != pattern.property
                    || own.brief != pattern.brief
                    || own.full != pattern.full);
            differs.then(|| {
                on_tool(
                    tool,
                    format!(
                        "{} offers detail by {}, and {} by {}",
                        tool.name, own.property, example.name, pattern.property
                    ),
                    "one name and one set of values for the level of detail".into(),
                )
            })
        }
    });
    Look::of(findings.collect())
}
