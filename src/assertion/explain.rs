//! What is known under a name: the data behind `hallmark list` and `hallmark explain`.

use super::catalog::{Assertion, AssertionSet, Catalog, Check, Mutant, SetId, Version};
use super::rules::Rule;

/// Everything that a name stands for.
#[derive(Debug, Clone)]
pub enum Explanation<'a> {
    /// An assertion.
    Assertion(&'a Assertion),
    /// A check, in the newest version of its assertion that has it.
    Check {
        /// The assertion.
        assertion: &'a Assertion,
        /// The check.
        check: &'a Check,
    },
    /// A rule of the registry, or a clause of the specification.
    Rule(&'a Rule),
    /// A mutant of an assertion.
    Mutant {
        /// The assertion.
        assertion: &'a Assertion,
        /// The mutant.
        mutant: &'a Mutant,
    },
    /// An edition of a set.
    Set(&'a AssertionSet),
}

impl Catalog {
    /// Explains an assertion, check, rule, mutant or set; nothing when nothing has that name.
    pub fn explain(&self, name: &str) -> Option<Explanation<'_>> {
        if let Some(assertion) =
            self.assertions().iter().find(|assertion| assertion.id.eq_ignore_ascii_case(name))
        {
            return Some(Explanation::Assertion(assertion));
        }
        if let Some((assertion, _, check)) = self.check(name) {
            return Some(Explanation::Check { assertion, check });
        }
        if let Some(rule) = self.rules().get(name) {
            return Some(Explanation::Rule(rule));
        }
        if let Some((assertion, mutant)) = self.mutant(name) {
            return Some(Explanation::Mutant { assertion, mutant });
        }
        let set = name.parse::<SetId>().ok()?;
        self.set(&set).ok().map(Explanation::Set)
    }

    /// A check by id, in the newest version that has it.
    pub fn check(&self, id: &str) -> Option<(&Assertion, &Version, &Check)> {
        self.assertions().iter().find_map(|assertion| {
            assertion.versions.iter().rev().find_map(|version| {
                let check = version.checks.iter().find(|check| check.id == id)?;
                Some((assertion, version, check))
            })
        })
    }

    /// A mutant by id.
    pub fn mutant(&self, id: &str) -> Option<(&Assertion, &Mutant)> {
        self.assertions().iter().find_map(|assertion| {
            Some((assertion, assertion.mutants.iter().find(|mutant| mutant.id == id)?))
        })
    }

    /// Assertion id and check id of every check that judges a rule, each once.
    pub fn checks_of_rule(&self, rule: &str) -> Vec<(&str, &str)> {
        let mut checks = Vec::new();
        for assertion in self.assertions() {
            for check in assertion.versions.iter().flat_map(|version| &version.checks) {
                let pair = (assertion.id.as_str(), check.id.as_str());
                if check.rule == rule && !checks.contains(&pair) {
                    checks.push(pair);
                }
            }
        }
        checks
    }

    /// Every name that [`Catalog::explain`] knows.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for assertion in self.assertions() {
            names.push(assertion.id.clone());
            names.extend(assertion.check_ids().into_iter().map(str::to_owned));
            names.extend(assertion.mutants.iter().map(|mutant| mutant.id.clone()));
        }
        names.extend(self.sets().iter().map(|set| set.set.id.clone()));
        names.extend(self.rules().iter().chain(self.rules().clauses()).map(|rule| rule.id.clone()));
        names
    }
}
