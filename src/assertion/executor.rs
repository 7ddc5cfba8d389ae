//! How a check looks at one subject: a built-in function, or data.
//!
//! Owns compiling a check's program with errors in its place, and reading what a program says.

use jsonschema::Validator;
use regex::Regex;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::catalog::Check;
use super::check::{Builtin, Look, Reach, View, builtin, builtin_ids, finding};
use super::file::{CheckFile, How};
use super::{Of, Subject};
use crate::contract::{Contract, Exchange};
use crate::jq::{Input, Program};
use crate::score::Finding;
use crate::yaml::{self, FileError, place};

/// Variables that a jq program may use: the subject's name, the scenario's parameters, the check's
/// parameters, and the request that a call or exchange began with.
const VARIABLES: &[&str] = &["$name", "$params", "$with", "$request"];
/// Most findings that a schema gives of one subject.
const MOST_SCHEMA_ERRORS: usize = 8;

/// A compiled check.
#[derive(Debug)]
pub enum Executor {
    /// A function of ours, and how far it looks.
    Builtin(Builtin, Reach),
    /// A jq program.
    Jq(Program),
    /// A JSON Schema that the value must satisfy.
    Schema(Box<Validator>),
    /// A pattern that the string at a pointer must match.
    Regex {
        /// JSON pointer below the subject's value.
        at: String,
        /// The pattern.
        pattern: Regex,
    },
}

impl Executor {
    /// Compiles the executor of a check.
    pub(super) fn compile(
        check: &CheckFile,
        file: &str,
        text: &str,
    ) -> Result<Executor, FileError> {
        let here = place(check.id.defined);
        let missing = |key: &str| {
            let fix = Some(format!("add `{key}:` to the check"));
            FileError::at(file, text, here, format!("`use: {key}` needs the key `{key}`"), fix)
        };
        for (given, key, how) in [
            (check.jq.is_some(), "jq", How::Jq),
            (check.schema.is_some(), "schema", How::Schema),
            (check.regex.is_some(), "regex", How::Regex),
        ] {
            if given && check.how != how {
                let message = format!("the key `{key}` goes with `use: {key}` only");
                return Err(FileError::at(file, text, here, message, None));
            }
        }
        match check.how {
            How::Builtin => match builtin(&check.id.value) {
                Some((look, reach)) => Ok(Executor::Builtin(look, reach)),
                None => {
                    let known: Vec<_> = builtin_ids().collect();
                    let fix = yaml::nearest(&check.id.value, known)
                        .map(|near| format!("did you mean `{near}`?"));
                    let message = format!("no built-in check is named `{}`", check.id.value);
                    Err(FileError::at(file, text, here, message, fix))
                }
            },
            How::Jq => {
                let jq = check.jq.as_ref().ok_or_else(|| missing("jq"))?;
                let program = Program::compile(&jq.value, VARIABLES).map_err(|error| {
                    let at = place_in(text, jq, error.offset);
                    FileError::at(file, text, at, format!("in this jq program: {error}"), None)
                })?;
                Ok(Executor::Jq(program))
            }
            How::Schema => {
                let schema = check.schema.as_ref().ok_or_else(|| missing("schema"))?;
                let validator = jsonschema::validator_for(&schema.value).map_err(|error| {
                    let message = format!("not a usable JSON Schema: {error}");
                    FileError::at(file, text, place(schema.defined), message, None)
                })?;
                Ok(Executor::Schema(Box::new(validator)))
            }
            How::Regex => {
                let regex = check.regex.as_ref().ok_or_else(|| missing("regex"))?;
                let pattern = Regex::new(&regex.pattern.value).map_err(|error| {
                    let why = error.to_string();
                    let why = why.lines().last().unwrap_or_default().trim();
                    let message = format!("not a usable pattern: {why}");
                    FileError::at(file, text, place(regex.pattern.defined), message, None)
                })?;
                Ok(Executor::Regex { at: regex.at.clone(), pattern })
            }
        }
    }

    /// How far the check looks. Data checks are given nothing but values.
    pub(super) fn reach(&self) -> Reach {
        match self {
            Executor::Builtin(_, reach) => *reach,
            Executor::Jq(_) | Executor::Schema(_) | Executor::Regex { .. } => Reach::Values,
        }
    }

    /// Looks at one subject, whose value `input` holds for the programs that look at it.
    pub(super) fn look(
        &self,
        check: &Check,
        view: &View<'_>,
        subject: &Subject<'_>,
        input: &Input<'_>,
    ) -> Look {
        match self {
            Executor::Builtin(look, _) => look(view, subject),
            Executor::Jq(program) => look_with_jq(program, view, subject, input),
            Executor::Schema(validator) => Look::of(
                validator
                    .iter_errors(&subject.value)
                    .take(MOST_SCHEMA_ERRORS)
                    .map(|error| {
                        let below = error.instance_path().to_string();
                        let message = check.message.replace("{name}", &subject.name);
                        finding(subject, &below, format!("{message}: {error}"), "")
                    })
                    .collect(),
            ),
            Executor::Regex { at, pattern } => match subject.value.pointer(at) {
                None => Look::Skip(format!("nothing at `{at}`")),
                Some(Value::String(text)) if pattern.is_match(text) => Look::Fine,
                Some(_) => Look::of(vec![finding(subject, at, "", check.expected.clone())]),
            },
        }
    }
}

/// Runs a program. Each of its outputs is: `true`, fine; `false`, a finding with the check's
/// message; a string, a finding with that message; an object with `message` (and `pointer`,
/// `expected`, `actual`, `severity`), a finding; an object with `skip`, `inapplicable` or `ask`, that look.
fn look_with_jq(
    program: &Program,
    view: &View<'_>,
    subject: &Subject<'_>,
    input: &Input<'_>,
) -> Look {
    // What a program does not look at is not copied for it: payloads may be large.
    let given = |place: usize, value: &dyn Fn() -> Value| match program.uses(place) {
        true => value(),
        false => Value::Null,
    };
    let name = given(0, &|| Value::String(subject.name.clone()));
    let params = given(1, &|| Value::Object(view.contract.params().clone()));
    let with = given(2, &|| Value::Object(view.with.clone()));
    let request = given(3, &|| match &subject.of {
        Of::Call(call) => request_of(call.exchange),
        Of::Exchange(exchange) => request_of(exchange),
        _ => Value::Null,
    });
    let outputs = match program.run(input, &[&name, &params, &with, &request]) {
        Ok(outputs) => outputs,
        Err(why) => return Look::GaveUp(format!("the check's program gave up: {why}")),
    };
    if outputs.is_empty() {
        return Look::Skip("the check's program said nothing".to_owned());
    }
    let mut findings = Vec::new();
    for output in outputs {
        match output {
            Value::Bool(true) => {}
            Value::Bool(false) => findings.push(finding(subject, "", "", "")),
            Value::String(message) => findings.push(finding(subject, "", message, "")),
            Value::Object(said) => {
                let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
                if let Some(why) = text("skip") {
                    return Look::Skip(why);
                }
                if let Some(why) = text("inapplicable") {
                    return Look::Inapplicable(why);
                }
                if let Some(question) = text("ask") {
                    return Look::Ask(question);
                }
                let below = text("pointer").unwrap_or_default();
                let mut found = located(view, subject, &below);
                found.message = text("message").unwrap_or_default();
                found.expected = text("expected").unwrap_or_default();
                found.severity = said
                    .get("severity")
                    .and_then(|severity| serde_json::from_value(severity.clone()).ok());
                if let Some(actual) = said.get("actual") {
                    found.actual = actual.clone();
                }
                findings.push(found);
            }
            other => {
                return Look::GaveUp(format!(
                    "the check's program said {other}, which means nothing"
                ));
            }
        }
    }
    Look::of(findings)
}

fn request_of(exchange: &Exchange) -> Value {
    serde_json::json!({ "method": &*exchange.method, "params": &*exchange.params })
}

/// A finding below a subject. The catalog is no message of the wire, so a pointer into one of its
/// records is turned into a pointer into the message that showed the record.
fn located(view: &View<'_>, subject: &Subject<'_>, below: &str) -> Finding {
    let mut found = finding(subject, below, "", "");
    let mut parts = below.splitn(4, '/').skip(1);
    let (kind, index, rest) = (parts.next(), parts.next(), parts.next());
    if let Of::Contract = subject.of
        && let Some(index) = index.and_then(|index| index.parse::<usize>().ok())
        && let Some((name, seq, pointer)) = shown(view.contract, kind.unwrap_or_default(), index)
    {
        name.clone_into(&mut found.subject);
        found.seq = seq;
        found.pointer = match rest {
            // A summary is shown as text; what is in it has no place of its own in the message.
            Some(rest) if kind != Some("summary") => format!("{pointer}/{rest}"),
            _ => pointer.to_owned(),
        };
    }
    found
}

/// The name of a record of the catalog, the events that showed it, and its pointer there.
fn shown<'a>(
    contract: &'a Contract,
    kind: &str,
    index: usize,
) -> Option<(&'a str, Vec<u64>, &'a str)> {
    Some(match kind {
        "tools" => contract.tools.get(index).map(|t| (&*t.name, vec![t.seq], &*t.pointer))?,
        "resources" => {
            contract.resources.get(index).map(|r| (&*r.uri, vec![r.seq], &*r.pointer))?
        }
        "resourceTemplates" => {
            contract.templates.get(index).map(|t| (&*t.uri_template, vec![t.seq], &*t.pointer))?
        }
        "prompts" => contract.prompts.get(index).map(|p| (&*p.name, vec![p.seq], &*p.pointer))?,
        "summary" => {
            let carrier = contract.summary.carriers.get(index)?;
            (&*carrier.name, carrier.seq.clone(), &*carrier.pointer)
        }
        _ => return None,
    })
}

/// Line and column of a byte offset within a YAML scalar: exact for block scalars, whose place is
/// where their text begins, and for others as long as they are written on one line.
pub(super) fn place_in(text: &str, scalar: &Spanned<String>, offset: usize) -> (u64, u64) {
    let (line, column) = place(scalar.defined);
    let before = &scalar.value[..offset.min(scalar.value.len())];
    let down = before.matches('\n').count() as u64;
    let along = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
    let number = |place: u64| usize::try_from(place).unwrap_or(1).saturating_sub(1);
    let source = text.lines().nth(number(line)).unwrap_or_default();
    let quoted = source.chars().nth(number(column)).is_some_and(|c| c == '"' || c == '\'');
    (line + down, column + u64::from(quoted) + along)
}
