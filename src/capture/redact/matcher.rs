//! Finds every spelling of every secret in one pass.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::escapes::{View, decoded, ends_in_escape};
use super::hiding::Hiding;
use super::spellings::{LAYERS, Spelling, spellings};

/// Shortest piece of a secret that is recognised at the end of a text that was cut there.
const SHORTEST_PIECE: usize = 4;

/// A secret as the matcher sees it.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) text: String,
    pub(super) placeholder: String,
    /// Replaced as a whole word only: `github` is not cut out of `github_get_issue`.
    pub(super) is_setting: bool,
}

/// All spellings, ready to be searched for.
#[derive(Debug)]
pub(super) struct Matcher {
    /// Says quickly whether there is any hit.
    quick: AhoCorasick,
    /// Finds all hits, those that overlap as well.
    thorough: AhoCorasick,
    patterns: Vec<Pattern>,
    hiding: Hiding,
    /// Length of the longest spelling.
    longest: usize,
}

#[derive(Debug)]
struct Pattern {
    spelling: Spelling,
    secret: usize,
    whole_word: bool,
}

/// A piece of a text that is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Position of the secret.
    pub(super) secret: usize,
    /// Length of what gave the secret its place.
    weight: usize,
}

impl Matcher {
    pub(super) fn new(secrets: &[Secret]) -> Matcher {
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
        for (secret, Secret { text, is_setting, .. }) in secrets.iter().enumerate() {
            for spelling in spellings(text, *is_setting) {
                match known.get(&spelling.bytes) {
                    Some(same) => patterns[*same].whole_word &= is_setting,
                    None => {
                        known.insert(spelling.bytes.clone(), patterns.len());
                        patterns.push(Pattern { spelling, secret, whole_word: *is_setting });
                    }
                }
            }
        }
        let texts: Vec<&[u8]> = patterns.iter().map(|pattern| &*pattern.spelling.bytes).collect();
        let automaton = |kind| {
            AhoCorasick::builder().match_kind(kind).build(&texts).expect("few enough patterns")
        };
        Matcher {
            quick: automaton(MatchKind::LeftmostFirst),
            thorough: automaton(MatchKind::Standard),
            hiding: Hiding::new(&texts),
            longest: patterns.iter().map(|pattern| pattern.spelling.bytes.len()).max().unwrap_or(0),
            patterns,
        }
    }

    /// Whether a text may hold a secret: one pass over it, and one more for every layer of escapes
    /// that could hide one.
    pub(super) fn suspects(&self, text: &[u8]) -> bool {
        if self.quick.is_match(text) {
            return true;
        }
        let mut layer = None;
        for _ in 0..LAYERS {
            let above = layer.as_deref().unwrap_or(text);
            if !self.hiding.in_text(above) {
                return false;
            }
            layer = decoded(above);
            if layer.as_deref().is_some_and(|layer| self.quick.is_match(layer)) {
                return true;
            }
        }
        false
    }

    /// Where the secrets are, in order and apart from each other.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut in_doubt = false;
        for hit in self.thorough.find_overlapping_iter(text) {
            let pattern = &self.patterns[hit.pattern().as_usize()];
            let (start, end) = pattern.extent(text, hit.start(), hit.end());
            if !pattern.whole_word || is_word(text, start, end) {
                found.push(Found { start, end, secret: pattern.secret, weight: end - start });
            } else {
                // The last letter of `\n` is no part of a word.
                in_doubt |= ends_in_escape(&text[..start]);
            }
        }
        if in_doubt || self.hiding.in_text(text) {
            self.each_layer(text, |view| self.find_in(view, &mut found));
        }
        apart(found)
    }

    fn find_in(&self, view: &View, found: &mut Vec<Found>) {
        for hit in self.thorough.find_overlapping_iter(&view.bytes) {
            let pattern = &self.patterns[hit.pattern().as_usize()];
            let (start, end) = pattern.extent(&view.bytes, hit.start(), hit.end());
            if !pattern.whole_word || is_word(&view.bytes, start, end) {
                found.push(pattern.found(view, start, end));
            }
        }
    }

    /// As [`Matcher::find`], in a text that may have been cut in the middle of a secret at either
    /// end.
    pub(super) fn find_cut(&self, text: &[u8]) -> Vec<Found> {
        let mut found = self.find(text);
        self.each_layer(text, |view| {
            let bytes = &view.bytes;
            let most = bytes.len().min(self.longest.saturating_sub(1));
            for len in (SHORTEST_PIECE..=most).rev() {
                let (head, tail) = (&bytes[..len], &bytes[bytes.len() - len..]);
                for pattern in self.patterns.iter().filter(|pattern| !pattern.whole_word) {
                    let whole = &pattern.spelling.bytes;
                    if whole.len() <= len {
                        continue;
                    }
                    if whole.starts_with(tail) {
                        found.push(pattern.found(view, bytes.len() - len, bytes.len()));
                    }
                    if whole.ends_with(head) {
                        found.push(pattern.found(view, 0, len));
                    }
                }
            }
        });
        apart(found)
    }

    fn each_layer(&self, text: &[u8], mut look: impl FnMut(&View)) {
        let mut view = View::of(text);
        look(&view);
        for _ in 0..LAYERS {
            let Some(next) = view.decoded() else { break };
            view = next;
            look(&view);
        }
    }
}

impl Pattern {
    fn found(&self, view: &View, start: usize, end: usize) -> Found {
        let (from, to) = view.source(start, end);
        Found { start: from, end: to, secret: self.secret, weight: end - start }
    }

    /// A hit with the base64 digits that hold the rest of its bits, and the padding.
    fn extent(&self, bytes: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
        if !self.spelling.base64 {
            return (start, end);
        }
        let is_digit = |byte: Option<&u8>| {
            byte.is_some_and(|b| b.is_ascii_alphanumeric() || b"+/-_".contains(b))
        };
        if self.spelling.shares.0 && is_digit(start.checked_sub(1).and_then(|at| bytes.get(at))) {
            start -= 1;
        }
        if self.spelling.shares.1 && is_digit(bytes.get(end)) {
            end += 1;
        }
        end += bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        (start, end)
    }
}

/// Joins what overlaps; the longest of it gives the placeholder.
fn apart(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
    let mut apart: Vec<Found> = Vec::new();
    for next in found {
        match apart.last_mut() {
            Some(last) if next.start < last.end => {
                last.end = last.end.max(next.end);
                if next.weight > last.weight {
                    (last.secret, last.weight) = (next.secret, next.weight);
                }
            }
            _ => apart.push(next),
        }
    }
    apart
}

/// Whether a range is not part of a longer word.
fn is_word(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let first = |bytes: &[u8]| lossy(&bytes[..bytes.len().min(4)]).chars().next();
    let last = |bytes: &[u8]| lossy(&bytes[bytes.len().saturating_sub(4)..]).chars().next_back();
    let joined =
        |a: Option<char>, b: Option<char>| a.is_some_and(is_part) && b.is_some_and(is_part);
    let (before, inside, after) = (&bytes[..start], &bytes[start..end], &bytes[end..]);
    !joined(last(before), first(inside)) && !joined(last(inside), first(after))
}

fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
