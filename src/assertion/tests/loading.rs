//! Files that are right, and what is said of files that are not.

use super::capture::rules;
use crate::assertion::loader::{self, Source};
use crate::assertion::{Catalog, Explanation, SetId};
use crate::yaml::FileError;

/// A file with one check and one mutant; `{}` stands for more members of the check.
fn assertion(id: &str, check: &str, more: &str) -> Source {
    let text = format!(
        "id: {id}
title: a title
why: a reason
example_ok: ok
example_bad: bad
versions:
  - version: 1
    checks:
      - id: {check}
        rule: 3.output-schema
        severity: major
        each: tool
{more}
        message: \"{{name}} is wrong\"
        expected: right
        pass: \"{{n}} tools are right\"
mutants:
  - id: {check}-broken
    kills: [{check}]
    note: breaks it
    on: {{ direction: server-to-client, method: tools/list }}
    jq: 'del(.result)'
"
    );
    Source { path: format!("dir/{id}.yaml"), text }
}

fn errors(sources: impl IntoIterator<Item = Source>) -> Vec<FileError> {
    let sources: Vec<_> = [rules()].into_iter().chain(sources).collect();
    Catalog::gather(&sources).1
}

fn only_error(source: Source) -> FileError {
    let mut errors = errors([source]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

const JQ: &str = "        use: jq\n        jq: '.outputSchema != null'";

#[test]
fn the_registry_has_every_rule_of_the_checklist() {
    let rules = loader::embedded().into_iter().filter(|file| file.path.ends_with("rules.yaml"));
    let catalog = Catalog::gather(&rules.collect::<Vec<_>>()).0;
    assert_eq!(catalog.rules().len(), 173);
    assert_eq!(catalog.rules().get("3.output-schema").unwrap().feeds, ["A9"]);
}

#[test]
fn a_good_file_loads_whole() {
    let sources = [rules(), assertion("X1", "is-right", JQ)];
    let (catalog, errors) = Catalog::gather(&sources);
    assert!(errors.is_empty(), "{errors:?}");
    let loaded = catalog.assertion("X1").unwrap();
    assert_eq!(loaded.check_ids(), ["is-right"]);
    let rule = &loaded.mutants[0].rule;
    assert_eq!(rule.on.method.as_deref(), Some("tools/list"));
    assert_eq!(rule.jq.as_deref(), Some("del(.result)"));
    assert_eq!(rule.kills, ["is-right"]);
    assert!(loaded.digest.starts_with("sha256:"), "{}", loaded.digest);
}

#[test]
fn errors_of_a_jq_program_point_into_it() {
    let error = only_error(assertion("X1", "is-right", "        use: jq\n        jq: '.a | nope'"));
    assert_eq!((error.line, error.column), (14, 19), "{error}");
    let block = "        use: jq\n        jq: |\n          .a\n          | nope";
    let error = only_error(assertion("X1", "is-right", block));
    assert_eq!((error.line, error.column), (16, 13), "{error}");
    assert!(error.message.contains("undefined filter `nope`"), "{error}");
}

#[test]
fn names_that_nothing_has_get_the_nearest_one() {
    let mut source = assertion("X1", "is-right", JQ);
    source.text = source.text.replace("3.output-schema", "3.ouput-schema");
    let error = only_error(source);
    assert_eq!((error.line, error.column), (10, 15), "{error}");
    assert_eq!(error.fix.as_deref(), Some("did you mean `3.output-schema`?"));

    let mut source = assertion("X1", "is-right", JQ);
    source.text = source.text.replace("kills: [is-right]", "kills: [is-rigt]");
    let error = only_error(source);
    assert_eq!(error.fix.as_deref(), Some("did you mean `is-right`?"));

    let mut source = assertion("X1", "is-right", JQ);
    source.text = source.text.replace("        each: tool", "        each: tol");
    let error = only_error(source);
    assert_eq!(error.line, 12, "{error}");
    assert_eq!(error.fix.as_deref(), Some("did you mean `tool`?"));

    let error = only_error(assertion("X1", "no-such-check", "        use: builtin"));
    assert!(error.message.contains("no built-in check"), "{error}");
}

#[test]
fn mutants_make_one_change_with_a_program_that_compiles() {
    let mut source = assertion("X1", "is-right", JQ);
    source.text = source.text.replace("jq: 'del(.result)'", "jq: 'del(.result) | nope'");
    let error = only_error(source);
    assert_eq!((error.line, error.column), (23, 25), "{error}");

    let mut source = assertion("X1", "is-right", JQ);
    source.text.push_str("    drop: true\n");
    let error = only_error(source);
    assert!(error.message.contains("exactly one change"), "{error}");
    assert_eq!(error.line, 22, "{error}");
}

#[test]
fn a_key_belongs_to_its_use() {
    let error = only_error(assertion("X1", "is-right", "        use: jq"));
    assert!(error.message.contains("needs the key `jq`"), "{error}");
    let more = "        use: schema\n        schema: {}\n        regex: { at: '', match: x }";
    let error = only_error(assertion("X1", "is-right", more));
    assert!(error.message.contains("goes with `use: regex`"), "{error}");
    let error = only_error(assertion(
        "X1",
        "is-right",
        "        use: regex\n        regex: { match: '(' }",
    ));
    assert_eq!(error.line, 14, "{error}");
    let more = "        use: schema\n        schema: { type: 5 }";
    assert!(only_error(assertion("X1", "is-right", more)).message.contains("JSON Schema"));
}

#[test]
fn ids_are_unique_and_named_after_their_file() {
    let twice = errors([assertion("X1", "is-right", JQ), assertion("X2", "is-right", JQ)]);
    assert!(twice.iter().any(|e| e.message.contains("taken by a check")), "{twice:?}");
    assert!(twice.iter().any(|e| e.message.contains("taken by a mutant")), "{twice:?}");

    let mut source = assertion("X1", "is-right", JQ);
    source.path = "dir/other.yaml".to_owned();
    assert_eq!(only_error(source).fix.as_deref(), Some("name the file `X1.yaml`"));
    let error = errors([assertion("X1", "Is_right", JQ)]);
    assert!(error[0].message.contains("kebab case"), "{error:?}");
}

#[test]
fn one_bad_file_hides_no_other() {
    let bad = Source { path: "dir/X1.yaml".to_owned(), text: "id: X1\n".to_owned() };
    let sources = [rules(), bad, assertion("X2", "is-right", JQ)];
    let (catalog, errors) = Catalog::gather(&sources);
    assert_eq!(errors.len(), 1);
    assert!(catalog.assertion("X2").is_some());
}

#[test]
fn sets_name_assertions_and_versions_and_have_a_digest_over_all_of_it() {
    let set = |edition: &str, version: u32| Source {
        path: format!("dir/sets/mine@{edition}.yaml"),
        text: format!(
            "id: mine\nedition: {edition}\ntitle: t\nassertions:\n  - {{ id: X1, version: {version} }}\n"
        ),
    };
    let load =
        |x1: Source| Catalog::gather(&[rules(), set("2026-01-01", 1), set("2026-02-01", 1), x1]);
    let (catalog, errors) = load(assertion("X1", "is-right", JQ));
    assert!(errors.is_empty(), "{errors:?}");
    let newest = catalog.set(&"mine".parse::<SetId>().unwrap()).unwrap();
    assert_eq!(newest.set.edition, "2026-02-01");
    let oldest = catalog.set(&"mine@2026-01-01".parse::<SetId>().unwrap()).unwrap();
    assert_eq!(oldest.members, [("X1".to_owned(), 1)]);

    let mut changed = assertion("X1", "is-right", JQ);
    changed.text.push('#');
    let (other, _) = load(changed);
    let same = other.set(&"mine@2026-01-01".parse::<SetId>().unwrap()).unwrap();
    assert_ne!(same.set.digest, oldest.set.digest);

    let unknown = catalog.set(&"mine@2026-01-02".parse::<SetId>().unwrap()).unwrap_err();
    assert_eq!(unknown.fix, "did you mean `mine@2026-01-01`?");
    let unknown = catalog.set(&"mnie".parse::<SetId>().unwrap()).unwrap_err();
    assert_eq!(unknown.fix, "did you mean `mine`?");

    let wrong = errors_of(vec![rules(), assertion("X1", "is-right", JQ), set("2026-01-01", 7)]);
    assert!(wrong[0].message.contains("no version 7"), "{wrong:?}");
}

#[test]
fn every_name_of_the_catalog_is_explained() {
    let set = Source {
        path: "dir/sets/mine@2026-01-01.yaml".to_owned(),
        text: "id: mine\nedition: 2026-01-01\ntitle: t\nassertions: []\n".to_owned(),
    };
    let (catalog, errors) = Catalog::gather(&[rules(), set, assertion("X1", "is-right", JQ)]);
    assert!(errors.is_empty(), "{errors:?}");
    let names = catalog.names();
    for name in ["X1", "is-right", "is-right-broken", "mine", "3.output-schema"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    for name in &names {
        assert!(catalog.explain(name).is_some(), "{name}");
    }
    assert!(matches!(catalog.explain("x1"), Some(Explanation::Assertion(_))));
    assert!(matches!(catalog.explain("is-right"), Some(Explanation::Check { .. })));
    assert!(matches!(catalog.explain("is-right-broken"), Some(Explanation::Mutant { .. })));
    assert!(matches!(catalog.explain("mine@2026-01-01"), Some(Explanation::Set(_))));
    assert!(catalog.explain("nothing").is_none());
    assert_eq!(catalog.checks_of_rule("3.output-schema"), [("X1", "is-right")]);
    assert_eq!(catalog.checks_of_rule("3.naming"), []);
}

#[test]
fn the_embedded_files_are_without_error() {
    let (catalog, errors) = Catalog::gather(&loader::embedded());
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    for set in [Catalog::DEFAULT_SET, Catalog::WIRE_SET] {
        assert!(catalog.set(&set.parse().unwrap()).is_ok_and(|set| !set.members.is_empty()));
    }
}

#[test]
fn every_clause_of_the_specification_is_judged() {
    let catalog = Catalog::builtin();
    let checks = catalog.assertions().iter().flat_map(|a| &a.versions).flat_map(|v| &v.checks);
    let judged: Vec<&str> = checks.map(|check| check.rule.as_str()).collect();
    for clause in catalog.rules().clauses() {
        assert!(judged.contains(&clause.id.as_str()), "no check judges {}", clause.id);
    }
}

fn errors_of(sources: Vec<Source>) -> Vec<FileError> {
    Catalog::gather(&sources).1
}
