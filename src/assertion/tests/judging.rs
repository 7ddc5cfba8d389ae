//! Verdicts, scores, evidence, coverage and cost, over captures written out here.

use serde_json::json;

use super::capture::{Script, check_file, judged, judged_by};
use crate::score::{Severity, Verdict};

fn verdict(score: &crate::score::Scorecard) -> &Verdict {
    &score.assertions[0].verdict
}

#[test]
fn a_pass_says_how_many_subjects_and_shows_some() {
    let score = judged(
        &Script::new().tools(&["a_x", "a_y"]),
        &[check_file("named", "tool", "jq: '.name | startswith(\"a_\")'")],
    );
    assert_eq!(verdict(&score), &Verdict::Pass);
    assert_eq!(score.assertions[0].evidence, "2 subjects are right [seq 3]");
    assert_eq!(score.assertions[0].checks[0].subjects, 2);
    assert_eq!((score.score.passed, score.score.scored), (1, 1));
}

#[test]
fn a_failure_shows_the_worst_finding_and_counts_the_others() {
    let minor = check_file("minor-one", "tool", "jq: 'false'")
        .replace("severity: major", "severity: minor");
    let major = check_file(
        "major-one",
        "tool",
        r#"jq: '{pointer: "/inputSchema", message: "\($name) has no rows", expected: "rows"}'"#,
    );
    let score = judged(&Script::new().tools(&["a_x", "a_y"]), &[minor, major]);
    assert_eq!(verdict(&score), &Verdict::Fail);
    assert_eq!(score.assertions[0].evidence, "a_x has no rows (+3 more) [seq 3]");
    let check = &score.assertions[0].checks[1];
    assert_eq!(check.severity, Severity::Major);
    let finding = &check.findings[1];
    assert_eq!((finding.subject.as_str(), finding.seq.as_slice()), ("a_y", [3].as_slice()));
    assert_eq!(finding.pointer, "/result/tools/1/inputSchema");
    assert_eq!(finding.actual, json!({ "type": "object" }));
    assert_eq!(finding.expected, "rows");
    let template = &score.assertions[0].checks[0].findings[0];
    assert_eq!((template.message.as_str(), template.expected.as_str()), ("a_x is wrong", "right"));
}

#[test]
fn advice_never_fails_an_assertion() {
    let advice =
        check_file("advice", "tool", "jq: 'false'").replace("required: true", "required: false");
    let score =
        judged(&Script::new().tools(&["a"]), &[advice, check_file("fine", "tool", "jq: 'true'")]);
    assert_eq!(verdict(&score), &Verdict::Pass);
    assert_eq!(score.assertions[0].checks[0].verdict, Verdict::Fail);
    assert_eq!(score.assertions[0].evidence, "1 subjects are right; 1 piece of advice [seq 3]");

    let advice =
        check_file("advice", "tool", "jq: 'true'").replace("required: true", "required: false");
    let score = judged(&Script::new().tools(&["a"]), &[advice]);
    assert!(matches!(verdict(&score), Verdict::NotObserved(_)), "{score:?}");
}

#[test]
fn without_a_subject_nothing_passes() {
    let on_errors = || [check_file("on-errors", "error-result", "jq: 'true'")];
    let score = judged(&Script::new().tools(&["a"]), &on_errors());
    assert_eq!(verdict(&score).name(), "not_observed");
    assert_eq!((score.score.scored, score.score.judged()), (1, 0));
    // A server that lists no tools does not have the surface.
    let score = judged(&Script::new().tools(&[]), &on_errors());
    assert_eq!(verdict(&score).reason(), Some("the server lists no tools"));
    assert_eq!((verdict(&score).name(), score.score.scored), ("not_applicable", 0));
    // Tools that were never listed say nothing.
    let score = judged(&Script::new(), &on_errors());
    assert_eq!(verdict(&score).name(), "not_observed");
}

#[test]
fn an_essential_check_without_a_subject_keeps_an_assertion_from_passing() {
    let essential = check_file("on-errors", "error-result", "jq: 'true'")
        .replace("essential: false", "essential: true");
    let checks = [check_file("fine", "tool", "jq: 'true'"), essential];
    let score = judged(&Script::new().tools(&["a"]), &checks);
    assert_eq!(verdict(&score).reason(), Some("no call was answered by an error result"));
    assert!(score.assertions[0].evidence.contains("seen so far: 1 subjects are right [seq 3]"));
    let score = judged(
        &Script::new().tools(&["a"]).call("a", json!({}), json!({ "isError": true })),
        &checks,
    );
    assert_eq!(verdict(&score), &Verdict::Pass);
}

#[test]
fn what_a_program_skips_is_told_and_never_counts() {
    let checks = [check_file("skips", "tool", r#"jq: '{skip: "no rows"}'"#)];
    let score = judged(&Script::new().tools(&["a", "b"]), &checks);
    assert_eq!(verdict(&score), &Verdict::NotObserved("no rows".to_owned()));
    assert_eq!(score.assertions[0].checks[0].skipped, [("no rows".to_owned(), 2)]);
    let checks = [check_file("skips", "tool", r#"jq: '{inapplicable: "no rows"}'"#)];
    let score = judged(&Script::new().tools(&["a", "b"]), &checks);
    assert_eq!(verdict(&score).name(), "not_applicable");
    let checks = [
        check_file("asks", "tool", r#"jq: '{ask: "is it right?"}'"#),
        check_file("fine", "tool", "jq: 'true'"),
    ];
    let score = judged(&Script::new().tools(&["a", "b"]), &checks);
    assert_eq!(verdict(&score).reason(), Some("is it right? (+1 more)"));
    let advice = |says: &str| {
        let file = check_file("advises", "tool", &format!("jq: '{says}'"))
            .replace("required: true", "required: false");
        verdict(&judged(&Script::new().tools(&["a"]), &[file])).name()
    };
    assert_eq!(advice(r#"{ask: "is it?"}"#), "needs_judge");
    assert_eq!(advice(r#"{inapplicable: "no"}"#), "not_applicable");
    assert_eq!([advice("true"), advice("false")], ["not_observed", "not_observed"]);
    let checks = [check_file("broken", "tool", "jq: '.name.first'")];
    let score = judged(&Script::new().tools(&["a"]), &checks);
    assert!(verdict(&score).reason().unwrap().contains("gave up"), "{score:?}");
    assert_eq!(verdict(&score).name(), "undecided");
    let checks = [check_file("silent", "tool", "jq: 'empty'")];
    let score = judged(&Script::new().tools(&["a"]), &checks);
    assert_eq!(
        verdict(&score),
        &Verdict::NotObserved("the check's program said nothing".to_owned())
    );
}

#[test]
fn a_program_that_gives_up_passes_nothing_and_stops() {
    let names = ["a", "b", "c", "d", "e"];
    let given_up = |code: &str| {
        let checks = [check_file("runs", "tool", &format!("jq: '{code}'"))];
        judged(&Script::new().tools(&names), &checks)
    };
    let one = given_up(r#"if .name == "c" then error("no") else true end"#);
    assert_eq!(verdict(&one).name(), "undecided", "{one:?}");
    assert_eq!(one.assertions[0].checks[0].subjects, 4);
    let all = given_up("[range(1e18)] | length");
    let check = &all.assertions[0].checks[0];
    assert_eq!(check.subjects, 0);
    assert_eq!(check.skipped.iter().map(|(_, count)| count).sum::<u32>(), 5);
    let found = given_up(r#"if .name == "c" then error("no") else false end"#);
    assert_eq!(verdict(&found), &Verdict::Fail);
}

#[test]
fn schema_and_regex_checks_point_at_what_they_refuse() {
    let schema =
        check_file("closed", "tool", "schema: { properties: { inputSchema: { required: [x] } } }");
    let regex = check_file("named", "tool", "regex: { at: /name, match: '^b' }");
    let missing = check_file("titled", "tool", "regex: { at: /title, match: '^b' }");
    let score = judged(&Script::new().tools(&["a"]), &[schema, regex, missing]);
    let checks = &score.assertions[0].checks;
    assert_eq!(checks[0].findings[0].pointer, "/result/tools/0/inputSchema");
    assert_eq!(checks[1].findings[0].actual, json!("a"));
    assert_eq!(checks[1].findings[0].message, "a is wrong");
    assert_eq!(checks[2].verdict.name(), "not_observed");
}

#[test]
fn a_check_binds_from_its_revision_on() {
    let since = check_file("since", "tool", "jq: 'false'\n        since: 2026-07-28");
    let score = judged(&Script::new().tools(&["a"]), &[since]);
    assert_eq!(verdict(&score).name(), "not_applicable", "{score:?}");
    let since = check_file("since", "tool", "jq: 'false'\n        since: 2025-06-18");
    assert_eq!(verdict(&judged(&Script::new().tools(&["a"]), &[since])), &Verdict::Fail);
}

#[test]
fn a_truncated_capture_leaves_open_what_its_end_could_change() {
    let checks = [check_file("on-tools", "tool", "jq: 'true'")];
    let calls = [check_file("on-calls", "call", "jq: 'true'")];
    let bad = [check_file("on-calls", "call", "jq: 'false'")];
    let script = || Script::new().header().tools(&["a"]).call("a", json!({}), json!({}));
    // The list was walked to its end; calls go on for as long as the run does.
    let score = judged(&script(), &checks);
    assert_eq!(verdict(&score), &Verdict::Pass);
    assert_eq!(score.incomplete.as_deref(), Some("truncated: the capture has no closing event"));
    assert_eq!(verdict(&judged(&script(), &calls)).name(), "undecided");
    assert_eq!(verdict(&judged(&script(), &bad)), &Verdict::Fail);
    let score = judged(&script().end("complete"), &calls);
    assert_eq!((verdict(&score), &score.incomplete), (&Verdict::Pass, &None));
    assert_eq!(verdict(&judged(&script().end("target_died"), &calls)).name(), "undecided");
    // A foreign capture never says how it ended.
    let foreign = Script::new().tools(&["a"]).call("a", json!({}), json!({}));
    assert_eq!(verdict(&judged(&foreign, &calls)), &Verdict::Pass);
    // Nothing that could still come brings a surface that is not there.
    let detail = [check_file("on-detail", "detail-case", "jq: 'true'")];
    assert_eq!(verdict(&judged(&script(), &detail)).name(), "not_applicable");
}

#[test]
fn what_was_cut_out_of_a_capture_is_missed() {
    let calls = [check_file("on-calls", "call", "jq: 'true'")];
    let script = || {
        let call = |script: Script| script.call("a", json!({}), json!({}));
        call(call(Script::new().header().tools(&["a"]))).end("complete")
    };
    assert_eq!(verdict(&judged(&script(), &calls)), &Verdict::Pass);
    let score = judged(&script().without(7), &calls);
    assert_eq!(verdict(&score).name(), "undecided");
    let said = score.incomplete.as_deref();
    assert_eq!(
        said,
        Some("edited: 8 events are there, numbered up to 8, and the recorder counted 9")
    );
}

#[test]
fn a_withheld_flow_is_not_run_with_what_would_allow_it() {
    let checks = [check_file("repeats", "idempotency-case", "jq: 'true'")];
    let script = Script::new().header().tools(&["a"]).end("complete");
    assert_eq!(verdict(&judged(&script, &checks)).name(), "not_observed");
    let withheld = |kind| {
        let script = Script::new().header().tools(&["a"]);
        judged(&script.end_withholding(kind, "some calls", "a flag"), &checks)
    };
    for kind in [json!("mutation"), json!({"flow": "idempotency"})] {
        let score = withheld(kind);
        assert_eq!(verdict(&score), &Verdict::NotRun("some calls needs a flag".to_owned()));
        assert_eq!(score.withheld.len(), 1);
    }
    for kind in [json!("case"), json!("list"), json!({"flow": "pages"}), json!("other")] {
        assert_eq!(verdict(&withheld(kind)).name(), "not_observed");
    }
}

#[test]
fn findings_and_long_values_are_cut_and_counted() {
    let names: Vec<String> = (0..60).map(|n| format!("a_{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let long = check_file("long", "tool", r#"jq: '{message: "m", actual: ("é" * 400)}'"#);
    let score = judged(&Script::new().tools(&names), &[long]);
    let check = &score.assertions[0].checks[0];
    assert_eq!((check.findings.len(), check.left_out, check.subjects), (50, 10, 60));
    assert!(score.assertions[0].evidence.contains("(+59 more)"));
    assert!(check.findings[0].actual.to_string().len() < 400);
}

#[test]
fn the_catalog_points_back_at_the_tool() {
    let check = check_file(
        "pairs",
        "catalog",
        r#"jq: '.tools | to_entries[] | {pointer: "/tools/\(.key)/name", message: "m"}'"#,
    );
    let score = judged(&Script::new().tools(&["a", "b"]), &[check]);
    let finding = &score.assertions[0].checks[0].findings[1];
    assert_eq!((finding.subject.as_str(), finding.pointer.as_str()), ("b", "/result/tools/1/name"));
}

#[test]
fn coverage_and_cost_are_counted_from_the_wire() {
    let script = Script::new()
        .tools(&["a", "b", "c"])
        .call("a", json!({}), json!({ "structuredContent": { "ok": 1 } }))
        .call("a", json!({}), json!({ "isError": true, "structuredContent": { "code": "gone" } }))
        .call("b", json!({}), json!({ "isError": true }))
        // A failure without the flag: neither a success nor an error result.
        .call("c", json!({}), json!({ "structuredContent": { "error": "no such thing" } }))
        .call("zzz", json!({}), json!({ "isError": true }));
    let score = judged(&script, &[check_file("fine", "tool", "jq: 'true'")]);
    let tools = &score.coverage.tools;
    assert_eq!((tools.listed, tools.called, tools.succeeded, tools.forced_error), (3, 3, 1, 2));
    assert_eq!(score.coverage.error_codes.observed, ["gone"]);
    assert_eq!((score.coverage.rules.judged, score.coverage.rules.of), (1, 2));
    assert_eq!(score.cost.requests, 7);
    assert!(score.cost.discovery_bytes > 100);
    // The token counter of these tests counts one token a byte.
    assert_eq!(score.cost.discovery_tokens, score.cost.discovery_bytes);
}

#[test]
fn the_first_set_scores_the_run_and_wire_stands_beside_it() {
    let script = Script::new().tools(&["a"]);
    let score = judged_by(&script, &[check_file("fine", "tool", "jq: 'true'")], &["mine", "other"]);
    assert_eq!(score.set.id, "mine");
    assert_eq!(score.wire.set.id, "wire");
    assert_eq!(score.sets.len(), 1);
    assert_eq!(score.sets[0].set.id, "other");
    let again = judged_by(&script, &[check_file("fine", "tool", "jq: 'true'")], &["mine", "other"]);
    assert_eq!(score, again);
}
