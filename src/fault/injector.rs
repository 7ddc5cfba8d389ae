//! Applies fault rules to frames.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::Rule;
use super::chance::chance;
use crate::capture::Direction;
use crate::jq::{CompileError, Input, Program};

/// What is wrong with a rule.
#[derive(Debug, Error)]
pub enum RuleError {
    /// No change, or more than one.
    #[error("use fault rule {rule}: it must have exactly one change, not {}", list(.found))]
    Changes {
        /// Its id, or its number from 1.
        rule: String,
        /// The changes that it has.
        found: Vec<&'static str>,
    },
    /// The jq program does not compile.
    #[error("use fault rule {rule}: {source}")]
    Jq {
        /// Its id, or its number from 1.
        rule: String,
        /// Why not.
        source: CompileError,
    },
    /// The probability is no probability.
    #[error("use fault rule {rule}: the probability {value} is not between 0 and 1")]
    Probability {
        /// Its id, or its number from 1.
        rule: String,
        /// The value.
        value: f64,
    },
}

fn list(found: &[&str]) -> String {
    if found.is_empty() { "none".to_owned() } else { found.join(" and ") }
}

/// What is to happen with a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Hand it on, after a delay.
    Frame {
        /// The bytes.
        bytes: Vec<u8>,
        /// How much later.
        after: Duration,
    },
    /// Close the connection.
    Close,
}

/// Rules with their state over a whole run. Sessions of one run share it.
#[derive(Debug)]
pub struct Injector {
    rules: Vec<Armed>,
    seed: u64,
    requests: HashMap<String, Value>,
    calls: Map<String, Value>,
    problems: Vec<String>,
}

/// A rule that is ready to be applied.
#[derive(Debug)]
struct Armed {
    rule: Rule,
    name: String,
    program: Option<Program>,
    matched: u64,
    applied: u64,
    /// A frame held back by `reorder`.
    held: Option<(Direction, Delivery)>,
}

/// What is known of a frame beside its bytes.
struct About {
    direction: Direction,
    /// The request that it answers, else null.
    request: Value,
}

impl Injector {
    /// Checks and compiles rules.
    ///
    /// # Errors
    /// [`RuleError`] for the first rule that cannot be applied.
    pub fn new(rules: Vec<Rule>, seed: u64) -> Result<Injector, RuleError> {
        let armed = rules.into_iter().enumerate().map(|(index, rule)| arm(index, rule));
        Ok(Injector {
            rules: armed.collect::<Result<_, _>>()?,
            seed,
            requests: HashMap::new(),
            calls: Map::new(),
            problems: Vec::new(),
        })
    }

    /// Changes a frame on its way to the target.
    pub fn outgoing(&mut self, bytes: Vec<u8>) -> Vec<Delivery> {
        let message: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        if let Some(tool) = tool_of(&message) {
            let seen = self.calls.get(tool).and_then(Value::as_u64).unwrap_or(0);
            self.calls.insert(tool.to_owned(), json!(seen + 1));
        }
        if let (Some(_), Some(id)) = (message.get("method"), message.get("id")) {
            self.requests.insert(id.to_string(), message.clone());
        }
        let about = About { direction: Direction::ClientToServer, request: Value::Null };
        self.apply(bytes, &about)
    }

    /// Changes a frame on its way from the target.
    pub fn incoming(&mut self, bytes: Vec<u8>) -> Vec<Delivery> {
        let message: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let request = match (message.get("method"), message.get("id")) {
            (None, Some(id)) => self.requests.remove(&id.to_string()).unwrap_or(Value::Null),
            _ => Value::Null,
        };
        let about = About { direction: Direction::ServerToClient, request };
        self.apply(bytes, &about)
    }

    /// Changes the head of an HTTP response to the given frame.
    pub fn response_head(
        &mut self,
        frame: &[u8],
        status: &mut u16,
        headers: &mut Vec<(String, String)>,
    ) {
        self.head(Direction::ServerToClient, frame, Some(status), headers);
    }

    /// Changes the head of the HTTP request that carries the given frame.
    pub fn request_head(&mut self, frame: &[u8], headers: &mut Vec<(String, String)>) {
        self.head(Direction::ClientToServer, frame, None, headers);
    }

    fn head(
        &mut self,
        direction: Direction,
        frame: &[u8],
        mut status: Option<&mut u16>,
        headers: &mut Vec<(String, String)>,
    ) {
        if !self.rules.iter().any(|armed| armed.rule.is_of_http()) {
            return;
        }
        let request: Value = serde_json::from_slice(frame).unwrap_or(Value::Null);
        let about = About { direction, request };
        for (index, armed) in self.rules.iter_mut().enumerate() {
            if !armed.rule.is_of_http() || !armed.matches(&Value::Null, &about, self.seed, index) {
                continue;
            }
            armed.applied += 1;
            if let (Some(status), Some(forced)) = (&mut status, armed.rule.status) {
                **status = forced;
            }
            for (name, value) in armed.rule.headers.iter().flatten() {
                headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
                headers
                    .extend(value.iter().map(|value| (name.to_ascii_lowercase(), value.clone())));
            }
        }
    }

    /// Each rule with how often it changed something: a rule that never did proves nothing.
    pub fn applied(&self) -> impl Iterator<Item = (&Rule, u64)> {
        self.rules.iter().map(|armed| (&armed.rule, armed.applied))
    }

    /// What went wrong while applying rules; the frames concerned were left as they were.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn apply(&mut self, bytes: Vec<u8>, about: &About) -> Vec<Delivery> {
        let calls = Value::Object(self.calls.clone());
        let mut now = vec![Delivery::Frame { bytes, after: Duration::ZERO }];
        for (index, armed) in self.rules.iter_mut().enumerate() {
            if armed.rule.is_of_http() {
                continue;
            }
            let before = now.clone();
            let mut next = Vec::new();
            for delivery in now {
                let Delivery::Frame { bytes, after } = delivery else {
                    next.push(delivery);
                    continue;
                };
                let released = armed.held.take_if(|(direction, _)| *direction == about.direction);
                let message = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                if armed.matches(&message, about, self.seed, index) {
                    match armed.change(&bytes, after, &message, about, &calls) {
                        Ok(changed) => next.extend(changed),
                        Err(problem) => {
                            self.problems.push(format!("fault rule {}: {problem}", armed.name));
                            next.push(Delivery::Frame { bytes, after });
                        }
                    }
                } else {
                    next.push(Delivery::Frame { bytes, after });
                }
                next.extend(released.map(|(_, delivery)| delivery));
            }
            armed.applied += u64::from(next != before);
            now = next;
        }
        now
    }
}

fn arm(index: usize, rule: Rule) -> Result<Armed, RuleError> {
    let name = rule.id.clone().unwrap_or_else(|| (index + 1).to_string());
    let found = rule.changes();
    if found.len() != 1 {
        return Err(RuleError::Changes { rule: name, found });
    }
    if let Some(value) = rule.on.probability.filter(|value| !(0.0..=1.0).contains(value)) {
        return Err(RuleError::Probability { rule: name, value });
    }
    let program = match &rule.jq {
        Some(source) => Some(
            Program::compile(source, Rule::VARIABLES)
                .map_err(|source| RuleError::Jq { rule: name.clone(), source })?,
        ),
        None => None,
    };
    Ok(Armed { rule, name, program, matched: 0, applied: 0, held: None })
}

impl Armed {
    /// Whether the rule is to change this frame; counts the frames that it matches.
    fn matches(&mut self, message: &Value, about: &About, seed: u64, index: usize) -> bool {
        let on = &self.rule.on;
        let asked = if about.request.is_null() { message } else { &about.request };
        let fits = on.direction.is_none_or(|direction| direction == about.direction)
            && on
                .method
                .as_deref()
                .is_none_or(|method| asked.get("method").and_then(Value::as_str) == Some(method))
            && on.tool.as_deref().is_none_or(|tool| tool_of(asked) == Some(tool));
        if !fits {
            return false;
        }
        self.matched += 1;
        on.nth.is_none_or(|nth| nth == self.matched)
            && on.probability.is_none_or(|limit| chance(seed, index as u64, self.matched) < limit)
    }

    fn change(
        &mut self,
        bytes: &[u8],
        after: Duration,
        message: &Value,
        about: &About,
        calls: &Value,
    ) -> Result<Vec<Delivery>, String> {
        let frame = |bytes: Vec<u8>| Delivery::Frame { bytes, after };
        let rule = &self.rule;
        if let Some(program) = &self.program {
            let outputs =
                program.run(&Input::of(message), &[&about.request, &json!(self.matched), calls])?;
            // What a program leaves as it is keeps its spelling.
            if let [output] = &outputs[..]
                && output == message
            {
                return Ok(vec![frame(bytes.to_vec())]);
            }
            return Ok(outputs.iter().map(|output| frame(output.to_string().into())).collect());
        }
        let bytes = bytes.to_vec();
        Ok(if let Some(more) = rule.delay {
            let after = after + Duration::from_millis(more);
            vec![Delivery::Frame { bytes, after }]
        } else if rule.drop {
            vec![]
        } else if rule.duplicate {
            vec![frame(bytes.clone()), frame(bytes)]
        } else if rule.reorder {
            match self.held.is_none() {
                true => {
                    self.held = Some((about.direction, frame(bytes)));
                    vec![]
                }
                false => vec![frame(bytes)],
            }
        } else if let Some(length) = rule.truncate {
            vec![frame(bytes[..length.min(bytes.len())].to_vec())]
        } else if let Some(text) = &rule.garbage {
            vec![frame(text.clone().into_bytes()), frame(bytes)]
        } else if let Some(value) = &rule.replace {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            vec![frame(text.into_bytes())]
        } else {
            vec![Delivery::Close]
        })
    }
}

/// The tool of a `tools/call`.
fn tool_of(message: &Value) -> Option<&str> {
    (message.get("method")?.as_str()? == "tools/call")
        .then(|| message.pointer("/params/name")?.as_str())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injector(rules: Value) -> Result<Injector, RuleError> {
        Injector::new(serde_json::from_value(rules).unwrap(), 7)
    }

    fn frames(deliveries: Vec<Delivery>) -> Vec<String> {
        deliveries
            .into_iter()
            .map(|delivery| match delivery {
                Delivery::Frame { bytes, .. } => String::from_utf8(bytes).unwrap(),
                Delivery::Close => "close".to_owned(),
            })
            .collect()
    }

    #[test]
    fn rules_that_cannot_be_applied_are_refused_by_name() {
        let none = injector(json!([{"id": "idle", "on": {}}])).unwrap_err();
        assert_eq!(
            none.to_string(),
            "use fault rule idle: it must have exactly one change, not none"
        );
        let two = injector(json!([{"on": {}, "drop": true, "close": true}])).unwrap_err();
        assert_eq!(
            two.to_string(),
            "use fault rule 1: it must have exactly one change, not drop and close"
        );
        assert!(injector(json!([{"on": {}, "jq": ".a | | .b"}])).is_err());
        assert!(injector(json!([{"on": {"probability": 1.5}, "drop": true}])).is_err());
    }

    #[test]
    fn a_rule_matches_the_answers_of_the_requests_that_it_names() {
        let mut faults =
            injector(json!([{"on": {"tool": "a", "direction": "server-to-client", "nth": 2},
                             "drop": true}]))
            .unwrap();
        for (id, tool, dropped) in
            [(1, "a", false), (2, "b", false), (3, "a", true), (4, "a", false)]
        {
            let call = json!({"id": id, "method": "tools/call", "params": {"name": tool}});
            assert_eq!(faults.outgoing(call.to_string().into()).len(), 1);
            let answer = json!({"id": id, "result": {}}).to_string();
            assert_eq!(faults.incoming(answer.into()).is_empty(), dropped, "{id}");
        }
        assert_eq!(faults.applied().next().unwrap().1, 1);
    }

    #[test]
    fn heads_of_http_messages_are_changed_in_their_direction() {
        let mut faults = injector(json!([
            {"on": {"direction": "client-to-server", "method": "a"},
             "headers": {"Mcp-Method": "b", "mcp-name": null}},
            {"on": {"direction": "server-to-client", "method": "a"}, "status": 404},
            {"on": {"direction": "server-to-client"}, "headers": {"content-type": "text/plain"}}
        ]))
        .unwrap();
        let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let frame = br#"{"method":"a"}"#;
        let mut sent = own(&[("accept", "*/*"), ("mcp-method", "a"), ("mcp-name", "n")]);
        faults.request_head(frame, &mut sent);
        assert_eq!(sent, own(&[("accept", "*/*"), ("mcp-method", "b")]));
        let (mut status, mut received) = (200, own(&[("content-type", "application/json")]));
        faults.response_head(frame, &mut status, &mut received);
        assert_eq!((status, received), (404, own(&[("content-type", "text/plain")])));
        assert_eq!(frames(faults.incoming("{}".into())), ["{}"]);
    }

    #[test]
    fn a_program_that_fails_leaves_the_frame_and_is_reported() {
        let mut faults = injector(json!([{"id": "bad", "on": {}, "jq": ".a + 1"}])).unwrap();
        let frame = r#"{"a":"x"}"#;
        assert_eq!(frames(faults.incoming(frame.into())), [frame]);
        assert_eq!(faults.problems().len(), 1);
        assert!(faults.problems()[0].starts_with("fault rule bad: "));
    }

    #[test]
    fn chance_is_drawn_from_the_seed() {
        let rules = json!([{"on": {"probability": 0.5}, "drop": true}]);
        let draw = || -> Vec<bool> {
            let mut faults = injector(rules.clone()).unwrap();
            (0..100).map(|_| faults.incoming("{}".into()).is_empty()).collect()
        };
        assert_eq!(draw(), draw());
        let dropped = draw().into_iter().filter(|dropped| *dropped).count();
        assert!((30..70).contains(&dropped), "{dropped}");
    }
}
