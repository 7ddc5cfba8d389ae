//! What `check` and `record` share: one scenario driven against one target into one capture file.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::args::{DriveArgs, TargetArgs};
use super::facts::Facts;
use super::progress::ProgressLine;
use super::signals::{Listening, Signal};
use super::target::{Target, add_literals};
use crate::capture::{
    FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header, Permissions, Recorder, Redactor, SetFacts,
};
use crate::drive::{self, DriveError, DriveRequest};
use crate::scenario::{Scenario, load_builtin, load_scenario};
use crate::target::{Limits, adopt_orphans};
use crate::wire::Revision;

/// How the making of a capture went.
#[derive(Debug)]
pub struct Recorded {
    /// Why the target could not be driven, with advice.
    pub failure: Option<String>,
    /// The signal that ended the run before its time.
    pub interrupted: Option<Signal>,
}

/// A scenario by id or by path: what looks like a path is one.
pub fn scenario(name: &str) -> anyhow::Result<Scenario> {
    let path = Path::new(name);
    let is_path = path.extension().is_some() || name.contains(['/', '\\']) || path.is_file();
    let loaded = if is_path { load_scenario(path) } else { load_builtin(name) };
    Ok(loaded?)
}

/// Drives `scenario` and writes the capture to `output`.
pub fn record(
    scenario: &Scenario,
    sets: Vec<SetFacts>,
    target_args: &TargetArgs,
    drive_args: &DriveArgs,
    output: &Path,
    facts: Facts,
) -> anyhow::Result<Recorded> {
    let mut redactor = Redactor::new();
    add_literals(&drive_args.redact, &mut redactor)?;
    let target = Target::resolve(target_args, scenario, &mut redactor)?;
    let revision = match drive_args.revision.as_str() {
        "auto" => None,
        text => Some(text.parse::<Revision>().map_err(anyhow::Error::msg)?),
    };
    let mutations = drive_args.allow_mutations || target.is_reference;
    let header = Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: target.facts.clone(),
        revision: drive_args.revision.clone(),
        scenario: Some(scenario.facts()),
        sets,
        permissions: Permissions { mutations },
        started: started(),
        seed: drive_args.seed,
    };
    let file = File::create(output)
        .with_context(|| format!("failed to create the capture {}", output.display()))?;
    let recorder = Recorder::new(BufWriter::new(file), header, redactor);
    let request = DriveRequest {
        target: target.spec,
        scenario,
        revision,
        limits: limits(drive_args),
        allow_mutations: mutations,
        faults: None,
    };
    let line = ProgressLine::start(facts, &target.facts.name);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (outcome, interrupted) = runtime.block_on(drive_until_told(request, &recorder, &line));
    runtime.shutdown_timeout(Duration::from_millis(100));
    line.finish();
    let failure =
        outcome.err().map(|error| format!("failed to {error}\n  fix: {}", error.advice()));
    Ok(Recorded { failure, interrupted })
}

/// Drives to the end, or until a signal comes: then what was seen is closed properly.
async fn drive_until_told(
    request: DriveRequest<'_>,
    recorder: &Recorder,
    line: &ProgressLine,
) -> (Result<(), DriveError>, Option<Signal>) {
    adopt_orphans();
    let show = |progress: drive::Progress<'_>| line.show(progress);
    let mut listening = Listening::start();
    let mut told = None;
    let interruption = async { told = Some(listening.heard().await) };
    let outcome = drive::run_until(request, recorder, &show, interruption).await;
    (outcome.map(drop), told.or_else(|| listening.missed()))
}

/// Seconds in a day: more is not waited for one answer.
const LONGEST_WAIT: u64 = 86_400;

fn limits(args: &DriveArgs) -> Limits {
    let mut limits = Limits::default();
    if let Some(seconds) = args.timeout {
        let wait = Duration::from_secs(seconds.clamp(1, LONGEST_WAIT));
        limits.request = wait;
        limits.cold_start = wait;
        limits.probe = limits.probe.min(wait);
        limits.alive = limits.alive.min(wait);
    }
    limits.run = Duration::from_secs(args.max_time.clamp(1, LONGEST_WAIT));
    if let Some(bytes) = args.max_bytes {
        limits.frame_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    limits
}

/// Now, as an RFC 3339 instant in UTC.
fn started() -> String {
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).expect("zero is in range");
    now.format(&Rfc3339).expect("the year has four digits")
}
