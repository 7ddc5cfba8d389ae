//! The names of all tools of a contract, taken apart once: what each is made of, and which tools
//! share what.
//!
//! Owns every comparison of one tool's name with all others, so that no check compares them in
//! pairs.

use std::collections::{HashMap, HashSet};

use super::lexicon::{Parts, head_of, is_plain_verb, parts_after, words};
use crate::contract::{Contract, Tool};

/// What the tools of one contract are called. Positions are those of [`Contract::tools`].
#[derive(Debug, Default)]
pub struct Naming {
    /// Of each name: its prefix lengths and its parts.
    names: HashMap<String, (Vec<usize>, Parts)>,
    /// Words that are a noun of a tool's name, and stand in it as they are.
    nouns: HashSet<String>,
    /// Read-only tools that find things, by the last noun of their name.
    finders: HashMap<String, Vec<usize>>,
    /// Tools of one verb and one `readOnlyHint`.
    siblings: HashMap<(String, bool), Siblings>,
}

/// Tools of the same verb and the same `readOnlyHint`, in list order.
#[derive(Debug, Default)]
pub struct Siblings {
    /// All of them.
    pub all: Vec<usize>,
    /// Of each hint: those that leave it out, state false, and state true.
    hints: HashMap<&'static str, [Vec<usize>; 3]>,
}

/// Hints by which siblings are compared.
const COMPARED: [&str; 3] = ["openWorldHint", "destructiveHint", "idempotentHint"];

impl Siblings {
    /// Those whose hint has a value (none: is left out), in list order.
    pub fn with(&self, hint: &str, value: Option<bool>) -> &[usize] {
        let place = value.map_or(0, |value| 1 + usize::from(value));
        self.hints.get(hint).map_or(&[], |by_value| &by_value[place])
    }
}

impl Naming {
    /// Takes every name apart.
    pub fn of(contract: &Contract) -> Naming {
        let heads = heads(contract);
        let identity = words(contract.identity.name.as_deref().unwrap_or_default());
        let mut naming = Naming::default();
        for (at, tool) in contract.tools.iter().enumerate() {
            let name = &tool.name;
            let (_, parts) = naming.names.entry(name.clone()).or_insert_with(|| {
                let own = words(name);
                let prefixes = prefix_lengths(name, &own, &identity, &heads);
                let parts = parts_after(&prefixes, &own);
                (prefixes, parts)
            });
            let lower = name.to_lowercase();
            let as_they_are = parts.nouns.iter().filter(|noun| lower.contains(noun.as_str()));
            naming.nouns.extend(as_they_are.cloned());
            let Some(verb) = &parts.verb else { continue };
            let finds = matches!(verb.as_str(), "find" | "search" | "list" | "lookup");
            if let Some(noun) = parts.nouns.last().filter(|_| finds && tool.is_read_only()) {
                naming.finders.entry(noun.clone()).or_default().push(at);
            }
            if let Some(read_only) = tool.hint("readOnlyHint") {
                let siblings = naming.siblings.entry((verb.clone(), read_only)).or_default();
                siblings.all.push(at);
                for hint in COMPARED {
                    let place = tool.hint(hint).map_or(0, |value| 1 + usize::from(value));
                    siblings.hints.entry(hint).or_default()[place].push(at);
                }
            }
        }
        naming
    }

    /// How many leading words of a tool's name are a prefix: lengths of the leading sequences that
    /// another tool shares or that `serverInfo.name` begins with, and that hold no plain verb.
    /// Empty without one.
    pub fn prefix_lengths(&self, tool: &Tool) -> &[usize] {
        self.names.get(&tool.name).map_or(&[], |(prefixes, _)| prefixes)
    }

    /// The name of a tool taken apart.
    pub fn parts(&self, tool: &Tool) -> Parts {
        self.names.get(&tool.name).map(|(_, parts)| parts.clone()).unwrap_or_default()
    }

    /// Whether a word is a noun of a tool's name and stands in it as it is.
    pub fn has_noun(&self, word: &str) -> bool {
        self.nouns.contains(word)
    }

    /// The tools of the same verb and `readOnlyHint` as a tool, itself among them.
    pub fn siblings(&self, tool: &Tool) -> Option<&Siblings> {
        let (_, parts) = self.names.get(&tool.name)?;
        self.siblings.get(&(parts.verb.clone()?, tool.hint("readOnlyHint")?))
    }

    /// The first read-only tool beside `tool` that finds one of the nouns.
    pub fn finder<'c>(
        &self,
        contract: &'c Contract,
        tool: &Tool,
        nouns: impl Iterator<Item = String>,
    ) -> Option<&'c Tool> {
        let first = nouns.filter_map(|noun| {
            let mut finders = self.finders.get(&noun)?.iter().copied();
            finders.find(|at| contract.tools[*at].name != tool.name)
        });
        Some(&contract.tools[first.min()?])
    }
}

/// Every beginning of a name that ends before a letter that is no lower-case one, with the first
/// name that has it, and whether another one has it too.
type Heads<'a> = HashMap<&'a str, (&'a str, bool)>;

fn heads(contract: &Contract) -> Heads<'_> {
    let mut heads: Heads<'_> = HashMap::new();
    for tool in &contract.tools {
        let name = tool.name.as_str();
        for (at, _) in name.char_indices().filter(|(at, c)| *at > 0 && !c.is_lowercase()) {
            let (first, several) = heads.entry(&name[..at]).or_insert((name, false));
            *several |= *first != name;
        }
    }
    heads
}

fn prefix_lengths(
    name: &str,
    own: &[String],
    identity: &[String],
    heads: &Heads<'_>,
) -> Vec<usize> {
    let mut lengths = Vec::new();
    for length in 1..own.len() {
        if is_plain_verb(&own[length - 1]) {
            break;
        }
        let of_identity = identity.windows(length).any(|window| window == &own[..length]);
        let is_shared = || {
            let head = heads.get(head_of(name, length));
            head.is_some_and(|(first, several)| *several || *first != name)
        };
        if of_identity || is_shared() {
            lengths.push(length);
        }
    }
    lengths
}
