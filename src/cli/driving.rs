//! What `check` and `record` share: one scenario driven against one target into one capture file.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::args::{DriveArgs, TargetArgs};
use super::exit::Class;
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

/// A capture that was made, and how that went.
#[derive(Debug)]
pub struct Recorded {
    /// Where the capture is.
    pub path: PathBuf,
    /// Whether the user asked for it to be kept.
    pub kept: bool,
    /// Why the target could not be driven, with advice.
    pub failure: Option<String>,
    /// The signal that ended the run before its time.
    pub interrupted: Option<Signal>,
}

impl Recorded {
    /// The capture's bytes.
    pub fn open(&self) -> anyhow::Result<BufReader<File>> {
        let file = File::open(&self.path)
            .with_context(|| format!("failed to read the capture {}", self.path.display()))?;
        Ok(BufReader::new(file))
    }

    /// Says that the run was interrupted, and what is left of it, when it was.
    pub fn interruption(&self) -> Option<Class> {
        let signal = self.interrupted?;
        let path = self.path.display();
        eprintln!("interrupted; the capture so far is kept: `hallmark score {path}` judges it");
        Some(Class::Interrupted(signal))
    }

    /// Removes the capture unless it is to be kept.
    pub fn dispose(self) {
        if !self.kept {
            // A capture left in the temporary folder harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A scenario by id or by path: what looks like a path is one.
pub fn scenario(name: &str) -> anyhow::Result<Scenario> {
    let path = Path::new(name);
    let is_path = path.extension().is_some() || name.contains(['/', '\\']) || path.is_file();
    let loaded = if is_path { load_scenario(path) } else { load_builtin(name) };
    Ok(loaded?)
}

/// Drives `scenario` and writes the capture to `output`, else into the capture folder, else into
/// a temporary file.
pub fn record(
    scenario: &Scenario,
    sets: Vec<SetFacts>,
    target_args: &TargetArgs,
    drive_args: &DriveArgs,
    output: Option<&Path>,
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
    let started = started();
    let header = Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: target.facts.clone(),
        revision: drive_args.revision.clone(),
        scenario: Some(scenario.facts()),
        sets,
        permissions: Permissions { mutations },
        started: started.clone(),
        seed: drive_args.seed,
    };
    let (path, kept) = place(output, drive_args, scenario, &started)?;
    let file = File::create(&path)
        .with_context(|| format!("failed to create the capture {}", path.display()))?;
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
    Ok(Recorded { path, kept, failure, interrupted })
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

/// Where the capture goes, and whether it stays there.
fn place(
    output: Option<&Path>,
    args: &DriveArgs,
    scenario: &Scenario,
    started: &str,
) -> anyhow::Result<(PathBuf, bool)> {
    if let Some(path) = output {
        return Ok((path.to_owned(), true));
    }
    let compact: String = started.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let stem = format!("{}-{compact}", scenario.id);
    let (folder, kept, stem) = match &args.capture_dir {
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| {
                format!("failed to create the capture folder {}", folder.display())
            })?;
            (folder.clone(), true, stem)
        }
        None => (std::env::temp_dir(), false, format!("hallmark-{}-{stem}", std::process::id())),
    };
    let free = (1..)
        .map(|n| if n == 1 { format!("{stem}.jsonl") } else { format!("{stem}-{n}.jsonl") })
        .map(|name| folder.join(name))
        .find(|path| !path.exists());
    Ok((free.expect("an endless iterator of names ends at a free one"), kept))
}

/// Now, as an RFC 3339 instant in UTC.
fn started() -> String {
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).expect("zero is in range");
    now.format(&Rfc3339).expect("the year has four digits")
}
