//! Probes of the protocol itself: what is no request of a known tool's semantics.
//!
//! Cases: `unknown method`, `unknown tool`, `arguments an array`, `bad cursor METHOD`, `unknown
//! resource`, `ping`; and in sessions of their own, because they may end or pin one, `not json` and (handshake eras)
//! `made-up version`. Then
//! come the cases of `refusals`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::refusals::refusals;
use crate::capture::{Flow, Role, Step};
use crate::drive::cold_start::{LISTS, expand, path_variables};
use crate::drive::driver::{Driver, Stop};
use crate::drive::framing::client_info;
use crate::drive::policy::{NO_SUCH_METHOD, NO_SUCH_TOOL, NO_SUCH_URI};
use crate::drive::session::Session;

/// How long an answer to garbage is waited for: most servers give none.
const PATIENCE: Duration = Duration::from_millis(500);
/// A version of no revision: before the first one.
const NO_SUCH_VERSION: &str = "1999-12-31";

/// Runs the flow.
pub(in crate::drive) async fn protocol(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let call = |case: &str| Step::new(Flow::Protocol, case).role(Role::Call);
    driver.send(&call("unknown method"), NO_SUCH_METHOD, json!({})).await?;
    if driver.has_capability("tools") {
        let params = json!({"name": NO_SUCH_TOOL, "arguments": {}});
        driver.send(&call("unknown tool"), "tools/call", params).await?;
        arguments_an_array(driver).await?;
    }
    for (capability, method) in LISTS {
        if driver.has_capability(capability) {
            let step = call(&format!("bad cursor {method}"));
            for cursor in [json!("hallmark-not-a-cursor"), json!(5)] {
                if !driver.is_talking(Flow::Protocol) {
                    return Ok(());
                }
                driver.send(&step, method, json!({"cursor": cursor})).await?;
            }
        }
    }
    if driver.has_capability("resources") {
        unknown_resources(driver).await?;
    }
    if !driver.is_talking(Flow::Protocol) {
        return Ok(());
    }
    driver.send(&call("ping"), "ping", json!({})).await?;
    not_json(driver).await?;
    made_up_version(driver).await?;
    if !driver.is_talking(Flow::Protocol) {
        return Ok(());
    }
    refusals(driver).await
}

/// Of the tools that such a call cannot run: a read-only one, or one with required properties.
async fn arguments_an_array(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let step = Step::new(Flow::Protocol, "arguments an array").role(Role::Call);
    let tools = driver.tools();
    let needy = |tool: &&crate::contract::Tool| !crate::schema::required(&tool.input).is_empty();
    let read_only = tools.iter().filter(|tool| tool.is_read_only());
    let chosen = read_only.clone().find(needy).or_else(|| tools.iter().find(needy));
    let Some(tool) = chosen.or_else(|| read_only.clone().next()) else { return Ok(()) };
    if !driver.is_usable(&tool.name) {
        return Ok(());
    }
    let params = json!({"name": tool.name, "arguments": [1, "two"]});
    driver.send(&step, "tools/call", params).await?;
    Ok(())
}

/// A URI of no scheme that the server knows, and expansions of templates that name nothing.
async fn unknown_resources(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let step = Step::new(Flow::Protocol, "unknown resource").role(Role::Call);
    driver.send(&step, "resources/read", json!({"uri": NO_SUCH_URI})).await?;
    let templates: Vec<String> =
        driver.contract.templates.iter().map(|template| template.uri_template.clone()).collect();
    for template in templates.iter().take(4) {
        let values: BTreeMap<String, String> = path_variables(template)
            .into_iter()
            .map(|name| (name, "hallmark-no-such-thing".to_owned()))
            .collect();
        if !values.is_empty() {
            let uri = expand(template, &values);
            driver.send(&step, "resources/read", json!({"uri": uri})).await?;
        }
    }
    Ok(())
}

/// A handshake with a version that cannot exist: in a process of its own, because a target may agree.
async fn made_up_version(driver: &mut Driver<'_>) -> Result<(), Stop> {
    if driver.revision().is_stateless() || !driver.is_talking(Flow::Protocol) {
        return Ok(());
    }
    let step = Step::new(Flow::Protocol, "made-up version").role(Role::Call);
    let revision = driver.revision();
    let Ok(mut session) = Session::fresh(driver.dialer(), driver.spec(), revision, &step) else {
        return Ok(());
    };
    let params = json!({
        "protocolVersion": NO_SUCH_VERSION,
        "capabilities": {},
        "clientInfo": client_info(),
    });
    session.request(&step, "initialize", params).await;
    session.close().await;
    Ok(())
}

/// A line that is not JSON, and whether the session still answers after it.
async fn not_json(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let step = Step::new(Flow::Protocol, "not json");
    // A target that cannot be started twice has told what it could by now.
    let Ok(mut session) = driver.dialer().open(driver.spec(), &step).await else {
        return Ok(());
    };
    session.raw(&step.role(Role::Call), "{this is not json", PATIENCE).await;
    if session.death().is_none() && driver.has_capability("tools") {
        session
            .request(&step.role(Role::After), "tools/list", Value::Object(Default::default()))
            .await;
    }
    session.close().await;
    Ok(())
}
