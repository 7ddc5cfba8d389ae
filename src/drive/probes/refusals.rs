//! Requests that a server of 2026-07-28 has to refuse: what their headers say and what their body
//! says disagree, or they name no version, or one that nobody has.
//!
//! Cases: `refusals` (the session that they are sent in), with the role `control` for the same
//! requests as they should be, and `refusal: WHAT` for each; over HTTP also `notification`. Every
//! request is one that reads, in case a server serves it. What the era of a request is a server
//! of both eras decides by its version, so that a request without one is sent only where no other
//! era can be meant.

use serde_json::{Value, json};

use crate::capture::{Flow, Role, Step, Transport};
use crate::drive::driver::{Driver, Stop, succeeded};
use crate::drive::{Reply, Session};
use crate::target::Routing;
use crate::wire::offers_only_stateless;

/// What a case changes in a request that would be served.
type Alteration = (&'static str, fn(&mut Value, &mut Routing));

/// Any revision before the one that the body names will do.
const ANOTHER_VERSION: &str = "2025-11-25";
/// A version that nobody has, now or later.
const NO_VERSION: &str = "1900-01-01";
/// A name that is not the one in the body.
const ANOTHER_NAME: &str = "hallmark_another_name";

/// Headers that every request has.
const HEADERS: [Alteration; 3] = [
    ("Mcp-Method differs", |_, routing| routing.method = Some("ping".to_owned())),
    ("Mcp-Method is missing", |_, routing| routing.method = None),
    ("MCP-Protocol-Version differs", |_, routing| {
        routing.revision = Some(ANOTHER_VERSION.to_owned());
    }),
];
/// Headers of a request that names something.
const NAMES: [Alteration; 2] = [
    ("Mcp-Name differs", |_, routing| routing.name = Some(ANOTHER_NAME.to_owned())),
    ("Mcp-Name is missing", |_, routing| routing.name = None),
];
/// The version, in body and header alike.
const VERSION: [Alteration; 1] = [("unknown version", |message, routing| {
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(NO_VERSION);
    routing.revision = Some(NO_VERSION.to_owned());
})];
/// What every request has to say of itself.
const META: [Alteration; 3] = [
    ("no _meta", |message, _| forget(&mut message["params"], "_meta")),
    ("no version in _meta", |message, _| {
        forget(&mut message["params"]["_meta"], "io.modelcontextprotocol/protocolVersion");
    }),
    ("no capabilities in _meta", |message, _| {
        forget(&mut message["params"]["_meta"], "io.modelcontextprotocol/clientCapabilities");
    }),
];

fn forget(object: &mut Value, member: &str) {
    if let Some(members) = object.as_object_mut() {
        members.remove(member);
    }
}

/// Runs the cases in a session of their own, when the era has such rules.
pub(super) async fn refusals(driver: &mut Driver<'_>) -> Result<(), Stop> {
    if !driver.revision().is_stateless() {
        return Ok(());
    }
    let step = Step::new(Flow::Protocol, "refusals");
    // A target that cannot be started twice has told what it could by now.
    let Ok(mut session) = driver.dialer().open(driver.spec(), &step).await else {
        return Ok(());
    };
    let http = driver.spec().transport() == Transport::StreamableHttp;
    let method = if driver.has_capability("tools") { "tools/list" } else { "server/discover" };
    let mut cases = VERSION.to_vec();
    if http {
        cases.extend(HEADERS);
    }
    let offered = session.agreement().result.get("supportedVersions");
    if http || offers_only_stateless(offered) {
        cases.extend(META);
    }
    let mut goes_on = vary(driver, &mut session, method, json!({}), &cases).await;
    if http
        && goes_on
        && let Some((method, params)) = named(driver)
    {
        goes_on = vary(driver, &mut session, method, params, &NAMES).await;
    }
    if http && goes_on {
        notification(&mut session).await;
    }
    session.close().await;
    Ok(())
}

/// Sends a request as it should be, and if that is served, once for each case with what the case
/// changes. Gives whether the target still answers.
async fn vary(
    driver: &mut Driver<'_>,
    session: &mut Session<'_>,
    method: &str,
    params: Value,
    cases: &[Alteration],
) -> bool {
    if driver.policy.admit(&driver.contract, method, &params).is_err() {
        return true;
    }
    let control = Step::new(Flow::Protocol, "refusals").role(Role::Control);
    driver.budget.spend();
    let reply = session.altered(&control, method, params.clone(), |_, _| ()).await;
    if !succeeded(&reply) {
        return answers(&reply);
    }
    for (what, alter) in cases {
        let step = Step::new(Flow::Protocol, format!("refusal: {what}")).role(Role::Call);
        driver.budget.spend();
        let reply = session.altered(&step, method, params.clone(), alter).await;
        if !answers(&reply) {
            return false;
        }
    }
    true
}

fn answers(reply: &Reply) -> bool {
    !reply.silent && !reply.is_dead()
}

/// A request with a name that has been served before: a call of a read-only tool, or a read.
fn named(driver: &Driver<'_>) -> Option<(&'static str, Value)> {
    let call = driver.tools().into_iter().filter(|tool| tool.is_read_only()).find_map(|tool| {
        let arguments = driver.memory.proven(&tool.name).first()?.arguments.clone();
        Some(("tools/call", json!({"name": tool.name, "arguments": arguments})))
    });
    let read = || {
        let resource = driver.contract.resources.first()?;
        Some(("resources/read", json!({"uri": resource.uri})))
    };
    call.or_else(read)
}

/// A notification that concerns nothing: a server may accept or refuse it.
async fn notification(session: &mut Session<'_>) {
    let step = Step::new(Flow::Protocol, "notification").role(Role::Call);
    let params = json!({"requestId": "hallmark-no-such-request", "reason": "a probe"});
    session.notify_heard(&step, "notifications/cancelled", params).await;
}
