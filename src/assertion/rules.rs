//! The rule registry: every rule of the contract checklist, with how it is to be judged.

use serde::Deserialize;

use crate::score::Severity;
use crate::yaml::{self, FileError};

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Id, `SECTION.NAME`.
    pub id: String,
    /// In one line.
    pub title: String,
    /// What must be so.
    pub requires: String,
    /// The cheapest evidence that decides the whole rule.
    pub evidence: Evidence,
    /// How to judge it.
    pub check: String,
    /// When not to judge it.
    pub false_positive_guard: String,
    /// The revisions that it binds: `all` or a date.
    pub revision: String,
    /// How much breaking it matters.
    pub severity: Severity,
    /// Why no check judges it, when none does.
    #[serde(default)]
    pub unjudged: Option<String>,
    /// Assertions that it feeds.
    pub feeds: Vec<String>,
    /// An edit of the wire that breaks it, for rules that the wire can break.
    pub mutant: Option<String>,
}

/// Kinds of evidence, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The lists.
    Listing,
    /// A call that any run makes.
    Call,
    /// A call made for the purpose.
    Probe,
    /// Two captures.
    Pair,
    /// The text of a document.
    Document,
    /// A person or a model.
    Judge,
    /// Nothing that a server can show.
    #[serde(rename = "n/a")]
    None,
}

/// Every rule, in the order of the checklist.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    rules: Vec<Rule>,
    /// Clauses of the protocol specification that checks judge and the checklist does not hold,
    /// such as `spec.jsonrpc-id`. They are named like rules and counted apart.
    clauses: Vec<Rule>,
}

impl Registry {
    /// Parses a registry file.
    ///
    /// # Errors
    ///
    /// A malformed file, or an id that is there twice.
    pub fn parse(file: &str, text: &str) -> Result<Registry, FileError> {
        Ok(Registry { rules: Self::list(file, text)?, clauses: Vec::new() })
    }

    /// Takes in a file of specification clauses, in the format of the rules.
    ///
    /// # Errors
    ///
    /// A malformed file, or an id that is there twice.
    pub fn add_clauses(&mut self, file: &str, text: &str) -> Result<(), FileError> {
        self.clauses = Self::list(file, text)?;
        Ok(())
    }

    fn list(file: &str, text: &str) -> Result<Vec<Rule>, FileError> {
        let rules: Vec<Rule> = yaml::parse(file, text)?;
        for (index, rule) in rules.iter().enumerate() {
            if rules[..index].iter().any(|earlier| earlier.id == rule.id) {
                return Err(FileError::whole(
                    file,
                    format!("rule `{}` is there twice", rule.id),
                    None,
                ));
            }
        }
        Ok(rules)
    }

    /// The rule or clause of an id.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().chain(&self.clauses).find(|rule| rule.id == id)
    }

    /// Every clause of the specification, in the order of the file.
    pub fn clauses(&self) -> std::slice::Iter<'_, Rule> {
        self.clauses.iter()
    }

    /// Every rule.
    pub fn iter(&self) -> std::slice::Iter<'_, Rule> {
        self.rules.iter()
    }

    /// How many rules there are, clauses aside.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}
