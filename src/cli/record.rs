//! `hallmark record`: drive a target and only keep the capture.

use super::args::{JudgeArgs, RecordArgs};
use super::driving;
use super::exit::Class;
use super::facts::Facts;
use super::judging::Judging;
use super::target::Target;

/// Records one capture.
pub fn run(args: &RecordArgs, facts: Facts) -> anyhow::Result<Class> {
    let usual = Target::usual_scenario(&args.target);
    let scenario = driving::scenario(args.scenario.as_deref().unwrap_or(usual))?;
    let judging = Judging::load(&JudgeArgs::default())?;
    let sets = judging.set_facts(scenario.set.as_deref())?;
    let output = Some(args.output.as_path());
    let recorded = driving::record(&scenario, sets, &args.target, &args.drive, output, facts)?;
    if let Some(class) = recorded.interruption() {
        return Ok(class);
    }
    if let Some(failure) = &recorded.failure {
        eprintln!("error: {failure}");
        return Ok(Class::NotDriven);
    }
    if !facts.quiet {
        eprintln!("capture: {}", recorded.path.display());
    }
    Ok(Class::Held)
}
