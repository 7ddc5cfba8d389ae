//! What `check` and `score` share: sets, the token counter, reading and judging a capture, the gate.

use std::io::BufRead;

use anyhow::{anyhow, bail};

use super::args::ByArgs;
use super::exit::Class;
use crate::assertion::{AssertionSet, Catalog, SetId, judge};
use crate::capture::{SetFacts, read_events};
use crate::contract::Builder;
use crate::score::Scorecard;

/// The name that stands for every set.
pub(super) const ALL: &str = "all";

/// Assertions and sets to judge by.
#[derive(Debug)]
pub struct Judging {
    catalog: Catalog,
    sets: Vec<SetId>,
    min_score: Option<u32>,
}

impl Judging {
    /// Loads the catalog, with the user's own files, and looks up the sets. `usual` names the sets
    /// of a run for which none is named; nothing leaves them to the scenario.
    pub fn load(args: &ByArgs, usual: Option<&str>, min: Option<u32>) -> anyhow::Result<Judging> {
        let catalog = catalog(args.assertions.as_deref())?;
        let mut sets: Vec<SetId> = Vec::new();
        let usual = usual.filter(|_| args.set.is_empty());
        for name in args.set.iter().map(String::as_str).chain(usual) {
            let named: Vec<&AssertionSet> = if name == ALL {
                catalog.newest_sets().collect()
            } else {
                let found = catalog.set(&parse_set(name)?);
                vec![found.map_err(|unknown| anyhow!("{unknown}; {}", unknown.fix))?]
            };
            for set in named.into_iter().map(SetId::of) {
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        if args.assertions.is_some() && sets.is_empty() {
            eprintln!(
                "note: --assertions adds assertions; to judge by them, name a set that lists them \
                 with --set (`hallmark list --assertions DIR` shows the sets)"
            );
        }
        Ok(Judging { catalog, sets, min_score: min })
    }

    /// The sets of a run: those of the flags, else the one that the scenario names, else the
    /// default; as a capture's header names them.
    pub fn set_facts(&self, of_scenario: Option<&str>) -> anyhow::Result<Vec<SetFacts>> {
        let names = if self.sets.is_empty() {
            vec![parse_set(of_scenario.unwrap_or(Catalog::DEFAULT_SET))?]
        } else {
            self.sets.clone()
        };
        let mut facts = Vec::new();
        for name in &names {
            match self.catalog.set(name) {
                Ok(AssertionSet { set, .. }) => facts.push(SetFacts {
                    id: set.id.clone(),
                    edition: set.edition.clone(),
                    digest: set.digest.clone(),
                }),
                Err(unknown) => bail!("{unknown}; {}", unknown.fix),
            }
        }
        Ok(facts)
    }

    /// Reads a capture and judges it: by the sets of the flags, else by those that its header
    /// names, else by the default.
    pub fn score(&self, name: &str, capture: impl BufRead) -> anyhow::Result<Scorecard> {
        let mut builder = Builder::new();
        if let Err(error) = read_events(capture, |event| builder.see(event)) {
            bail!("{name}: {error}");
        }
        let contract = builder.finish();
        let named: Vec<SetId> = if self.sets.is_empty() {
            let facts = contract.header.as_ref().map_or(&[][..], |header| &header.sets);
            facts
                .iter()
                .map(|set| SetId { id: set.id.clone(), edition: Some(set.edition.clone()) })
                .collect()
        } else {
            self.sets.clone()
        };
        let named = if named.is_empty() { vec![parse_set(Catalog::DEFAULT_SET)?] } else { named };
        let mut sets = Vec::new();
        for set in &named {
            match self.catalog.set(set) {
                Ok(set) => sets.push(set),
                Err(unknown) => bail!("{name}: {unknown}; {}", unknown.fix),
            }
        }
        Ok(judge(&contract, &self.catalog, &sets, &count_tokens))
    }

    /// Which class a scorecard is. The gate holds when no assertion failed and none is undecided,
    /// wire included; with `--min-score` the number decides about the main set instead.
    pub fn gate(&self, card: &Scorecard) -> Class {
        if card.score.judged() == 0 || card.coverage.tools.listed == 0 {
            return Class::NothingJudged;
        }
        let sets = || card.sets.iter().chain([&card.wire]).map(|set| &set.score);
        let main_holds = match self.min_score {
            Some(least) => card.score.passed >= least,
            None => card.score.failed == 0 && card.score.undecided == 0,
        };
        let rest_holds = sets().all(|tally| tally.failed == 0 && tally.undecided == 0);
        if main_holds && rest_holds { Class::Held } else { Class::Failed }
    }
}

/// `SET` or `SET@EDITION`.
fn parse_set(name: &str) -> anyhow::Result<SetId> {
    name.parse().map_err(anyhow::Error::msg)
}

/// The bundled assertions, with those of a folder added.
pub fn catalog(folder: Option<&std::path::Path>) -> anyhow::Result<Catalog> {
    let folders: Vec<_> = folder.map(std::path::Path::to_path_buf).into_iter().collect();
    Catalog::with_dirs(&folders).map_err(|errors| {
        const SHOWN: usize = 10;
        let mut shown: Vec<String> = errors.iter().take(SHOWN).map(ToString::to_string).collect();
        if errors.len() > SHOWN {
            shown.push(format!("and {} more errors", errors.len() - SHOWN));
        }
        anyhow!("{}", shown.join("\n"))
    })
}

/// Tokens of a text in the encoding that the scorecard names.
fn count_tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// Loads the token tables beside whatever else goes on: it takes about a tenth of a second.
pub fn warm_tokens() {
    std::thread::spawn(|| count_tokens("warm"));
}
