//! `hallmark selftest`: every mutant against every check.

use std::env;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, bail};

use super::args::SelftestArgs;
use super::driving::scenario;
use super::exit::Class;
use super::facts::Facts;
use super::judging::catalog;
use super::output::to_stdout;
use super::target::Target;
use crate::capture::Redactor;
use crate::selftest::{Fate, Ground, HttpServer, Row, markdown, selftest, terminal};
use crate::target::TargetSpec;

/// Tries the mutants and prints the matrix.
pub fn run(args: &SelftestArgs, facts: Facts) -> anyhow::Result<Class> {
    let catalog = catalog(args.assertions.as_deref())?;
    let document = args.report.as_deref().map(document).transpose()?;
    let mut scenario = scenario(Target::usual_scenario(&args.target))?;
    let target = Target::resolve(&args.target, &scenario, &mut Redactor::new())?;
    if target.is_reference {
        // Half a minute, for every mutant that keeps an answer back, would prove no more.
        scenario.params.insert("long_call_ms".to_owned(), 3_000.into());
    }
    let server = if target.is_reference { Some(http_server(&target)?) } else { None };
    let ground = Ground {
        http: match &target.spec {
            http @ TargetSpec::Http { .. } => Some(http.clone()),
            TargetSpec::Stdio { .. } => server.as_ref().map(HttpServer::target),
        },
        target: target.spec,
        scenario,
        is_reference: target.is_reference,
    };
    let done = AtomicUsize::new(0);
    let progress = |row: &Row| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if !facts.quiet && (facts.verbose || matches!(row.fate, Fate::Survived(_))) {
            eprintln!("{done}: {} {:?}", row.mutant, row.fate);
        }
    };
    // A run waits for its child most of the time, so that twice the cores keep them busy.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = args.jobs.unwrap_or(cores * 2);
    let matrix = selftest(&ground, &catalog, &args.only, jobs, &progress);
    if matrix.rows.is_empty() {
        bail!("no mutant, assertion or check is named {}", args.only.join(", "));
    }
    if let Some(path) = document {
        let mut bytes = Vec::new();
        markdown(&matrix, &mut bytes)?;
        std::fs::write(path, bytes)
            .with_context(|| format!("failed to write {}", path.display()))?;
    }
    let mut bytes = Vec::new();
    terminal(&matrix, facts.verbose, &mut bytes)?;
    to_stdout(&bytes)?;
    let killed = matrix.rows.iter().any(|row| row.fate == Fate::Killed);
    Ok(match (matrix.problems.is_empty(), killed) {
        (false, _) => Class::Failed,
        (true, true) => Class::Held,
        (true, false) => Class::NothingJudged,
    })
}

/// The path of `markdown=PATH`.
fn document(report: &str) -> anyhow::Result<&Path> {
    match report.split_once('=') {
        Some(("markdown", path)) if !path.is_empty() => Ok(Path::new(path)),
        _ => bail!("--report {report}: the matrix is written as markdown=PATH"),
    }
}

fn http_server(target: &Target) -> anyhow::Result<HttpServer> {
    let program = env::current_exe().context("failed to find the path of this program")?;
    HttpServer::start(&program.to_string_lossy(), &target.facts.name)
        .context("failed to start the reference server over HTTP")
}
