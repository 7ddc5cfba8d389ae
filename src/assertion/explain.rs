//! What is known under a name: the data behind `hallmark list` and `hallmark explain`.

use super::catalog::{
    Assertion, AssertionSet, Catalog, Check, Mutant, SetId, UnknownName, Version,
};
use super::rules::Rule;
use crate::yaml;

/// Everything that a name stands for.
#[derive(Debug, Clone)]
pub enum Explanation<'a> {
    /// An assertion.
    Assertion(&'a Assertion),
    /// A check: its assertion, the newest version that has it, itself, and its rule.
    Check {
        /// The assertion.
        assertion: &'a Assertion,
        /// The version.
        version: &'a Version,
        /// The check.
        check: &'a Check,
        /// The rule.
        rule: Option<&'a Rule>,
    },
    /// A rule with the checks that judge it.
    Rule {
        /// The rule.
        rule: &'a Rule,
        /// Assertion id and check id of each.
        checks: Vec<(&'a str, &'a str)>,
    },
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
    /// Explains an assertion, check, rule, mutant or set.
    ///
    /// # Errors
    ///
    /// When nothing has that name: the nearest name of any kind.
    pub fn explain(&self, name: &str) -> Result<Explanation<'_>, UnknownName> {
        if let Some(assertion) =
            self.assertions().iter().find(|assertion| assertion.id.eq_ignore_ascii_case(name))
        {
            return Ok(Explanation::Assertion(assertion));
        }
        if let Some((assertion, version, check)) = self.check(name) {
            let rule = self.rules().get(&check.rule);
            return Ok(Explanation::Check { assertion, version, check, rule });
        }
        if let Some(rule) = self.rules().get(name) {
            return Ok(Explanation::Rule { rule, checks: self.checks_of_rule(name) });
        }
        if let Some((assertion, mutant)) = self.mutant(name) {
            return Ok(Explanation::Mutant { assertion, mutant });
        }
        if let Ok(set) = name.parse::<SetId>().map(|id| self.set(&id))
            && let Ok(set) = set
        {
            return Ok(Explanation::Set(set));
        }
        let names = self.names();
        Err(UnknownName {
            kind: "assertion, check, rule, mutant or set",
            name: name.to_owned(),
            fix: match yaml::nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`hallmark list` shows every name".to_owned(),
            },
        })
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
