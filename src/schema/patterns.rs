//! Compiled patterns of schemas.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

/// Most patterns that are remembered a thread.
const REMEMBERED: usize = 256;
/// Largest compiled pattern, in bytes: schemas may be hostile.
const LARGEST: usize = 1 << 18;

/// The compiled form of a pattern, or nothing for one that is none or too large. Compiling costs a
/// thousand times as much as matching, and schemas repeat their patterns.
pub(super) fn compiled(pattern: &str) -> Option<Regex> {
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(regex) = known.get(pattern) {
            return regex.clone();
        }
        let regex = RegexBuilder::new(pattern).size_limit(LARGEST).build().ok();
        if known.len() == REMEMBERED {
            known.clear();
        }
        known.insert(pattern.to_owned(), regex.clone());
        regex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_the_same_from_memory_and_one_that_is_none_stays_none() {
        for _ in 0..2 {
            assert!(compiled("^a+$").is_some_and(|regex| regex.is_match("aa")));
            assert!(compiled("(").is_none());
            assert!(compiled("(a{1000}){1000}").is_none());
        }
        for number in 0..2 * REMEMBERED {
            assert!(
                compiled(&format!("^{number}$")).is_some_and(|r| r.is_match(&number.to_string()))
            );
        }
    }
}
