//! `hallmark record`: drive a target and only keep the capture.

use std::path::Path;

use super::args::{ByArgs, RecordArgs};
use super::capture_file::CaptureFile;
use super::complaint::complain_of_target;
use super::driving;
use super::exit::Class;
use super::facts::Facts;
use super::judging::Judging;
use super::target::Target;

/// Records one capture.
pub fn run(args: &RecordArgs, facts: Facts) -> anyhow::Result<Class> {
    let usual = Target::usual_scenario(&args.target);
    let scenario = driving::scenario(args.scenario.as_deref().unwrap_or(usual))?;
    let judging = Judging::load(&ByArgs::default(), None, None)?;
    let sets = judging.set_facts(scenario.set.as_deref())?;
    let to_stdout = args.output == Path::new("-");
    let mut file = match to_stdout {
        true => CaptureFile::temporary()?,
        false => CaptureFile::named(&args.output)?,
    };
    let recorded = driving::record(&scenario, sets, &args.target, &args.drive, file.path(), facts)?;
    file.used();
    if to_stdout {
        file.print()?;
    }
    if let Some(signal) = recorded.interrupted {
        if !to_stdout {
            file.keep_interrupted()?;
        }
        return Ok(Class::Interrupted(signal));
    }
    if let Some(failure) = &recorded.failure {
        complain_of_target(failure, &args.target, &args.drive, &scenario);
        return Ok(Class::NotDriven);
    }
    if !facts.quiet && !to_stdout {
        eprintln!("capture: {}", file.path().display());
    }
    Ok(Class::Held)
}
