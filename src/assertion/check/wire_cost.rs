//! W6: what an agent must load before its first useful call is within budget.

use serde_json::{Value, json};

use super::wire_facts::finding_at;
use super::{Builtin, Look, View};
use crate::assertion::Subject;

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] =
    &[("cold-start-bytes", cold_start_bytes), ("cold-start-tokens", cold_start_tokens)];

fn cold_start_bytes(view: &View<'_>, subject: &Subject<'_>) -> Look {
    budget(view, subject, "discovery_bytes", Unit::Bytes)
}

fn cold_start_tokens(view: &View<'_>, subject: &Subject<'_>) -> Look {
    budget(view, subject, "discovery_tokens", Unit::Tokens)
}

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Tokens,
}

/// Holds a cost against a budget of the scenario. Without a budget there is nothing to fail: the
/// figure is the reason given.
fn budget(view: &View<'_>, subject: &Subject<'_>, key: &str, unit: Unit) -> Look {
    let cost = view.cost;
    let (spent, figure) = match unit {
        Unit::Bytes => (cost.discovery_bytes, format!("{} bytes", cost.discovery_bytes)),
        Unit::Tokens => {
            let figure = format!("{} tokens ({})", cost.discovery_tokens, cost.tokenizer);
            (cost.discovery_tokens, figure)
        }
    };
    if cost.discovery_bytes == 0 {
        return Look::Skip("nothing was discovered".to_owned());
    }
    let budgets = view.contract.params().get("budgets");
    let Some(budget) = budgets.and_then(|budgets| budgets.get(key)).and_then(Value::as_u64) else {
        return Look::Inapplicable(format!(
            "a cold start costs {figure}; the scenario sets no budget {key}"
        ));
    };
    if spent <= budget {
        return Look::Fine;
    }
    let message = format!("a cold start costs {figure}, over the budget of {budget}");
    let expected = format!("at most {budget} (scenario budget {key})");
    let seq = subject.seq.clone();
    Look::Faulty(vec![finding_at(subject, seq, "", json!(spent), message, expected)])
}
