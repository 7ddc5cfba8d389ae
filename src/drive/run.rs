//! One run: the flows of a scenario, in the order in which each finds what it needs.

use thiserror::Error;

use super::driver::{Driver, Stop};
use super::policy::Policy;
use super::{Dialer, OpenError, Progress, calls, cases, cold_start, forced_error, probes, repair};
use crate::capture::{Counts, End, EndCause, Recorder};
use crate::fault::Injector;
use crate::scenario::{FlowName, Scenario};
use crate::target::{Limits, TargetSpec};
use crate::wire::Revision;

/// What to drive, and how.
#[derive(Debug)]
pub struct DriveRequest<'a> {
    /// The target.
    pub target: TargetSpec,
    /// What to do to it.
    pub scenario: &'a Scenario,
    /// The only revision to speak; without it the newest that the target speaks.
    pub revision: Option<Revision>,
    /// Limits on single messages and waits.
    pub limits: Limits,
    /// Whether schema-valid calls of tools that may mutate are allowed.
    pub allow_mutations: bool,
    /// Fault rules on the way to and from the target.
    pub faults: Option<Injector>,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// What the last event of the capture says.
    pub end: End,
    /// The fault rules, to see how often each was applied.
    pub faults: Option<Injector>,
}

/// A target that could not be driven, or a capture that could not be written.
#[derive(Debug, Error)]
pub enum DriveError {
    /// No session could be opened: the target did not start, refused, or died before discovery.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The capture could not be written.
    #[error("write the capture: {0}")]
    Capture(#[from] std::io::Error),
}

impl DriveError {
    /// What the user may do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            DriveError::Open(error) => error.advice(),
            DriveError::Capture(_) => "check that the capture directory can be written",
        }
    }
}

/// Drives a target through the flows of a scenario and writes the capture to its end.
///
/// # Errors
/// [`DriveError`]. The capture holds what was seen until then, and its end says why it ended.
pub async fn run(
    request: DriveRequest<'_>,
    recorder: &Recorder,
    progress: &dyn Fn(Progress<'_>),
) -> Result<RunEnd, DriveError> {
    run_until(request, recorder, progress, std::future::pending()).await
}

/// The same, but for an interruption: then the target is ended at once, and the capture to its end.
///
/// # Errors
/// As [`run`].
pub async fn run_until(
    request: DriveRequest<'_>,
    recorder: &Recorder,
    progress: &dyn Fn(Progress<'_>),
    interruption: impl Future<Output = ()>,
) -> Result<RunEnd, DriveError> {
    let dialer =
        Dialer::new(recorder.clone(), request.limits, request.revision, request.faults, progress);
    let policy = Policy::new(request.allow_mutations);
    // What is dropped in the middle closes its session in the capture and kills its processes.
    let outcome = tokio::select! {
        biased;
        outcome = drive(&dialer, &request.target, request.scenario, policy.clone()) => outcome,
        (cause, detail) = dialer.cutoff.reached(interruption) => Ok(end_of(cause, Some(detail))),
    };
    let (mut end, failure) = match outcome {
        Ok(end) => (end, None),
        Err(error) => {
            let end = end_of(EndCause::TargetDied, Some(error.to_string()));
            (end, Some(error))
        }
    };
    end.withheld = policy.withheld();
    end.stderr = dialer.stderr();
    end.counts = recorder.finish(end.clone())?;
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(RunEnd { end, faults: dialer.into_faults() }),
    }
}

fn end_of(cause: EndCause, detail: Option<String>) -> End {
    let counts = Counts::default();
    End { cause, detail, counts, withheld: Vec::new(), stderr: String::new() }
}

async fn drive(
    dialer: &Dialer<'_>,
    target: &TargetSpec,
    scenario: &Scenario,
    policy: Policy,
) -> Result<End, OpenError> {
    let mut driver = Driver::open(dialer, target, scenario, policy).await?;
    let end = match flows(&mut driver).await {
        Ok(()) => match driver.endless.take() {
            None => end_of(EndCause::Complete, None),
            Some(detail) => end_of(EndCause::Limit, Some(detail)),
        },
        Err(Stop::Died(detail)) => end_of(EndCause::TargetDied, Some(detail)),
    };
    driver.close().await;
    Ok(end)
}

/// Up to which part of the run's bounds each flow may go: what one leaves over, the next may use,
/// and none can starve those after it.
const PARTS: [(FlowName, f64); 9] = [
    (FlowName::Calls, 0.25),
    (FlowName::Pages, 0.3),
    (FlowName::Detail, 0.35),
    (FlowName::Defaults, 0.42),
    (FlowName::ReadOnly, 0.5),
    (FlowName::ForcedErrors, 0.85),
    (FlowName::Repair, 0.92),
    (FlowName::Idempotency, 0.98),
    (FlowName::Protocol, 1.0),
];

/// Runs the flows that the scenario asks for. Whatever it asks, the cold start comes first: every
/// other flow plans from it. Flows that change nothing come before those that may.
async fn flows(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let scenario = driver.scenario;
    cold_start::cold_start(driver).await?;
    driver.has_lived()?;
    let mut repairable = Vec::new();
    for (flow, part) in PARTS {
        if flow == FlowName::ForcedErrors {
            // What somebody wrote down is never left out for the sake of what is generated.
            driver.budget.up_to(1.0);
            cases::cases(driver).await?;
        }
        driver.begin(part);
        match flow {
            FlowName::ForcedErrors => {
                if let Some(forced) = scenario.forced_errors() {
                    repairable = forced_error::forced_error(driver, forced.per_tool).await?;
                }
            }
            asked if !scenario.has(asked) => {}
            FlowName::ColdStart => {}
            FlowName::Calls => calls::calls(driver).await?,
            FlowName::Pages => probes::pages(driver).await?,
            FlowName::Detail => probes::detail(driver).await?,
            FlowName::Defaults => probes::defaults(driver).await?,
            FlowName::ReadOnly => probes::read_only(driver).await?,
            FlowName::Repair => repair::repair(driver, std::mem::take(&mut repairable)).await?,
            FlowName::Idempotency => probes::idempotency(driver).await?,
            FlowName::Protocol => probes::protocol(driver).await?,
        }
    }
    Ok(())
}
