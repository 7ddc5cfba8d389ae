//! The cold start: what an agent loads before its first useful call, and all that is listed.
//!
//! Cases: `lists` (every page of every advertised list), `summary` (surfaces that may carry the
//! capability summary), `resources` (other listed resources, bounded), `completion` and `templates`
//! (values for template variables, and one expansion of each template), `lists again`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::driver::{Driver, Stop};
use super::policy::Refusal;
use crate::capture::{Flow, Role, Step, WithheldKind};
use crate::contract::{is_askable, may_carry_summary, named_surfaces, names_summary};
use crate::wire::key_of_list;

/// Native list methods with the capability that advertises them.
pub(super) const LISTS: [(&str, &str); 4] = [
    ("tools", "tools/list"),
    ("resources", "resources/list"),
    ("resources", "resources/templates/list"),
    ("prompts", "prompts/list"),
];

/// What one walk of a list may bring: far more than any agent can be shown.
const LIST_RECORDS: usize = 20_000;
const LIST_BYTES: u64 = 16 << 20;

/// Runs the flow.
pub(super) async fn cold_start(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let endless = walk_lists(driver, "lists", &[]).await?;
    driver.look();
    read_summary(driver).await?;
    read_resources(driver).await?;
    walk_lists(driver, "lists again", &endless).await?;
    complete_templates(driver).await?;
    driver.look();
    Ok(())
}

/// Walks every advertised list but those left out; gives those that have no end in sight.
async fn walk_lists(
    driver: &mut Driver<'_>,
    case: &str,
    left_out: &[&str],
) -> Result<Vec<&'static str>, Stop> {
    let step = Step::new(Flow::ColdStart, case);
    let mut endless = Vec::new();
    for (capability, method) in LISTS {
        if !driver.has_capability(capability) || left_out.contains(&method) {
            continue;
        }
        if !driver.is_talking(Flow::ColdStart) {
            break;
        }
        if let Some(bound) = walk_list(driver, &step, method).await? {
            leave(driver, method, &bound);
            endless.push(method);
        }
    }
    Ok(endless)
}

/// Follows `nextCursor` to the end, or until it repeats. Gives the bound that was reached before.
async fn walk_list(
    driver: &mut Driver<'_>,
    step: &Step,
    method: &str,
) -> Result<Option<String>, Stop> {
    let before = driver.bytes_received();
    let pages = driver.scenario.limits.pages;
    let mut seen: Vec<Value> = Vec::new();
    let mut params = json!({});
    let mut records = 0;
    for _ in 0..pages {
        let Some(reply) = driver.send(step, method, params).await? else { return Ok(None) };
        let Some(result) = reply.result() else { return Ok(None) };
        let page = key_of_list(method).and_then(|(member, _)| result.get(member)?.as_array());
        records += page.map_or(0, Vec::len);
        // An empty string is a legal token; null or a number is a fault, and no way on.
        let next = result.get("nextCursor").filter(|next| next.is_string()).cloned();
        let Some(next) = next.filter(|next| !seen.contains(next)) else { return Ok(None) };
        if records > LIST_RECORDS {
            return Ok(Some(format!("{LIST_RECORDS} records")));
        }
        if driver.bytes_received() - before > LIST_BYTES {
            return Ok(Some(format!("{LIST_BYTES} bytes")));
        }
        params = json!({"cursor": next});
        seen.push(next);
    }
    Ok(Some(format!("{pages} pages (`limits.pages` of the scenario)")))
}

/// Notes that a list went on beyond a bound. Without all tools, what the run says of them is not
/// the whole truth.
fn leave(driver: &mut Driver<'_>, method: &str, bound: &str) {
    driver.policy.withhold(Refusal {
        what: format!("the rest of {method}"),
        kind: WithheldKind::List,
        tool: None,
        needs: format!("a list that ends within {bound}"),
    });
    if method == "tools/list" {
        driver.endless = Some(format!("{method} did not end within {bound}"));
    }
}

async fn read_summary(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let step = Step::new(Flow::ColdStart, "summary");
    for uri in resources(driver, true) {
        driver.send(&step, "resources/read", json!({"uri": uri})).await?;
    }
    for tool in driver.tools() {
        let named = named_surfaces(&driver.contract).contains(&tool.name.as_str());
        let candidate = is_askable(&tool) && (named || names_summary(&tool.name));
        if candidate && driver.is_usable(&tool.name) {
            driver.call_well(&step, &tool.name, &Map::new()).await?;
        }
    }
    Ok(())
}

/// URIs of listed resources that may carry the summary, or of those that may not.
fn resources(driver: &Driver<'_>, summary: bool) -> Vec<String> {
    let most = driver.scenario.limits.resources as usize;
    let named = named_surfaces(&driver.contract);
    let found = driver.contract.resources.iter().filter(|resource| {
        let carries = named.contains(&&*resource.uri) || may_carry_summary(&resource.record);
        carries == summary
    });
    found.take(most).map(|resource| resource.uri.clone()).collect()
}

async fn read_resources(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let step = Step::new(Flow::ColdStart, "resources");
    for uri in resources(driver, false) {
        if !driver.may_go_on(Flow::ColdStart, None) || !driver.is_talking(Flow::ColdStart) {
            return Ok(());
        }
        driver.send(&step, "resources/read", json!({"uri": uri})).await?;
    }
    Ok(())
}

/// Asks for values of every template variable (empty prefix, then one character), and reads one
/// expansion of every template for which each variable got a value.
async fn complete_templates(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let asked = driver.has_capability("completions");
    let templates: Vec<String> =
        driver.contract.templates.iter().map(|template| template.uri_template.clone()).collect();
    for template in templates.into_iter().take(driver.scenario.limits.resources as usize) {
        if !driver.may_go_on(Flow::ColdStart, None) || !driver.is_talking(Flow::ColdStart) {
            return Ok(());
        }
        let step = Step::new(Flow::ColdStart, format!("template {template}"));
        let variables = path_variables(&template);
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for name in &variables {
            let mut value = None;
            if asked {
                value = complete(driver, &step, &template, name, "", &values).await?;
                if let Some(first) = value.as_ref().and_then(|value| value.chars().next()) {
                    let prefix = first.to_string();
                    complete(driver, &step, &template, name, &prefix, &values).await?;
                }
            }
            let known = driver.memory.suggest(name, &Value::Null).into_iter().find_map(as_text);
            if let Some(value) = value.or(known) {
                values.insert(name.clone(), value);
            }
        }
        if variables.iter().all(|name| values.contains_key(name)) {
            let uri = expand(&template, &values);
            driver.send(&step.role(Role::Call), "resources/read", json!({"uri": uri})).await?;
        }
    }
    Ok(())
}

async fn complete(
    driver: &mut Driver<'_>,
    step: &Step,
    template: &str,
    name: &str,
    prefix: &str,
    known: &BTreeMap<String, String>,
) -> Result<Option<String>, Stop> {
    let mut params = json!({
        "ref": {"type": "ref/resource", "uri": template},
        "argument": {"name": name, "value": prefix},
    });
    if !known.is_empty() {
        params["context"] = json!({"arguments": known});
    }
    let reply = driver.send(step, "completion/complete", params).await?;
    let values = reply.as_ref().and_then(|reply| reply.result()?.pointer("/completion/values"));
    Ok(values.and_then(|values| values.get(0)?.as_str().map(str::to_owned)))
}

fn as_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Variables of a template that a URI cannot do without: those of `{name}`, `{+name}` and
/// `{/name}`. Query expressions (`{?a,b}`, `{&a}`) may stay out.
pub(super) fn path_variables(template: &str) -> Vec<String> {
    expressions(template)
        .filter(|expression| !expression.starts_with(['?', '&', '#', ';']))
        .flat_map(|expression| expression.trim_start_matches(['+', '/', '.']).split(','))
        .map(|name| name.split([':', '*']).next().unwrap_or_default().to_owned())
        .collect()
}

fn expressions(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(inside, _)| inside))
}

/// Expands a template with values for its path variables; query expressions are left out.
pub(super) fn expand(template: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((expression, remaining)) = after.split_once('}') else { break };
        if !expression.starts_with(['?', '&', '#', ';']) {
            let names = expression.trim_start_matches(['+', '/', '.']).split(',');
            let lead = if expression.starts_with('/') { "/" } else { "" };
            let parts: Vec<&str> = names
                .filter_map(|name| values.get(name.split([':', '*']).next()?))
                .map(String::as_str)
                .collect();
            out.push_str(lead);
            out.push_str(&parts.join(if lead.is_empty() { "," } else { "/" }));
        }
        rest = remaining;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_expand_without_their_query() {
        let template = "github://repos/{owner}/{repo}/issues{?state,labels}";
        assert_eq!(path_variables(template), ["owner", "repo"]);
        let values =
            [("owner", "acme"), ("repo", "w")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        assert_eq!(expand(template, &values), "github://repos/acme/w/issues");
    }
}
