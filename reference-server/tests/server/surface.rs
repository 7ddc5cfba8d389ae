//! The published surface: schemas, annotations, catalogs, and whether results keep what they promise.

use serde_json::{Value, json};

use crate::client::{Client, options};

/// Calls `visit` on every schema node below `schema`, with its pointer.
fn walk(schema: &Value, pointer: &str, visit: &mut impl FnMut(&Value, &str)) {
    visit(schema, pointer);
    for name in
        schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys())
    {
        walk(&schema["properties"][name], &format!("{pointer}/properties/{name}"), visit);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            walk(&schema[keyword], &format!("{pointer}/{keyword}"), visit);
        }
    }
}

#[test]
fn eight_tools_in_a_stable_order_with_both_schemas() {
    let mut client = Client::start(options());
    let tools = client.tools();
    let names: Vec<&str> =
        tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!((names.len(), &names), (8, &sorted));
    assert_eq!(tools, client.tools());
    for tool in &tools {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
            assert_eq!(schema["type"], "object");
        }
    }
}

#[test]
fn every_object_schema_is_closed_at_every_depth() {
    let mut client = Client::start(options());
    for tool in client.tools() {
        for side in ["inputSchema", "outputSchema"] {
            walk(&tool[side], side, &mut |node, pointer| {
                if node["type"] != "object" {
                    return;
                }
                let extra = &node["additionalProperties"];
                let said =
                    node["description"].as_str().is_some_and(|text| text.contains("arbitrary"));
                assert!(
                    *extra == json!(false) || extra.is_object() || said,
                    "{} {pointer} is open",
                    tool["name"]
                );
            });
        }
    }
}

#[test]
fn optional_parameters_say_what_omission_means_and_optional_results_when_they_appear() {
    let mut client = Client::start(options());
    for tool in client.tools() {
        let optional = |schema: &Value, name: &str| {
            !schema["required"].as_array().is_some_and(|required| required.contains(&json!(name)))
        };
        let input = &tool["inputSchema"];
        for (name, property) in input["properties"].as_object().expect("properties") {
            let text = property["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{} {name}", tool["name"]);
            assert!(
                !optional(input, name) || text.contains("Omitted"),
                "{} {name}: {text}",
                tool["name"]
            );
            assert!(optional(input, name) || property.get("default").is_none());
        }
        walk(&tool["outputSchema"], "", &mut |node, pointer| {
            for (name, property) in node["properties"].as_object().into_iter().flatten() {
                let text = property["description"].as_str().unwrap_or_default();
                assert!(
                    !optional(node, name) || text.contains("Present"),
                    "{} {pointer}/{name}: {text}",
                    tool["name"]
                );
            }
        });
    }
}

#[test]
fn descriptions_hold_a_call_that_the_schema_accepts() {
    let mut client = Client::start(options());
    for tool in client.tools() {
        let text = tool["description"].as_str().expect("a description");
        let Some((_, example)) = text.split_once("Example: ") else {
            assert_eq!(tool["inputSchema"]["properties"], json!({}), "{}", tool["name"]);
            continue;
        };
        let example: Value = serde_json::from_str(example).unwrap_or_else(|_| panic!("{example}"));
        let validator = jsonschema::validator_for(&tool["inputSchema"]).expect("compiles");
        assert!(validator.is_valid(&example), "{} {example}", tool["name"]);
    }
}

#[test]
fn annotations_are_those_of_the_contract() {
    let mut client = Client::start(options());
    for tool in client.tools() {
        let expected = match tool["name"].as_str().expect("a name") {
            "github_find_issues" | "github_get_issue" | "github_list_comments" => {
                json!({"readOnlyHint": true, "openWorldHint": true})
            }
            "github_get_capabilities" => json!({"readOnlyHint": true, "openWorldHint": false}),
            "github_create_issue" | "github_add_comment" => {
                json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": true})
            }
            "github_update_issue" => {
                json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true})
            }
            "github_set_issue_lock" => {
                json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true})
            }
            other => panic!("unexpected tool {other}"),
        };
        assert_eq!(tool["annotations"], expected, "{}", tool["name"]);
    }
}

#[test]
fn successes_conform_and_their_text_is_the_same_json() {
    let mut client = Client::start(options());
    let tools = client.tools();
    let widgets = |extra: Value| {
        let mut arguments = json!({"owner": "acme", "repo": "widgets"});
        arguments
            .as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        arguments
    };
    for (name, arguments) in [
        ("github_get_capabilities", json!({})),
        ("github_find_issues", widgets(json!({}))),
        (
            "github_find_issues",
            widgets(json!({"state": "all", "detail": "full", "include_pull_requests": true})),
        ),
        (
            "github_find_issues",
            widgets(json!({"query": "crash", "labels": ["bug"], "creator": "reporter-2"})),
        ),
        ("github_get_issue", widgets(json!({"issue_number": 1423}))),
        (
            "github_get_issue",
            widgets(json!({"issue_number": 1345, "detail": "full", "include_comments": false})),
        ),
        ("github_get_issue", widgets(json!({"issue_number": 1378}))),
        ("github_list_comments", widgets(json!({"issue_number": 1367, "detail": "full"}))),
        (
            "github_create_issue",
            widgets(
                json!({"title": "New", "labels": ["good first issue"], "assignees": ["reviewer"]}),
            ),
        ),
        (
            "github_update_issue",
            widgets(json!({"issue_number": 1301, "state": "closed", "labels": ["größe"]})),
        ),
        ("github_add_comment", widgets(json!({"issue_number": 1301, "body": "hi"}))),
        (
            "github_set_issue_lock",
            widgets(json!({"issue_number": 1301, "locked": true, "lock_reason": "spam"})),
        ),
    ] {
        let result = client.call(name, arguments.clone());
        assert_ne!(result["isError"], true, "{name} {arguments}: {result}");
        let tool = tools.iter().find(|tool| tool["name"] == name).expect("listed");
        let validator = jsonschema::validator_for(&tool["outputSchema"]).expect("compiles");
        let errors: Vec<String> = validator
            .iter_errors(&result["structuredContent"])
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name} {arguments}: {errors:?}");
        let text = result["content"][0]["text"].as_str().expect("a text block");
        assert_eq!(
            serde_json::from_str::<Value>(text).expect("JSON"),
            result["structuredContent"],
            "{name}"
        );
    }
}

#[test]
fn defaults_are_applied() {
    let mut client = Client::start(options());
    for tool in client.tools().iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true) {
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
        for (name, property) in properties {
            let Some(default) = property.get("default") else { continue };
            let mut arguments = json!({"owner": "acme", "repo": "widgets"});
            if properties.contains_key("issue_number") {
                arguments["issue_number"] = 1423.into();
            }
            let tool = tool["name"].as_str().expect("a name");
            let omitted = client.success(tool, arguments.clone());
            arguments[name] = default.clone();
            // Cursors carry the time of the call, which stands still here.
            assert_eq!(client.success(tool, arguments), omitted, "{tool} {name}");
        }
    }
}

#[test]
fn the_summary_is_one_on_every_surface() {
    let mut client = Client::start(options());
    let tool = client.success("github_get_capabilities", json!({}));
    let listed = client.result("resources/list", json!({}))["resources"][0].clone();
    let read = client.result("resources/read", json!({"uri": listed["uri"]}));
    let text = read["contents"][0]["text"].as_str().expect("text");
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), tool);
    assert_eq!(listed["size"], text.len());
    assert_eq!(listed["mimeType"], read["contents"][0]["mimeType"]);
    let discovered = client.result("server/discover", json!({}));
    let instructions = discovered["instructions"].as_str().expect("instructions");
    for line in tool["does_not"].as_array().expect("negative scope") {
        assert!(instructions.contains(line.as_str().expect("text")), "{line}");
    }
    assert!(instructions.contains(tool["server"]["summary"].as_str().expect("text")));
    assert_eq!(discovered["supportedVersions"], tool["server"]["protocol_target"]["revisions"]);
    let fingerprint = &discovered["_meta"]["io.github.mcp-hallmark.github-issues/fingerprint"];
    assert_eq!(*fingerprint, tool["server"]["fingerprint"]);
    let envelope = client.failure("github_find_issues", json!({}));
    assert_eq!(envelope["fingerprint"], *fingerprint);
    let schema = jsonschema::validator_for(&tool["error_envelope"]).expect("compiles");
    assert!(schema.is_valid(&envelope), "{envelope}");
}

#[test]
fn catalogued_codes_and_repair_tools_exist() {
    let mut client = Client::start(options());
    let codes = client.success("github_get_capabilities", json!({}))["error_codes"].clone();
    assert_eq!(codes.as_object().expect("a catalog").len(), 12);
    let tools = client.tools();
    for tool in &tools {
        for error in tool["_meta"]["io.github.mcp-hallmark.github-issues/errors"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let entry = &codes[error["code"].as_str().expect("a code")];
            assert!(
                entry["occurs_on"].as_array().is_some_and(|places| places.contains(&tool["name"])),
                "{error}"
            );
            let repair = error.get("repair_tool");
            assert!(
                repair.is_none_or(|repair| tools.iter().any(|tool| tool["name"] == *repair)),
                "{error}"
            );
        }
    }
}

#[test]
fn templates_complete_to_uris_that_can_be_read() {
    let mut client = Client::start(options());
    let templates =
        client.result("resources/templates/list", json!({}))["resourceTemplates"].clone();
    assert_eq!(templates.as_array().expect("templates").len(), 2);
    for template in templates.as_array().expect("templates") {
        let uri = template["uriTemplate"].as_str().expect("a template");
        let mut context = json!({});
        let mut first = |name: &str, context: &Value| {
            let params = json!({
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": name, "value": ""},
                "context": {"arguments": context}
            });
            let result = client.result("completion/complete", params);
            result["completion"]["values"].as_array().expect("values").first().cloned()
        };
        let mut expanded = uri.replace("{?state,labels,updated_after}", "?state={state}");
        for name in ["owner", "repo", "issue_number", "state"] {
            if expanded.contains(&format!("{{{name}}}")) {
                let value =
                    first(name, &context).unwrap_or_else(|| panic!("{name} does not complete"));
                context[name] = value.clone();
                expanded = expanded.replace(&format!("{{{name}}}"), value.as_str().expect("text"));
            }
        }
        let read = client.result("resources/read", json!({"uri": expanded}));
        assert_eq!(read["contents"][0]["uri"], expanded.as_str());
    }
    let narrowed = json!({"ref": {"type": "ref/resource", "uri": templates[0]["uriTemplate"]}, "argument": {"name": "repo", "value": "wid"}});
    assert_eq!(
        client.result("completion/complete", narrowed)["completion"]["values"],
        json!(["widgets"])
    );
}

#[test]
fn an_index_holds_entries_whose_size_is_that_of_the_issue() {
    let mut client = Client::start(options());
    let uri = "github://repos/acme/widgets/issues?state=all&labels=bug,gr%C3%B6%C3%9Fe";
    let read = client.result("resources/read", json!({"uri": uri}));
    let index: Value =
        serde_json::from_str(read["contents"][0]["text"].as_str().expect("text")).expect("JSON");
    let entries = index["entries"].as_array().expect("entries");
    assert!(!entries.is_empty());
    for entry in entries {
        assert!(entry.get("body").is_none());
        let issue = client.result("resources/read", json!({"uri": entry["uri"]}));
        assert_eq!(
            entry["size"],
            issue["contents"][0]["text"].as_str().expect("text").len(),
            "{entry}"
        );
    }
    let all = client
        .result("resources/read", json!({"uri": "github://repos/acme/widgets/issues?state=all"}));
    let index: Value =
        serde_json::from_str(all["contents"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(
        (&index["truncated"], index["entries"].as_array().map(Vec::len)),
        (&json!(true), Some(100))
    );
    assert!(index["truncation_hint"].is_string());
}
