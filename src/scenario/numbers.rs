//! Numbers of a scenario: whole, and within a range that means something.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde_json::{Map, Value};

use super::Scenario;
use super::check::Fault;

/// Largest number of anything that is compared with what was measured.
const MOST: u64 = 1_000_000_000_000;

/// Reads a whole number from `LEAST` to `MOST`; the error names the range.
pub(super) fn whole<'de, D, T, const LEAST: u64, const MOST: u64>(
    deserializer: D,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    deserializer.deserialize_any(Whole::<T, LEAST, MOST>(PhantomData))
}

struct Whole<T, const LEAST: u64, const MOST: u64>(PhantomData<T>);

impl<T: TryFrom<u64>, const LEAST: u64, const MOST: u64> Visitor<'_> for Whole<T, LEAST, MOST> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {LEAST} to {MOST}")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let fits = (LEAST..=MOST).contains(&number).then(|| T::try_from(number).ok()).flatten();
        fits.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

/// Budgets, and the bounds in `params` that checks read; both are free maps to the parser.
pub(super) fn check_numbers(scenario: &Scenario) -> Result<(), Fault> {
    for name in scenario.budgets.keys() {
        number(&scenario.budgets, name, "budgets", 1)?;
    }
    let Some(tools) = scenario.params.get("tools") else { return Ok(()) };
    let Value::Object(tools) = tools else {
        return Err(Fault::new("`params.tools` is no mapping".to_owned(), "tools:"));
    };
    let least = number(tools, "min", "params.tools", 0)?;
    let most = number(tools, "max", "params.tools", 0)?;
    match (least, most) {
        (Some(least), Some(most)) if least > most => {
            let message = format!("`params.tools.min` is {least}, more than `max`, {most}");
            Err(Fault::new(message, "min:"))
        }
        _ => Ok(()),
    }
}

fn number(
    members: &Map<String, Value>,
    name: &str,
    owner: &str,
    least: u64,
) -> Result<Option<u64>, Fault> {
    let Some(value) = members.get(name) else { return Ok(None) };
    match value.as_u64().filter(|number| (least..=MOST).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => {
            let message = format!("`{owner}.{name}` is {value}");
            let mut fault = Fault::new(message, &format!("{name}:"));
            fault.advice = Some(format!("write a whole number from {least} to {MOST}"));
            Err(fault)
        }
    }
}
