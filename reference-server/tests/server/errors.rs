//! Every error code on the wire, on both carriers, with repairs that are carried out to the letter.

use std::time::Duration;

use reference_server::{Credential, ServeOptions};
use serde_json::{Map, Value, json};

use crate::client::{Client, options};

/// The members that every envelope has, and the rules between them.
fn assert_envelope(envelope: &Value, code: &str, code_name: &str, message_name: &str) {
    let members = envelope.as_object().unwrap_or_else(|| panic!("not an envelope: {envelope}"));
    assert_eq!(envelope[code_name], code, "{envelope}");
    for name in [message_name, "request_id", "fingerprint"] {
        assert!(
            envelope[name].as_str().is_some_and(|text| !text.is_empty()),
            "{name} in {envelope}"
        );
    }
    assert!(
        envelope["fingerprint"]
            .as_str()
            .is_some_and(|text| text.starts_with("github-issues-mcp@1.0.0+"))
    );
    assert_eq!(
        envelope["temporary"],
        json!(matches!(code, "rate_limited" | "upstream_unavailable")),
        "{envelope}"
    );
    assert!(members.contains_key("retry_after_ms"), "{envelope}");
    assert_eq!(envelope["retry_after_ms"].is_u64(), envelope["temporary"] == true, "{envelope}");
    for (name, value) in members {
        let empty =
            value.as_object().is_some_and(Map::is_empty) || value == "" || *value == json!([]);
        assert!(
            !empty && (name == "retry_after_ms" || !value.is_null()),
            "{name} is empty in {envelope}"
        );
    }
}

/// Whether the arguments satisfy the input schema that the tool publishes.
fn assert_callable(tools: &[Value], repair: &Value) {
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == repair["tool"])
        .unwrap_or_else(|| panic!("no such tool: {repair}"));
    let validator = jsonschema::validator_for(&tool["inputSchema"]).expect("compiles");
    assert!(validator.is_valid(&repair["arguments"]), "{repair}");
}

/// Fails a call with `code`; checks carrier, mirror and, where there is one, the repair. Returns the envelope.
fn fail(client: &mut Client, tool: &str, arguments: Value, code: &str) -> Value {
    let tools = client.tools();
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    let envelope = &result["structuredContent"];
    assert_envelope(envelope, code, "code", "message");
    let mirror = result["content"][0]["text"].as_str().expect("a text mirror");
    assert!(
        mirror.contains(code) && mirror.contains(envelope["message"].as_str().expect("text")),
        "{mirror}"
    );
    if let Some(repair) = envelope.get("repair") {
        assert_callable(&tools, repair);
        assert!(mirror.contains(repair["tool"].as_str().expect("text")), "{mirror}");
    }
    envelope.clone()
}

/// Sends the repair as it is written.
fn carry_out(client: &mut Client, envelope: &Value) -> Value {
    let repair = &envelope["repair"];
    client.success(repair["tool"].as_str().expect("a tool"), repair["arguments"].clone())
}

#[test]
fn invalid_field_is_repaired_with_every_valid_argument_kept() {
    let mut client = Client::start(options());
    for (tool, sent, field, mended) in [
        (
            "github_find_issues",
            json!({"owner": "acme", "repo": "widgets", "state": "opne", "labels": ["bug"], "query": "save"}),
            "state",
            json!({"owner": "acme", "repo": "widgets", "state": "open", "labels": ["bug"], "query": "save"}),
        ),
        (
            "github_find_issues",
            json!({"owner": "acme", "repo": "widgets", "limit": 5, "state": "all"}),
            "limit",
            json!({"owner": "acme", "repo": "widgets", "state": "all"}),
        ),
        (
            "github_find_issues",
            json!({"owner": "acme", "repo": "widgets", "detail": 7, "labels": "bug"}),
            "labels",
            json!({"owner": "acme", "repo": "widgets", "detail": "summary", "labels": ["bug"]}),
        ),
        (
            "github_find_issues",
            json!({"owner": "acme/widgets", "repo": "widgets", "updated_after": "2026-07-01"}),
            "owner",
            json!({"owner": "acme", "repo": "widgets", "updated_after": "2026-07-01T00:00:00Z"}),
        ),
        (
            "github_find_issues",
            json!({"owner": "acme", "repo": "widgets", "query": "", "labels": []}),
            "query",
            json!({"owner": "acme", "repo": "widgets"}),
        ),
        (
            "github_get_issue",
            json!({"owner": "acme", "repo": "widgets", "issue_number": "#1423", "include_comments": "false"}),
            "issue_number",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1423, "include_comments": false}),
        ),
        (
            "github_get_issue",
            json!({"owner": "acme", "repo": "widgets", "issue": 1423}),
            "issue_number",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1423}),
        ),
        (
            "github_update_issue",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1301, "state": "done", "state_reason": "completed"}),
            "state",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1301, "state": "closed", "state_reason": "completed"}),
        ),
        (
            "github_set_issue_lock",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1301, "lock_reason": "too_heated", "locked": true}),
            "lock_reason",
            json!({"owner": "acme", "repo": "widgets", "issue_number": 1301, "lock_reason": "too heated", "locked": true}),
        ),
        ("github_get_capabilities", json!({"verbose": true}), "verbose", json!({})),
    ] {
        let envelope = fail(&mut client, tool, sent.clone(), "invalid_field");
        assert_eq!(envelope["details"]["field"], field, "{sent}: {envelope}");
        assert!(envelope["details"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert_eq!(envelope["repair"]["tool"], tool, "{sent}: {envelope}");
        assert_eq!(envelope["repair"]["arguments"], mended, "{sent}");
        carry_out(&mut client, &envelope);
    }
}

#[test]
fn an_enumeration_lists_its_members_and_a_lookup_replaces_a_number_that_cannot_be_derived() {
    let mut client = Client::start(options());
    let sent = json!({"owner": "acme", "repo": "widgets", "state": "maybe"});
    let envelope = fail(&mut client, "github_find_issues", sent, "invalid_field");
    assert_eq!(envelope["details"]["allowed"], json!(["open", "closed", "all"]));
    assert_eq!(envelope["repair"]["arguments"]["state"], "open");
    for number in [json!(0), json!("x"), json!(1.5), Value::Null] {
        let sent =
            json!({"owner": "acme", "repo": "widgets", "issue_number": number, "body": "hi"});
        let envelope = fail(&mut client, "github_add_comment", sent, "invalid_field");
        assert_eq!(envelope["details"]["field"], "issue_number");
        assert_eq!(envelope["repair"]["tool"], "github_find_issues");
        carry_out(&mut client, &envelope);
    }
}

#[test]
fn what_nothing_says_is_not_repaired() {
    let mut client = Client::start(options());
    for (sent, field) in [
        (json!({"repo": "widgets", "title": "A title"}), "owner"),
        (json!({"owner": "acme", "title": "A title"}), "repo"),
        (json!({"owner": "acme", "repo": "widgets"}), "title"),
    ] {
        let envelope = fail(&mut client, "github_create_issue", sent, "invalid_field");
        assert_eq!(envelope["details"]["field"], field);
        assert!(envelope.get("repair").is_none(), "{envelope}");
        if field == "owner" || field == "repo" {
            assert!(
                envelope["details"]["allowed"].as_array().is_some_and(|names| !names.is_empty()),
                "{envelope}"
            );
        }
    }
}

#[test]
fn a_value_that_cannot_be_corrected_leads_to_the_contract() {
    let mut client = Client::start(options());
    for (wrong, field) in [
        (json!({"title": ""}), "title"),
        (json!({"title": "A title", "body": "x".repeat(65_537)}), "body"),
        (json!({"title": "A title", "labels": {"bug": true}}), "labels"),
    ] {
        let mut sent = json!({"owner": "acme", "repo": "widgets"});
        for (name, value) in wrong.as_object().expect("an object") {
            sent[name] = value.clone();
        }
        let envelope = fail(&mut client, "github_create_issue", sent, "invalid_field");
        assert_eq!(envelope["details"]["field"], field);
        assert_eq!(envelope["repair"]["tool"], "github_get_capabilities", "{envelope}");
        carry_out(&mut client, &envelope);
    }
}

#[test]
fn an_edit_is_never_repaired_by_writing_less() {
    let mut client = Client::start(options());
    for (tool, extra, field) in [
        ("github_update_issue", json!({"state": "maybe"}), "state"),
        ("github_update_issue", json!({"add_labels": {"bug": true}, "title": "New"}), "add_labels"),
        ("github_set_issue_lock", json!({"locked": "perhaps"}), "locked"),
    ] {
        let mut sent = json!({"owner": "acme", "repo": "widgets", "issue_number": 1301});
        sent.as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        let envelope = fail(&mut client, tool, sent, "invalid_field");
        assert_eq!(envelope["details"]["field"], field);
        assert_eq!(envelope["repair"]["tool"], "github_get_issue", "{envelope}");
        carry_out(&mut client, &envelope);
    }
}

#[test]
fn a_refused_value_is_not_repeated() {
    let mut client = Client::start(options());
    let secret = "ghp_0123456789abcdefSECRET";
    for sent in [
        json!({"owner": secret.to_owned() + "!", "repo": 5}),
        json!({"owner": "acme", "repo": "widgets", "updated_after": secret}),
        json!({"owner": "acme", "repo": "widgets", "state": secret}),
        json!({"owner": "acme", "repo": "widgets", "cursor": secret}),
    ] {
        let mut envelope = client.failure("github_find_issues", sent);
        // The repair of a name keeps the part of it that is valid; everywhere else the value is gone.
        envelope.as_object_mut().expect("an envelope").remove("repair");
        assert!(!envelope.to_string().contains("SECRET"), "{envelope}");
    }
    let sent = json!({"owner": "acme", "repo": "widgets", "\u{202e}\u{1b}[31mkey": 1});
    let envelope = client.failure("github_find_issues", sent);
    assert_eq!(envelope["details"]["field"], "???31mkey");
}

#[test]
fn issue_not_found_leads_to_the_issues_of_the_repository() {
    let mut client = Client::start(options());
    for (tool, extra) in [
        ("github_get_issue", json!({})),
        ("github_list_comments", json!({})),
        ("github_update_issue", json!({"title": "New"})),
        ("github_add_comment", json!({"body": "hi"})),
        ("github_set_issue_lock", json!({"locked": true})),
    ] {
        let mut sent = json!({"owner": "acme", "repo": "widgets", "issue_number": 999_999});
        sent.as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        let envelope = fail(&mut client, tool, sent, "issue_not_found");
        assert_eq!(envelope["details"]["field"], "issue_number");
        assert_eq!(envelope["repair"]["tool"], "github_find_issues");
        carry_out(&mut client, &envelope);
    }
}

#[test]
fn repo_not_found_keeps_the_callers_filters() {
    let mut client = Client::start(options());
    let sent = json!({"owner": "acme", "repo": "widget", "state": "all", "labels": ["bug"]});
    let envelope = fail(&mut client, "github_find_issues", sent, "repo_not_found");
    assert_eq!(envelope["details"]["field"], "repo");
    assert!(
        envelope["details"]["allowed"]
            .as_array()
            .is_some_and(|names| names.contains(&json!("widgets")))
    );
    let mended = json!({"owner": "acme", "repo": "widgets", "state": "all", "labels": ["bug"]});
    assert_eq!(envelope["repair"]["arguments"], mended);
    carry_out(&mut client, &envelope);
}

#[test]
fn label_not_found_lists_the_labels_and_writes_nothing() {
    let mut client = Client::start(options());
    let title = "Unmistakable zebra crossing";
    let sent = json!({"owner": "acme", "repo": "widgets", "title": title, "labels": ["bgu"]});
    let envelope = fail(&mut client, "github_create_issue", sent, "label_not_found");
    assert_eq!(envelope["details"]["field"], "labels");
    assert!(
        envelope["details"]["allowed"]
            .as_array()
            .is_some_and(|names| names.contains(&json!("バグ")))
    );
    let found = client.success(
        "github_find_issues",
        json!({"owner": "acme", "repo": "widgets", "query": "zebra"}),
    );
    assert_eq!(found["estimated_total"], 0);
    let created = carry_out(&mut client, &envelope);
    assert_eq!(created["labels"], json!(["bug"]));
}

#[test]
fn issue_locked_is_unlocked_and_then_takes_the_comment() {
    let mut client = Client::start(options());
    let sent = json!({"owner": "acme", "repo": "widgets", "issue_number": 1423, "body": "hi"});
    let envelope = fail(&mut client, "github_add_comment", sent.clone(), "issue_locked");
    assert_eq!(
        (&envelope["details"]["field"], &envelope["details"]["value"]),
        (&json!("issue_number"), &json!(1423))
    );
    let unlock = json!({"owner": "acme", "repo": "widgets", "issue_number": 1423, "locked": false});
    assert_eq!(
        (&envelope["repair"]["tool"], &envelope["repair"]["arguments"]),
        (&json!("github_set_issue_lock"), &unlock)
    );
    carry_out(&mut client, &envelope);
    assert!(client.success("github_add_comment", sent)["comment_id"].is_u64());
}

#[test]
fn version_conflict_leads_to_the_fresh_version() {
    let mut client = Client::start(options());
    let read = json!({"owner": "acme", "repo": "widgets", "issue_number": 1301});
    let stale = client.success("github_get_issue", read.clone())["issue"]["version"].clone();
    let edit = |title: &str, version: &Value| json!({"owner": "acme", "repo": "widgets", "issue_number": 1301, "title": title, "expected_version": version});
    client.success("github_update_issue", edit("First", &stale));
    let envelope =
        fail(&mut client, "github_update_issue", edit("Second", &stale), "version_conflict");
    assert_eq!(envelope["details"]["field"], "expected_version");
    assert_eq!(envelope["details"]["value"], stale);
    let fresh = carry_out(&mut client, &envelope)["issue"].clone();
    assert_eq!(fresh["title"], "First");
    client.success("github_update_issue", edit("Second", &fresh["version"]));
}

#[test]
fn cursor_expired_starts_again_with_the_same_filters() {
    let step = ServeOptions { clock_step: Some(Duration::from_secs(901)), ..options() };
    let mut client = Client::start(step);
    let sent = json!({"owner": "acme", "repo": "widgets", "state": "all"});
    let page = client.success("github_find_issues", sent.clone());
    let mut next = sent.clone();
    next["cursor"] = page["next_cursor"].clone();
    let envelope = fail(&mut client, "github_find_issues", next.clone(), "cursor_expired");
    assert_eq!(envelope["details"]["field"], "cursor");
    assert_eq!(envelope["repair"]["arguments"], sent);
    carry_out(&mut client, &envelope);
    let altered = page["next_cursor"].as_str().expect("a cursor").chars().rev().collect::<String>();
    next["cursor"] = altered.into();
    let envelope = fail(&mut client, "github_find_issues", next, "invalid_field");
    assert_eq!(
        (&envelope["details"]["field"], &envelope["repair"]["arguments"]),
        (&json!("cursor"), &sent)
    );
}

#[test]
fn rate_limited_and_upstream_unavailable_say_when_to_come_again() {
    let mut client = Client::start(options());
    let limited = fail(
        &mut client,
        "github_find_issues",
        json!({"owner": "acme", "repo": "throttled"}),
        "rate_limited",
    );
    assert_eq!(limited["rate_limit_remaining"], 0);
    fail(
        &mut client,
        "github_find_issues",
        json!({"owner": "acme", "repo": "unavailable"}),
        "upstream_unavailable",
    );
    let any = json!({"owner": "acme", "repo": "widgets"});
    let mut throttled = Client::start(ServeOptions { throttle: true, ..options() });
    fail(&mut throttled, "github_find_issues", any.clone(), "rate_limited");
    let mut down = Client::start(ServeOptions { outage: true, ..options() });
    fail(&mut down, "github_find_issues", any, "upstream_unavailable");
}

#[test]
fn each_credential_mode_has_its_own_code() {
    let comment = json!({"owner": "acme", "repo": "gadgets", "issue_number": 1, "body": "hi"});
    for (credential, code) in [
        (Credential::Missing, "missing_credential"),
        (Credential::Invalid, "invalid_credential"),
        (Credential::ReadOnly, "insufficient_scope"),
    ] {
        let mut client = Client::start(ServeOptions { credential, ..options() });
        let envelope = fail(&mut client, "github_add_comment", comment.clone(), code);
        assert!(envelope.get("repair").is_none(), "{envelope}");
        if code == "insufficient_scope" {
            assert_eq!(envelope["details"]["required_scopes"], json!(["issues:write"]));
            client.success("github_find_issues", json!({"owner": "acme", "repo": "widgets"}));
        }
        client.success("github_get_capabilities", json!({}));
    }
}

#[test]
fn resource_failures_carry_the_same_envelope_renamed() {
    let issue = "github://repos/acme/widgets/issues/999999";
    let mut client = Client::start(options());
    for (uri, code) in [
        (issue, "issue_not_found"),
        ("github://repos/acme/nothing/issues/1", "repo_not_found"),
        ("github://repos/acme/nothing/issues", "repo_not_found"),
        ("github://nowhere", "invalid_field"),
        ("github://repos/acme/widgets/issues?state=shut", "invalid_field"),
    ] {
        let error = client.error("resources/read", json!({"uri": uri}));
        assert_eq!(error["code"], -32602, "{uri}");
        let data = &error["data"];
        assert_envelope(data, code, "machine_code", "human_message");
        assert!(data.get("code").is_none() && data.get("message").is_none(), "{data}");
        assert_eq!(
            (&data["resource_uri"], &data["details"]["field"]),
            (&json!(uri), &json!("uri"))
        );
    }
    let error = client.error("resources/read", json!({"uri": issue}));
    let tools = client.tools();
    assert_callable(&tools, &error["data"]["repair"]);
    carry_out(&mut client, &error["data"]);
    for (uri, code) in [
        ("github://repos/acme/throttled/issues", "rate_limited"),
        ("github://repos/acme/unavailable/issues/1", "upstream_unavailable"),
    ] {
        let error = client.error("resources/read", json!({"uri": uri}));
        assert_envelope(&error["data"], code, "machine_code", "human_message");
    }
    let mut anonymous =
        Client::start(ServeOptions { credential: Credential::Missing, ..options() });
    let error = anonymous.error("resources/read", json!({"uri": issue}));
    assert_envelope(&error["data"], "missing_credential", "machine_code", "human_message");
}

#[test]
fn request_ids_differ_within_a_run_and_repeat_with_a_standing_clock() {
    let ids = || {
        let mut client = Client::start(options());
        let sent = json!({"owner": "acme", "repo": "nothing"});
        [(); 2].map(|()| client.failure("github_find_issues", sent.clone())["request_id"].clone())
    };
    let first = ids();
    assert_ne!(first[0], first[1]);
    assert_eq!(first, ids());
}
