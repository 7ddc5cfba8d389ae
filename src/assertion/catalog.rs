//! The catalog: every assertion, set and rule that is known, checked against each other.
//!
//! Owns lookups. How it is made from files is the loader's.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::executor::Executor;
use super::loader::{self, Source};
use super::{Each, Registry};
use crate::fault::Rule;
use crate::score::{SetRef, Severity};
use crate::wire::Revision;
use crate::yaml::{self, FileError};

/// One assertion, every version of it.
#[derive(Debug)]
pub struct Assertion {
    /// Id, such as `A9`.
    pub id: String,
    /// The statement, in one line.
    pub title: String,
    /// What an agent loses when it does not hold.
    pub why: String,
    /// Wire lines that keep it.
    pub example_ok: String,
    /// Wire lines that break it.
    pub example_bad: String,
    /// Versions, oldest first.
    pub versions: Vec<Version>,
    /// Faults that prove that its checks can fail.
    pub mutants: Vec<Mutant>,
    /// The file that declares it.
    pub file: String,
    /// `sha256:` and hex over that file.
    pub digest: String,
}

/// One version of an assertion.
#[derive(Debug)]
pub struct Version {
    /// Number.
    pub version: u32,
    /// Its checks.
    pub checks: Vec<Check>,
}

/// One check, ready to run.
#[derive(Debug)]
pub struct Check {
    /// Id.
    pub id: String,
    /// Rule id.
    pub rule: String,
    /// Severity of its findings.
    pub severity: Severity,
    /// Whether it can fail its assertion.
    pub required: bool,
    /// Whether its assertion cannot pass while it has no subject.
    pub essential: bool,
    /// The first revision that it binds.
    pub since: Option<Revision>,
    /// Its subjects.
    pub each: Each,
    /// How it looks at one.
    pub executor: Executor,
    /// Parameters.
    pub with: Map<String, Value>,
    /// Template of a finding's message.
    pub message: String,
    /// What would satisfy it.
    pub expected: String,
    /// Template of the evidence of a pass.
    pub pass: String,
    /// Why it needs no mutant, when it needs none.
    pub without_mutant: Option<String>,
}

/// A fault that breaks one promise on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutant {
    /// Id.
    pub id: String,
    /// Checks that must turn to `fail`.
    pub kills: Vec<String>,
    /// What it does, in words.
    pub note: String,
    /// The fault rule.
    pub rule: Rule,
    /// Id of the fixture that it is applied on top of.
    pub fixture: Option<String>,
    /// The first revision in which it is a fault.
    pub since: Option<Revision>,
    /// The mutant that kills the same checks, and why both are kept.
    pub twin: Option<(String, String)>,
}

/// Fault rules that give a server a surface that it does not have, in good order.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    /// Id.
    pub id: String,
    /// What it adds.
    pub title: String,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// One edition of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssertionSet {
    /// Id, edition, and the digest over the set file and every assertion file that it names.
    pub set: SetRef,
    /// In one line.
    pub title: String,
    /// Assertion ids with versions, in the order of reports.
    pub members: Vec<(String, u32)>,
}

/// A set as a user names it: `ID` (the newest edition) or `ID@EDITION`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetId {
    /// Id.
    pub id: String,
    /// Edition; the newest when absent.
    pub edition: Option<String>,
}

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} is named `{name}`")]
pub struct UnknownName {
    /// What was looked for.
    pub kind: &'static str,
    /// The name given.
    pub name: String,
    /// What to do about it.
    pub fix: String,
}

/// Everything that can be judged by.
#[derive(Debug, Default)]
pub struct Catalog {
    pub(super) rules: Registry,
    pub(super) assertions: Vec<Assertion>,
    pub(super) sets: Vec<AssertionSet>,
    pub(super) fixtures: Vec<Fixture>,
}

impl Catalog {
    /// The set that a run is scored by when none is named.
    pub const DEFAULT_SET: &'static str = "agent-facing";
    /// The set that is always judged beside it.
    pub const WIRE_SET: &'static str = "wire";

    /// What is built in. That the embedded files are without error is kept by a test.
    pub fn builtin() -> &'static Catalog {
        static BUILTIN: LazyLock<Catalog> =
            LazyLock::new(|| Catalog::gather(&loader::embedded()).0);
        &BUILTIN
    }

    /// What is built in, with the files of directories added.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in any of the files.
    pub fn with_dirs(dirs: &[PathBuf]) -> Result<Catalog, Vec<FileError>> {
        let mut sources = loader::embedded();
        let mut errors = Vec::new();
        for dir in dirs {
            match loader::read_dir(dir) {
                Ok(more) => sources.extend(more),
                Err(error) => errors.push(error),
            }
        }
        let (catalog, more) = Catalog::gather(&sources);
        errors.extend(more);
        if errors.is_empty() { Ok(catalog) } else { Err(errors) }
    }

    /// Makes a catalog of whatever is without error, and tells every error.
    pub fn gather(sources: &[Source]) -> (Catalog, Vec<FileError>) {
        loader::gather(sources)
    }

    /// Every assertion, in the order of their files.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// Every edition of every set.
    pub fn sets(&self) -> &[AssertionSet] {
        &self.sets
    }

    /// The newest edition of every set, the one that scores a run by default first.
    pub fn newest_sets(&self) -> impl Iterator<Item = &AssertionSet> {
        let is_newest = |set: &&AssertionSet| {
            let same = |other: &&AssertionSet| other.set.id == set.set.id;
            let mut others = self.sets.iter().filter(same);
            others.all(|other| other.set.edition <= set.set.edition)
        };
        let is_default = |set: &&AssertionSet| set.set.id == Catalog::DEFAULT_SET;
        let newest = self.sets.iter().filter(is_newest);
        newest.clone().filter(is_default).chain(newest.filter(move |set| !is_default(set)))
    }

    /// The rule registry.
    pub fn rules(&self) -> &Registry {
        &self.rules
    }

    /// Every fixture.
    pub fn fixtures(&self) -> &[Fixture] {
        &self.fixtures
    }

    /// The assertion of an id.
    pub fn assertion(&self, id: &str) -> Option<&Assertion> {
        self.assertions.iter().find(|assertion| assertion.id == id)
    }

    /// The edition of a set.
    ///
    /// # Errors
    ///
    /// When there is none: the nearest name.
    pub fn set(&self, id: &SetId) -> Result<&AssertionSet, UnknownName> {
        let editions = self.sets.iter().filter(|set| set.set.id == id.id);
        let found = match &id.edition {
            Some(edition) => editions.clone().find(|set| set.set.edition == *edition),
            None => editions.clone().max_by(|a, b| a.set.edition.cmp(&b.set.edition)),
        };
        found.ok_or_else(|| {
            let known: Vec<String> = match editions.clone().next() {
                Some(_) => {
                    editions.map(|set| format!("{}@{}", set.set.id, set.set.edition)).collect()
                }
                None => self.sets.iter().map(|set| set.set.id.clone()).collect(),
            };
            let name = id.to_string();
            UnknownName { kind: "set", fix: yaml::suggest(&name, &known), name }
        })
    }

    /// The version of an assertion that a set names.
    pub fn member(&self, (id, version): &(String, u32)) -> Option<(&Assertion, &Version)> {
        let assertion = self.assertion(id)?;
        Some((assertion, assertion.version(*version)?))
    }
}

impl Assertion {
    /// The version of a number.
    pub fn version(&self, number: u32) -> Option<&Version> {
        self.versions.iter().find(|version| version.version == number)
    }

    /// Every check id of any version, each once.
    pub fn check_ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for check in self.versions.iter().flat_map(|version| &version.checks) {
            if !ids.contains(&check.id.as_str()) {
                ids.push(&check.id);
            }
        }
        ids
    }
}

impl SetId {
    /// The name of one edition.
    pub fn of(set: &AssertionSet) -> SetId {
        SetId { id: set.set.id.clone(), edition: Some(set.set.edition.clone()) }
    }
}

impl FromStr for SetId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (id, edition) = match text.split_once('@') {
            Some((id, edition)) => (id, Some(edition)),
            None => (text, None),
        };
        if id.is_empty() || edition == Some("") {
            return Err(format!("{text:?} is not a set: write ID or ID@EDITION"));
        }
        Ok(SetId { id: id.to_owned(), edition: edition.map(str::to_owned) })
    }
}

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.edition {
            Some(edition) => write!(f, "{}@{edition}", self.id),
            None => f.write_str(&self.id),
        }
    }
}
