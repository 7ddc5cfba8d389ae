//! What changes by itself: what two reads of one state differ in though nothing was done between
//! them (roles `before` and `control` of one case).
//!
//! Owns pairing such reads over a whole contract, once, so that no case looks through all others.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::compare::{differences, is_correlation, payload};
use crate::capture::{Flow, Role, Step};
use crate::contract::{Answer, Contract, Exchange};

/// The pairs of a contract, by the request that was made twice.
#[derive(Debug, Default)]
pub struct Controls {
    by_request: HashMap<String, Repeats>,
}

/// What pairs of one request tell.
#[derive(Debug, Default)]
struct Repeats {
    /// What they differ in, for every case. Where a read was repeated at once, with no other
    /// request in between, such pairs alone speak for other cases: elsewhere the other reads of
    /// the moment may be what changed it.
    of_all: BTreeSet<String>,
    /// What those of one case differ in.
    of_case: HashMap<(Flow, String), BTreeSet<String>>,
}

impl Controls {
    /// Pairs the reads of a contract.
    pub fn of(contract: &Contract) -> Controls {
        let mut pairs: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for control in 0..contract.exchanges.len() {
            if let Some(step) = control_step(contract, control) {
                let request = request_of(&contract.exchanges[control]);
                if let Some(before) = before(contract, control, step, &request) {
                    pairs.entry(request).or_default().push((before, control));
                }
            }
        }
        let by_request =
            pairs.into_iter().map(|(request, pairs)| (request, Repeats::of(contract, &pairs)));
        Controls { by_request: by_request.collect() }
    }

    /// Where the answers to a read change by themselves, for a case.
    pub fn masks(&self, read: &Exchange, case: Option<&Step>) -> BTreeSet<String> {
        let Some(repeats) = self.by_request.get(&request_of(read)) else { return BTreeSet::new() };
        let own = case.and_then(|step| repeats.of_case.get(&(step.flow, step.case.clone())));
        repeats.of_all.iter().chain(own.into_iter().flatten()).cloned().collect()
    }
}

impl Repeats {
    fn of(contract: &Contract, pairs: &[(usize, usize)]) -> Repeats {
        let is_alone = |(before, control): &(usize, usize)| before + 1 == *control;
        let any_alone = pairs.iter().any(is_alone);
        let mut repeats = Repeats::default();
        for pair in pairs {
            let changed = changed(&contract.exchanges[pair.0], &contract.exchanges[pair.1]);
            if !any_alone || is_alone(pair) {
                repeats.of_all.extend(changed.iter().cloned());
            }
            if let Some(step) = &contract.exchanges[pair.1].step {
                let case = (step.flow, step.case.clone());
                repeats.of_case.entry(case).or_default().extend(changed);
            }
        }
        repeats
    }
}

/// Where two answers differ; nothing when one of them shows nothing.
fn changed(before: &Exchange, control: &Exchange) -> BTreeSet<String> {
    if let (Answer::Result(one), Answer::Result(two)) = (&before.answer, &control.answer)
        && Arc::ptr_eq(one, two)
    {
        return BTreeSet::new();
    }
    match (payload(before), payload(control)) {
        (Some(one), Some(two)) => differences(&one, &two),
        _ => BTreeSet::new(),
    }
}

/// The step of a control read.
fn control_step(contract: &Contract, at: usize) -> Option<&Step> {
    let step = contract.exchanges[at].step.as_deref()?;
    let is_control = step.role == Some(Role::Control);
    (is_control && [Flow::ReadOnly, Flow::Idempotency].contains(&step.flow)).then_some(step)
}

/// The read of the same case that a control repeats.
fn before(contract: &Contract, control: usize, step: &Step, request: &str) -> Option<usize> {
    let step_of = |at: usize| contract.exchanges[at].step.as_deref();
    let is_of_case =
        |at: &usize| step_of(*at).is_some_and(|s| s.flow == step.flow && s.case == step.case);
    (0..control).rev().take_while(is_of_case).find(|at| {
        step_of(*at).is_some_and(|other| other.role == Some(Role::Before))
            && request_of(&contract.exchanges[*at]) == request
    })
}

/// A request as text that is equal for equal requests, tokens and `_meta` aside.
fn request_of(exchange: &Exchange) -> String {
    let mut text = format!("{} ", exchange.method);
    write_canonical(&exchange.params, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().filter(|(k, _)| !is_correlation(k)).collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in members {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        // `1` and `1.0` are one number.
        Value::Number(number) => match number.as_f64() {
            Some(number) => text.push_str(&(number + 0.0).to_string()),
            None => text.push_str(&number.to_string()),
        },
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_requests_are_one_text_and_different_ones_are_not() {
        let text = |value: Value| {
            let mut text = String::new();
            write_canonical(&value, &mut text);
            text
        };
        let one = json!({"a": 1, "b": ["x", {"c": null}], "_meta": {"n": 1}});
        let two = json!({"b": ["x", {"c": null, "request_id": "r"}], "a": 1.0});
        assert_eq!(text(one.clone()), text(two));
        for other in [json!({"a": 1}), json!({"a": 2, "b": ["x", {"c": null}]}), json!("1")] {
            assert_ne!(text(one.clone()), text(other));
        }
        assert_ne!(text(json!(["a,b"])), text(json!(["a", "b"])));
        assert_ne!(text(json!(1)), text(json!("1")));
    }
}
