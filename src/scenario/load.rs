//! Loading scenarios: built in, or from a file.

use std::fmt::Write;
use std::path::Path;

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

use super::Scenario;
use super::check::check;
use crate::yaml::{self, FileError, suggest};

static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// The ids of the built-in scenarios, sorted.
pub fn builtin_ids() -> Vec<&'static str> {
    let mut ids: Vec<_> = BUILTIN
        .files()
        .filter(|file| file.path().extension().is_some_and(|ext| ext == "yaml"))
        .filter_map(|file| file.path().file_stem()?.to_str())
        .collect();
    ids.sort_unstable();
    ids
}

/// Loads a built-in scenario by its id.
///
/// # Errors
/// No scenario has this id: the nearest one is named.
pub fn load_builtin(id: &str) -> Result<Scenario, FileError> {
    let text = BUILTIN.get_file(format!("{id}.yaml")).and_then(|file| file.contents_utf8());
    match text {
        Some(text) => parse_scenario(text, &format!("scenarios/{id}.yaml")),
        None => Err(FileError::whole(
            id,
            "no such scenario, neither built in nor a file",
            Some(suggest(id, &builtin_ids())),
        )),
    }
}

/// Loads a scenario from a file (YAML; JSON is valid YAML).
///
/// # Errors
/// The file cannot be read, or as [`parse_scenario`].
pub fn load_scenario(path: &Path) -> Result<Scenario, FileError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| FileError::whole(&name, format!("cannot be read: {error}"), None))?;
    parse_scenario(&text, &name)
}

/// Reads a scenario from its text; `name` is how errors call the file.
///
/// # Errors
/// Not YAML, unknown or missing keys, names that are used twice or never declared: each with its
/// place and the fix.
pub fn parse_scenario(text: &str, name: &str) -> Result<Scenario, FileError> {
    let mut scenario: Scenario = yaml::parse(name, text)?;
    let digest = Sha256::digest(text.as_bytes());
    scenario.digest = digest.iter().fold(String::from("sha256:"), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        hex
    });
    match check(&scenario) {
        Ok(()) => Ok(scenario),
        Err(fault) => {
            let at = place_of(text, &fault.near).unwrap_or((0, 0));
            Err(FileError::at(name, text, at, fault.message, fault.advice))
        }
    }
}

/// Line and column of the first line that holds a word.
fn place_of(text: &str, word: &str) -> Option<(u64, u64)> {
    let (line, column) =
        text.lines().enumerate().find_map(|(index, line)| Some((index, line.find(word)?)))?;
    Some((line as u64 + 1, column as u64 + 1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capture::Flow;
    use crate::scenario::{FlowName, PerTool};

    const HEAD: &str = "id: t\nkind: server\ntitle: T\n";

    fn fault(body: &str) -> String {
        let text = format!("{HEAD}{body}");
        parse_scenario(&text, "t.yaml").expect_err("it is faulty").to_string()
    }

    #[test]
    fn every_built_in_scenario_loads_and_is_named_after_its_file() {
        assert!(builtin_ids().contains(&"any-server"));
        for id in builtin_ids() {
            let scenario = load_builtin(id).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.id, id);
            assert!(scenario.digest.starts_with("sha256:"));
        }
    }

    #[test]
    fn an_unknown_id_names_the_nearest() {
        let error = load_builtin("any-sever").expect_err("no such").to_string();
        assert!(error.contains("did you mean `any-server`?"), "{error}");
    }

    #[test]
    fn flows_and_cases_are_read() {
        let body = r#"
budgets: { discovery_bytes: 60000 }
params: { tools: { min: 4 } }
modes: { no-token: { args: [--credential, missing] } }
flows:
  - cold_start
  - forced_errors: { per_tool: every_constraint }
  - case: locked
    mode: no-token
    setup:
      - call: { tool: find, arguments: { q: a } }
        save: { n: /structuredContent/n }
    call: { tool: comment, arguments: { n: "${n}" } }
    expect_error: { code: issue_locked }
    repair: { hops: 1, then: retry_original, expect: success }
"#;
        let scenario = parse_scenario(&format!("{HEAD}{body}"), "t").expect("it is good");
        assert!(scenario.has(FlowName::ColdStart));
        let forced = scenario.forced_errors().expect("asked for");
        assert_eq!(forced.per_tool, PerTool::EveryConstraint);
        let facts = scenario.facts();
        assert_eq!(facts.params["budgets"], json!({"discovery_bytes": 60000}));
        let case = &facts.cases["locked"];
        assert_eq!(case.error.as_deref(), Some("issue_locked"));
        assert_eq!((case.repair_hops, case.retry_succeeds), (Some(1), true));
        assert_eq!(scenario.cases().next().map(super::super::Case::flow), Some(Flow::Repair));
    }

    #[test]
    fn an_unknown_key_has_its_place_and_the_nearest_key() {
        let error = fault("budget: {}\nflows: [cold_start]\n");
        assert!(error.starts_with("t.yaml:4:"), "{error}");
        assert!(error.contains("unknown key `budget`"), "{error}");
        assert!(error.contains("did you mean `budgets`?"), "{error}");
    }

    #[test]
    fn an_unknown_flow_has_the_nearest_name() {
        let error = fault("flows:\n  - cold_start\n  - page\n");
        assert!(error.starts_with("t.yaml:6:"), "{error}");
        assert!(error.contains("did you mean `pages`?"), "{error}");
    }

    #[test]
    fn inconsistencies_are_named_with_their_place() {
        let case = "flows:\n  - case: a\n    call: { tool: t }\n";
        for (body, wanted) in [
            ("flows: []\n".to_owned(), "`flows` is empty"),
            (format!("{case}    mode: quiet\n"), "undeclared mode `quiet`"),
            (format!("{case}    read: x\n"), "both `call` and `read`"),
            (format!("{case}  - case: a\n    read: y\n"), "two cases are named \"a\""),
            ("flows:\n  - case: a\n    read: \"${x}\"\n".to_owned(), "uses `x` unsaved"),
            ("flows:\n  - case: a\n".to_owned(), "needs `call` or `read`"),
            (format!("{case}    repair: {{ hops: 1 }}\n"), "no `expect_error` to repair"),
            ("flows:\n  - read: x\n".to_owned(), "`case` is missing"),
            (format!("target: {{}}\n{case}"), "exactly one of"),
        ] {
            let error = fault(&body);
            assert!(error.contains(wanted), "wanted {wanted:?} in {error}");
        }
    }

    #[test]
    fn numbers_outside_of_their_range_are_named_with_place_and_range() {
        let flows = "flows: [cold_start]\n";
        for (body, wanted) in [
            ("limits: { seconds: -1 }\n", "a whole number from 1 to 86400"),
            ("limits: { seconds: 99999999999999999999999 }\n", "a whole number from 1 to 86400"),
            ("limits: { requests: many }\n", "a whole number from 1 to 1000000"),
            ("limits: { pages: 1.5 }\n", "a whole number from 1 to 100000"),
            ("limits: { deaths: [] }\n", "a whole number from 0 to 1000"),
            ("budgets: { discovery_bytes: -5 }\n", "a whole number from 1 to"),
            ("budgets: { discovery_bytes: \"60k\" }\n", "a whole number from 1 to"),
            ("params: { tools: { min: -4 } }\n", "a whole number from 0 to"),
            ("params: { tools: { min: 9, max: 4 } }\n", "more than `max`"),
            ("params: { tools: 4 }\n", "no mapping"),
        ] {
            let error = fault(&format!("{body}{flows}"));
            assert!(error.contains(wanted), "wanted {wanted:?} in {error}");
            assert!(error.starts_with("t.yaml:4:"), "{error}");
        }
    }

    #[test]
    fn an_id_is_no_path() {
        for id in ["../../out", "a/b", "a\\b", ".hidden", "", "a b", &"x".repeat(101)] {
            let text = format!("id: '{id}'\nkind: server\ntitle: T\nflows: [cold_start]\n");
            let error = parse_scenario(&text, "t.yaml").expect_err("no name").to_string();
            assert!(error.starts_with("t.yaml:1:1: the id"), "{error}");
        }
    }

    #[test]
    fn broken_yaml_has_its_place() {
        let error = fault("flows: [cold_start\n");
        assert!(error.starts_with("t.yaml:"), "{error}");
    }
}
