//! From files to the catalog.
//!
//! Owns every cross-check: ids, rules, built-ins, programs, kills, members of sets. Invariant: one
//! bad file hides none of the others, and each error points at its place.

use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use serde_saphyr::Spanned;
use sha2::{Digest, Sha256};

use super::catalog::{Assertion, AssertionSet, Catalog, Check, Fixture, Mutant, Version};
use super::executor::{Executor, place_in};
use super::file::{AssertionFile, CheckFile, FixtureFile, MutantFile, SetFile};
use super::rules::Registry;
use crate::fault::Rule;
use crate::jq::Program;
use crate::score::SetRef;
use crate::wire::Revision;
use crate::yaml::{self, FileError, place};

/// The rule registry and the clauses of the specification: ours alone, whatever a user's files are
/// called.
const RULES: &str = "assertions/rules.yaml";
const CLAUSES: &str = "assertions/spec.yaml";

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assertions");

/// A file with its text.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path as errors name it; its last two parts say what it holds.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The files that are built in.
pub fn embedded() -> Vec<Source> {
    let mut sources = Vec::new();
    let below = EMBEDDED.dirs().flat_map(Dir::files);
    for file in EMBEDDED.files().chain(below) {
        let text = file.contents_utf8().expect("the embedded files are UTF-8").to_owned();
        sources.push(Source { path: format!("assertions/{}", file.path().display()), text });
    }
    sources
}

/// The files of a user's directory and of its folders, `sets` among them: every `*.yaml`.
///
/// # Errors
///
/// A directory or file that cannot be read, or a directory with nothing in it.
pub fn read_dir(dir: &Path) -> Result<Vec<Source>, FileError> {
    let mut sources = Vec::new();
    let here = paths(dir)?;
    let (folders, files): (Vec<_>, Vec<_>) = here.into_iter().partition(|path| path.is_dir());
    let below = folders.iter().map(|folder| paths(folder)).collect::<Result<Vec<_>, _>>()?;
    let all = files.into_iter().chain(below.into_iter().flatten());
    for path in all.filter(|path| path.extension().is_some_and(|ext| ext == "yaml")) {
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        sources.push(Source { path: path.display().to_string(), text });
    }
    if sources.is_empty() {
        let fix = "put assertion files named ID.yaml there".to_owned();
        return Err(FileError::whole(
            &dir.display().to_string(),
            "no assertion files found",
            Some(fix),
        ));
    }
    Ok(sources)
}

/// What is in a directory, sorted.
fn paths(dir: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = fs::read_dir(dir).map_err(|error| unreadable(dir, &error))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    paths.sort();
    Ok(paths)
}

fn unreadable(path: &Path, error: &std::io::Error) -> FileError {
    FileError::whole(&path.display().to_string(), format!("cannot be read: {error}"), None)
}

/// Makes a catalog of whatever is without error, and tells every error.
pub fn gather(sources: &[Source]) -> (Catalog, Vec<FileError>) {
    let mut catalog = Catalog::default();
    let mut errors = Vec::new();
    let is_rules = |source: &&Source| source.path == RULES;
    let is_in = |source: &Source, folder: &str| {
        Path::new(&source.path).parent().is_some_and(|parent| parent.ends_with(folder))
    };
    let is_set = |source: &&Source| is_in(source, "sets");
    let is_fixture = |source: &&Source| is_in(source, "fixtures");
    for source in sources.iter().filter(is_rules) {
        match Registry::parse(&source.path, &source.text) {
            Ok(rules) => catalog.rules = rules,
            Err(error) => errors.push(error),
        }
    }
    let is_clauses = |source: &&Source| source.path == CLAUSES;
    for source in sources.iter().filter(is_clauses) {
        if let Err(error) = catalog.rules.add_clauses(&source.path, &source.text) {
            errors.push(error);
        }
    }
    for source in sources.iter().filter(is_fixture) {
        match yaml::parse::<FixtureFile>(&source.path, &source.text) {
            Ok(file) => {
                let mut load = Load { source, catalog: &catalog, errors: Vec::new() };
                let fixture = load.fixture(file);
                errors.append(&mut load.errors);
                catalog.fixtures.push(fixture);
            }
            Err(error) => errors.push(error),
        }
    }
    let is_assertion = |source: &&Source| {
        !is_rules(source) && !is_clauses(source) && !is_set(source) && !is_fixture(source)
    };
    for source in sources.iter().filter(is_assertion) {
        match yaml::parse::<AssertionFile>(&source.path, &source.text) {
            Ok(file) => {
                let mut load = Load { source, catalog: &catalog, errors: Vec::new() };
                let assertion = load.assertion(file);
                // An assertion with a broken check would be judged by the rest of its checks alone.
                if load.errors.is_empty() {
                    catalog.assertions.push(assertion);
                } else {
                    errors.append(&mut load.errors);
                }
            }
            Err(error) => errors.push(error),
        }
    }
    // A10 after A9, and what is named by its rule after both.
    catalog.assertions.sort_by_key(|assertion| {
        let digits = assertion.id.find(|c: char| c.is_ascii_digit()).unwrap_or(assertion.id.len());
        let (stem, number) = assertion.id.split_at(digits);
        let number = number.parse::<u32>().unwrap_or(0);
        (stem.is_empty(), stem.to_owned(), number, assertion.id.clone())
    });
    for source in sources.iter().filter(is_set) {
        match yaml::parse::<SetFile>(&source.path, &source.text) {
            Ok(file) => {
                let mut load = Load { source, catalog: &catalog, errors: Vec::new() };
                let set = load.set(file);
                errors.append(&mut load.errors);
                catalog.sets.push(set);
            }
            Err(error) => errors.push(error),
        }
    }
    (catalog, errors)
}

/// Loading one file against what is known already.
struct Load<'a> {
    source: &'a Source,
    catalog: &'a Catalog,
    errors: Vec<FileError>,
}

impl Load<'_> {
    fn error<T>(&mut self, at: &Spanned<T>, message: impl Into<String>, fix: Option<String>) {
        let at = place(at.defined);
        self.errors.push(FileError::at(&self.source.path, &self.source.text, at, message, fix));
    }

    fn assertion(&mut self, file: AssertionFile) -> Assertion {
        let stem = Path::new(&self.source.path).file_stem().and_then(|stem| stem.to_str());
        if stem != Some(&file.id.value) {
            let fix = format!("name the file `{}.yaml`", file.id.value);
            self.error(&file.id, "the id is not the stem of the file's name", Some(fix));
        }
        if let Some(other) = self.catalog.assertion(&file.id.value) {
            let fix = Some("give it another id".to_owned());
            self.error(&file.id, format!("the id is taken by {}", other.file), fix);
        }
        let declared: Vec<String> = file
            .versions
            .iter()
            .flat_map(|version| &version.checks)
            .map(|check| check.id.value.clone())
            .collect();
        let mut versions: Vec<Version> = Vec::new();
        for version in file.versions {
            if versions.iter().any(|earlier| earlier.version == version.version.value) {
                self.error(&version.version, "this version is there twice", None);
            }
            let mut checks: Vec<Check> = Vec::new();
            for check in version.checks {
                if checks.iter().any(|earlier| earlier.id == check.id.value) {
                    self.error(&check.id, "this check is there twice", None);
                }
                checks.extend(self.check(check));
            }
            versions.push(Version { version: version.version.value, checks });
        }
        let mut assertion = Assertion {
            id: file.id.value,
            title: file.title,
            why: file.why,
            example_ok: file.example_ok,
            example_bad: file.example_bad,
            versions,
            mutants: Vec::new(),
            file: self.source.path.clone(),
            digest: digest([self.source.text.as_bytes()]),
        };
        for mutant in file.mutants {
            let mutant = self.mutant(&assertion, &declared, mutant);
            assertion.mutants.push(mutant);
        }
        assertion
    }

    fn check(&mut self, file: CheckFile) -> Option<Check> {
        self.kebab_case(&file.id);
        if let Some(other) = self
            .catalog
            .assertions
            .iter()
            .find(|other| other.check_ids().contains(&file.id.value.as_str()))
        {
            self.error(&file.id, format!("the id is taken by a check of {}", other.file), None);
        }
        if self.catalog.rules.get(&file.rule.value).is_none() {
            let rules = &self.catalog.rules;
            let known: Vec<_> =
                rules.iter().chain(rules.clauses()).map(|rule| rule.id.as_str()).collect();
            let fix = yaml::nearest(&file.rule.value, known.iter().copied())
                .map(|near| format!("did you mean `{near}`?"));
            self.error(&file.rule, format!("no rule is named `{}`", file.rule.value), fix);
        }
        let since = self.revision(file.since.as_ref());
        let executor = match Executor::compile(&file, &self.source.path, &self.source.text) {
            Ok(executor) => executor,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        Some(Check {
            id: file.id.value,
            rule: file.rule.value,
            severity: file.severity,
            required: file.required,
            essential: file.essential,
            since,
            each: file.each,
            executor,
            with: file.with,
            message: file.message,
            expected: file.expected,
            pass: file.pass,
            without_mutant: file.without_mutant,
        })
    }

    fn mutant(&mut self, assertion: &Assertion, checks: &[String], file: MutantFile) -> Mutant {
        self.kebab_case(&file.id);
        let others = self.catalog.assertions.iter().chain([assertion]);
        let taken = others
            .filter(|other| other.mutants.iter().any(|mutant| mutant.id == file.id.value))
            .map(|other| other.file.clone())
            .next();
        if let Some(other) = taken {
            self.error(&file.id, format!("the id is taken by a mutant of {other}"), None);
        }
        if file.kills.is_empty() {
            self.error(&file.id, "the mutant kills no check", Some("name one".to_owned()));
        }
        for kill in &file.kills {
            if !checks.contains(&kill.value) {
                let message = format!("no check of {} is named `{}`", assertion.id, kill.value);
                self.error(kill, message, Some(yaml::suggest(&kill.value, checks)));
            }
        }
        self.compiles(file.jq.as_ref());
        if let Some(named) = &file.fixture
            && !self.catalog.fixtures.iter().any(|fixture| fixture.id == named.value)
        {
            let known: Vec<_> = self.catalog.fixtures.iter().map(|f| f.id.as_str()).collect();
            let fix = Some(yaml::suggest(&named.value, &known));
            self.error(named, format!("no fixture is named `{}`", named.value), fix);
        }
        let fixture = file.fixture.as_ref().map(|fixture| fixture.value.clone());
        let since = self.revision(file.since.as_ref());
        let twin = file.twin.as_ref().map(|twin| (twin.of.clone(), twin.why.clone()));
        let at = file.on.clone();
        let (id, kills) = (file.id.value.clone(), file.kills.iter().map(|k| k.value.clone()));
        let (kills, note) = (kills.collect(), file.note.clone());
        let rule = file.into_rule();
        if rule.changes().len() != 1 {
            let found = rule.changes().join(", ");
            let fix = Some("give it one of jq, delay, drop, duplicate, ...".to_owned());
            self.error(&at, format!("a mutant makes exactly one change, not {found:?}"), fix);
        }
        Mutant { id, kills, note, rule, fixture, since, twin }
    }

    fn revision(&mut self, named: Option<&Spanned<String>>) -> Option<Revision> {
        let named = named?;
        named.value.parse().map_err(|why: String| self.error(named, why, None)).ok()
    }

    fn fixture(&mut self, file: FixtureFile) -> Fixture {
        self.kebab_case(&file.id);
        let stem = Path::new(&self.source.path).file_stem().and_then(|stem| stem.to_str());
        if stem != Some(&file.id.value) {
            let fix = format!("name the file `{}.yaml`", file.id.value);
            self.error(&file.id, "the id is not the stem of the file's name", Some(fix));
        }
        let mut rules = Vec::new();
        for rule in file.rules {
            self.compiles(Some(&rule.jq));
            let jq = Some(rule.jq.value);
            rules.push(Rule {
                id: Some(file.id.value.clone()),
                on: rule.on,
                jq,
                ..Rule::default()
            });
        }
        Fixture { id: file.id.value, title: file.title, rules }
    }

    fn compiles(&mut self, jq: Option<&Spanned<String>>) {
        if let Some(jq) = jq
            && let Err(error) = Program::compile(&jq.value, Rule::VARIABLES)
        {
            let at = place_in(&self.source.text, jq, error.offset);
            let message = format!("in this jq program: {error}");
            let Source { path, text } = self.source;
            self.errors.push(FileError::at(path, text, at, message, None));
        }
    }

    fn kebab_case(&mut self, id: &Spanned<String>) {
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.value.is_empty() || !id.value.chars().all(fine) {
            self.error(id, "ids of checks and mutants are in kebab case", None);
        }
    }

    fn set(&mut self, file: SetFile) -> AssertionSet {
        let name = format!("{}@{}", file.id.value, file.edition.value);
        let stem = Path::new(&self.source.path).file_stem().and_then(|stem| stem.to_str());
        if stem != Some(&name) {
            let fix = format!("name the file `{name}.yaml`");
            self.error(&file.id, "id and edition are not the stem of the file's name", Some(fix));
        }
        let same = |set: &AssertionSet| format!("{}@{}", set.set.id, set.set.edition) == name;
        if self.catalog.sets.iter().any(same) {
            self.error(&file.id, format!("the set {name} is there twice"), None);
        }
        let mut parts = vec![self.source.text.as_bytes()];
        let mut members = Vec::new();
        for member in file.assertions {
            let known: Vec<_> = self.catalog.assertions.iter().map(|a| a.id.as_str()).collect();
            match self.catalog.assertion(&member.id.value) {
                None => {
                    let message = format!("no assertion is named `{}`", member.id.value);
                    let fix = yaml::suggest(&member.id.value, &known);
                    self.error(&member.id, message, Some(fix));
                }
                Some(assertion) if assertion.version(member.version).is_none() => {
                    let message = format!("{} has no version {}", assertion.id, member.version);
                    self.error(&member.id, message, None);
                }
                Some(assertion) => {
                    parts.push(assertion.digest.as_bytes());
                    members.push((member.id.value, member.version));
                }
            }
        }
        AssertionSet {
            set: SetRef { id: file.id.value, edition: file.edition.value, digest: digest(parts) },
            title: file.title,
            members,
        }
    }
}

/// `sha256:` and hex over parts, each set off by a zero byte.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    let hex: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
