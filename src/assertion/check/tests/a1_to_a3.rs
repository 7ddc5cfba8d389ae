//! A1, A2 and the listing half of A3.

use serde_json::{Value, json};

use super::sample::{Sample, sample, tool};

fn endpoints(count: usize) -> Value {
    let all = [
        "list issues",
        "search issues",
        "get issue",
        "create issue",
        "update issue",
        "add labels",
        "remove labels",
        "lock issue",
        "unlock issue",
    ];
    json!({ "upstream_endpoints": all[..count], "tools": { "min": 4, "max": 7 } })
}

const FOLDED: &[&str] = &[
    "acme_find_issues",
    "acme_get_issue",
    "acme_create_issue",
    "acme_update_issue",
    "acme_get_capabilities",
];

#[test]
fn a_count_in_range_is_fine_and_any_other_is_a_question() {
    let of = |names: &[&str]| sample().scenario(endpoints(9), json!({})).named(names);
    assert_eq!(of(FOLDED).says("tool-count-fits-tasks"), "fine");
    assert_eq!(of(&["acme_get_issue"]).says("tool-count-fits-tasks"), "ask");
    assert_eq!(sample().named(FOLDED).says("tool-count-fits-tasks"), "ask");
}

#[test]
fn mirrored_endpoints_are_a_fault() {
    let of = |n: usize, names: &[&str]| sample().scenario(endpoints(n), json!({})).named(names);
    assert_eq!(of(9, FOLDED).says("endpoints-folded"), "fine");
    let mirror = [
        "acme_list_issues",
        "acme_search_issues",
        "acme_get_issue",
        "acme_create_issue",
        "acme_update_issue",
        "acme_add_labels",
        "acme_remove_labels",
    ];
    assert!(of(9, &mirror).complaint("endpoints-folded").contains("7 of 9 endpoints"));
    assert_eq!(of(3, &mirror[..3]).says("endpoints-folded"), "inapplicable");
    assert_eq!(sample().named(&mirror).says("endpoints-folded"), "skip");
}

#[test]
fn opposites_and_twins_are_one_tool_unless_a_reason_is_named() {
    let of = |description: &str| {
        sample().scenario(endpoints(9), json!({})).tools(json!([
            tool("acme_lock_issue", json!({}), &[], json!({ "description": description })),
            tool("acme_unlock_issue", json!({}), &[], json!({})),
        ]))
    };
    assert_eq!(of("Locks.").says("opposites-folded"), "faulty");
    assert_eq!(
        of("Kept separate from acme_unlock_issue: it needs approval.").says("opposites-folded"),
        "fine"
    );
    let twins = sample()
        .scenario(endpoints(9), json!({}))
        .named(&["acme_list_issues", "acme_search_issues"]);
    assert_eq!(twins.says("opposites-folded"), "faulty");
    let different = sample()
        .scenario(endpoints(9), json!({}))
        .named(&["acme_list_users", "acme_search_issues"]);
    assert_eq!(different.says("opposites-folded"), "fine");
}

#[test]
fn steps_of_one_task_are_a_question() {
    assert_eq!(
        sample().named(&["acme_prepare_order", "acme_commit_order"]).says("steps-hidden"),
        "ask"
    );
    assert_eq!(
        sample().named(&["acme_prepare_order", "acme_commit_change"]).says("steps-hidden"),
        "fine"
    );
    assert_eq!(sample().named(&["acme_get_order"]).says("steps-hidden"), "inapplicable");
}

#[test]
fn names_are_snake_case_of_at_least_two_words() {
    assert_eq!(sample().named(&["acme_get_issue", "get_issue2"]).says("names-snake-case"), "fine");
    for name in ["getIssue", "get-issue", "issues", "Get_Issue", "get__issue", "acme.get_issue"] {
        assert_eq!(sample().named(&[name]).says("names-snake-case"), "faulty", "{name}");
    }
}

#[test]
fn names_share_a_prefix_that_is_no_verb() {
    let id = "names-share-prefix";
    assert_eq!(sample().named(&["git_get_x", "git_list_x"]).says(id), "fine");
    assert_eq!(sample().named(&["get_issue", "get_user"]).says(id), "faulty");
    assert_eq!(sample().named(&["git_get_x", "git_list_x", "add_x"]).looks(id).len(), 3);
    // The server's own name is a prefix too.
    assert_eq!(sample().named(&["acme_get_x"]).says(id), "fine");
    let nameless = Sample::introduced("2025-11-25", json!({}), Value::Null);
    assert_eq!(nameless.named(&["get_x"]).says(id), "skip");
    let excused = sample().scenario(json!({ "unprefixed_names": "a single host" }), json!({}));
    assert_eq!(excused.named(&["get_issue", "add_user"]).says(id), "inapplicable");
}

#[test]
fn a_verb_and_a_noun_follow_the_prefix() {
    let id = "names-verb-noun";
    assert_eq!(sample().named(&["git_get_issue", "git_list_users"]).says(id), "fine");
    assert_eq!(sample().named(&["get_issue"]).says(id), "fine");
    assert_eq!(sample().named(&["git_search", "git_get_x"]).says(id), "faulty");
    assert_eq!(sample().named(&["git_frobnicate_issue", "git_get_x"]).says(id), "ask");
}

fn takes(properties: Value) -> Sample {
    sample().tools(json!([tool("acme_get_issue", properties, &[], json!({}))]))
}

#[test]
fn input_schemas_are_closed_at_every_depth() {
    let id = "input-schemas-closed";
    assert_eq!(takes(json!({ "n": { "type": "integer" } })).says(id), "fine");
    let nested = json!({ "filter": { "type": "object", "properties": { "a": {} } } });
    assert_eq!(takes(nested).says(id), "faulty");
    let explained = json!({ "filter": { "type": "object", "properties": { "a": {} }, "description": "Arbitrary members." } });
    assert_eq!(takes(explained).says(id), "fine");
    let none = sample().tools(json!([{ "name": "acme_get_x" }]));
    assert_eq!(none.says(id), "skip");
}

#[test]
fn output_schemas_are_closed_too() {
    let id = "output-schemas-closed";
    let of = |output: Value| {
        sample().tools(json!([tool(
            "acme_get_x",
            json!({}),
            &[],
            json!({ "outputSchema": output })
        )]))
    };
    assert_eq!(of(json!({ "type": "object", "additionalProperties": false })).says(id), "fine");
    assert_eq!(of(json!({ "type": "object", "properties": { "a": {} } })).says(id), "faulty");
    assert_eq!(takes(json!({})).says(id), "skip");
}

#[test]
fn schemas_name_their_dialect() {
    let id = "schemas-name-dialect";
    assert_eq!(takes(json!({})).says(id), "faulty");
    let named = json!([{ "name": "acme_get_x", "inputSchema": { "$schema": "https://json-schema.org/draft/2020-12/schema" } }]);
    assert_eq!(sample().tools(named).says(id), "fine");
}

#[test]
fn a_parameter_name_says_what_goes_in() {
    let id = "parameter-names-precise";
    let fine = json!({
        "issue_number": { "type": "integer" },
        "since": { "type": "string", "format": "date-time" },
        "id": { "type": "string", "pattern": "^[a-f0-9]+$", "description": "The hash." },
        "labels": { "type": "array", "items": { "type": "string" } },
        "title": { "type": "string" },
        "data": { "type": "object" },
    });
    assert_eq!(takes(fine).says(id), "fine");
    for (name, schema) in [
        ("id", json!({ "type": "string" })),
        ("since", json!({ "type": "string" })),
        ("issue", json!({ "type": ["integer", "null"] })),
    ] {
        assert_eq!(takes(json!({ name: schema })).says(id), "faulty", "{name}");
    }
    // A union with an object is no scalar, an enumeration says what goes in.
    assert_eq!(
        takes(json!({ "issue": { "anyOf": [{ "type": "string" }, { "type": "object" }] } }))
            .says(id),
        "fine"
    );
    assert_eq!(takes(json!({ "date": { "enum": ["today"] , "type": "string" } })).says(id), "fine");
    assert_eq!(
        takes(json!({ "time": { "type": "string", "description": "In the format HH:MM." } }))
            .says(id),
        "fine"
    );
    assert_eq!(takes(json!({})).says(id), "skip");
}

#[test]
fn a_parameter_that_is_its_own_value_is_precise() {
    let id = "parameter-names-precise";
    for name in [
        "time", "password", "rrule", "key", "date", "text", "query", "url", "path", "token",
        "secret", "timezone", "color", "email", "phone", "regex", "pattern",
    ] {
        let of = |schema: Value| {
            let own = format!("acme_set_{name}");
            sample().tools(json!([tool(&own, json!({ name: schema }), &[], json!({}))])).says(id)
        };
        let told = json!({ "type": "string", "description": "In the format that it has." });
        assert_eq!(of(told), "fine", "{name}");
        // Without a word on its form, a date or a time could still mean several things.
        let is_vague = ["date", "time"].contains(&name);
        let bare = if is_vague { "faulty" } else { "fine" };
        assert_eq!(of(json!({ "type": "string" })), bare, "{name}");
    }
    let thing = tool("acme_set_issue", json!({ "issue": { "type": "string" } }), &[], json!({}));
    assert_eq!(sample().tools(json!([thing])).says(id), "faulty");
}

#[test]
fn a_parameter_has_one_type_everywhere() {
    let id = "parameter-types-agree";
    let of = |one: Value, two: Value| {
        sample().tools(json!([
            tool("acme_get_x", json!({ "x_id": one }), &[], json!({})),
            tool("acme_set_x", json!({ "x_id": two }), &[], json!({})),
        ]))
    };
    assert_eq!(
        of(json!({ "type": "integer" }), json!({ "type": ["number", "null"] })).says(id),
        "fine"
    );
    assert_eq!(of(json!({ "type": "integer" }), json!({ "type": "string" })).says(id), "faulty");
    assert_eq!(
        of(json!({ "type": "string", "format": "date" }), json!({ "type": "string" })).says(id),
        "fine"
    );
    let wide = |width: &str| json!({ "type": "integer", "format": width });
    assert_eq!(of(wide("uint32"), wide("int64")).says(id), "fine");
    assert_eq!(of(json!({}), json!({ "type": "object" })).says(id), "skip");
}

#[test]
fn omission_is_documented() {
    let id = "optional-omission-documented";
    let with = |schema: Value| takes(json!({ "state": schema }));
    assert_eq!(with(json!({ "description": "Omitted means open." })).says(id), "fine");
    assert_eq!(with(json!({ "description": "The state." })).says(id), "faulty");
    assert_eq!(with(json!({})).says(id), "faulty");
    assert_eq!(with(json!({ "description": "Optional state." })).says(id), "ask");
    assert_eq!(with(json!({ "description": "可选的状态" })).says(id), "ask");
    assert_eq!(with(json!({ "description": "The state.", "default": "open" })).says(id), "fine");
    let required =
        sample().tools(json!([tool("acme_get_x", json!({ "x": {} }), &["x"], json!({}))]));
    assert_eq!(required.says(id), "skip");
    let covered = tool(
        "acme_get_x",
        json!({ "x": {} }),
        &[],
        json!({ "description": "Every field you omit is left unchanged." }),
    );
    assert_eq!(sample().tools(json!([covered])).says(id), "ask");
    for told in ["Provide exactly one of `state` or `ids`.", "Give either state or ids, not both."]
    {
        assert_eq!(with(json!({ "description": told })).says(id), "fine", "{told}");
    }
    for hint in ["Branch for create/delete operations.", "For list mode: the state."] {
        assert_eq!(with(json!({ "description": hint })).says(id), "ask", "{hint}");
    }
    let described = |text: &str| {
        let more = json!({ "description": text });
        let listed = tool("acme_get_x", json!({ "base_branch": {} }), &[], more);
        sample().tools(json!([listed])).says(id)
    };
    for told in [
        "Edit an item. Only referenced fields are changed; all others are preserved.",
        "Get a pod in the current or provided namespace.",
        "Creates a new branch from an optional base branch",
        "Provide exactly one of base_branch or tag.",
        "Parameters:\n- base_branch: If branching, where from\n- tag: The tag",
    ] {
        assert_eq!(described(told), "ask", "{told}");
    }
    assert_eq!(described("Creates a branch with an optional note."), "faulty");
}

#[test]
fn a_default_is_told_in_prose_too() {
    let id = "defaults-explained";
    let with = |schema: Value| takes(json!({ "state": schema }));
    assert_eq!(
        with(json!({ "default": "open", "description": "Omitted means open." })).says(id),
        "fine"
    );
    assert_eq!(with(json!({ "default": "open", "description": "The state." })).says(id), "faulty");
    assert_eq!(with(json!({ "default": null, "description": "The state." })).says(id), "skip");
}

#[test]
fn what_is_required_has_no_default() {
    let id = "required-without-default";
    let of = |schema: Value| {
        sample().tools(json!([tool("acme_get_x", json!({ "x": schema }), &["x"], json!({}))]))
    };
    assert_eq!(of(json!({ "type": "string" })).says(id), "fine");
    assert_eq!(of(json!({ "type": "string", "default": "a" })).says(id), "faulty");
    assert_eq!(takes(json!({ "x": { "default": 1 } })).says(id), "skip");
}
