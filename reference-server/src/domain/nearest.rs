//! Guesses what a misspelt name meant. Owns the measure of likeness; refuses to decide what a guess
//! is good for.

use strsim::normalized_damerau_levenshtein;

/// From this likeness on (1 is equal but for case) a name counts as a misspelling.
const NEAR: f64 = 0.6;

/// The candidates that `name` may be a misspelling of, likeliest first; equally likely ones in their
/// given order.
pub(super) fn near<'a, T>(
    name: &str,
    candidates: &'a [T],
    spelling: impl Fn(&T) -> String,
) -> Vec<&'a T> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &T)> = candidates
        .iter()
        .map(|candidate| {
            (
                normalized_damerau_levenshtein(&wanted, &spelling(candidate).to_lowercase()),
                candidate,
            )
        })
        .filter(|(likeness, _)| *likeness >= NEAR)
        .collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The names with each unknown one replaced by its single likeliest known spelling, or left out.
pub(super) fn corrected(names: &[String], known: &[String]) -> Vec<String> {
    let mut corrected: Vec<String> = Vec::new();
    for name in names {
        let replacement = if known.contains(name) {
            Some(name)
        } else {
            near(name, known, Clone::clone).into_iter().next()
        };
        if let Some(replacement) = replacement
            && !corrected.contains(replacement)
        {
            corrected.push(replacement.clone());
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn misspellings_are_corrected_and_strangers_dropped() {
        let known = names(&["bug", "enhancement", "good first issue", "größe"]);
        let given = names(&["Bug", "enhancment", "urgent-customer-thing", "grösse", "bug"]);
        assert_eq!(corrected(&given, &known), names(&["bug", "enhancement", "größe"]));
    }

    #[test]
    fn the_likeliest_comes_first() {
        let known = names(&["gadgets", "widgets", "widget-shop"]);
        assert_eq!(near("wdigets", &known, Clone::clone), [&known[1]]);
    }
}
