//! `hallmark check`: drive, capture, score, report.

use super::args::{CheckArgs, DriveArgs, TargetArgs};
use super::capture_file::CaptureFile;
use super::complaint::{complain, complain_of_target, one_line};
use super::driving;
use super::exit::{Class, strongest};
use super::facts::Facts;
use super::judging::{Judging, warm_tokens};
use super::output::{Reports, View};
use super::target::Target;
use crate::score::Scorecard;

/// Runs every scenario; one that fails does not keep the others back.
pub fn run(args: &CheckArgs, facts: Facts) -> anyhow::Result<Class> {
    warm_tokens();
    let judging = Judging::load(&args.judge.by, None, args.judge.min_score)?;
    let reports = Reports::prepare(View::Scores, &args.judge.by.report, facts)?;
    let names = if args.scenarios.is_empty() {
        vec![Target::usual_scenario(&args.target).to_owned()]
    } else {
        args.scenarios.clone()
    };
    let mut classes = Vec::new();
    let mut cards = Vec::new();
    for name in &names {
        match one(name, &args.target, &args.drive, &judging, facts) {
            Ok((class, card)) => {
                classes.push(class);
                cards.extend(card);
                if let Class::Interrupted(_) = class {
                    break;
                }
            }
            Err(error) => {
                complain(&error);
                classes.push(Class::Usage);
            }
        }
    }
    if !cards.is_empty() {
        reports.write(&cards)?;
    }
    Ok(summary(&classes, facts))
}

/// One scenario: the class, and the scorecard when the target could be driven.
pub(super) fn one(
    name: &str,
    target: &TargetArgs,
    drive: &DriveArgs,
    judging: &Judging,
    facts: Facts,
) -> anyhow::Result<(Class, Option<Scorecard>)> {
    let scenario = driving::scenario(name)?;
    let sets = judging.set_facts(scenario.set.as_deref())?;
    let mut file = match &drive.capture_dir {
        Some(folder) => CaptureFile::in_folder(folder, &scenario.id)?,
        None => CaptureFile::temporary()?,
    };
    let recorded = driving::record(&scenario, sets, target, drive, file.path(), facts)?;
    file.used();
    if let Some(signal) = recorded.interrupted {
        file.keep_interrupted()?;
        return Ok((Class::Interrupted(signal), None));
    }
    if let Some(failure) = &recorded.failure {
        complain_of_target(failure, target, drive, &scenario);
        say_where(&file, facts);
        return Ok((Class::NotDriven, None));
    }
    let card = judging.score(&file.path().display().to_string(), file.open()?)?;
    if card.coverage.tools.listed == 0
        && let Some(why) = &card.incomplete
    {
        // Dead before it listed a tool: there is nothing that a score could be about.
        eprintln!("error: failed to see the tools of the target: {}", one_line(why));
        eprintln!("  fix: start it by hand and ask for tools/list");
        say_where(&file, facts);
        return Ok((Class::NotDriven, None));
    }
    let class = judging.gate(&card);
    if class == Class::NothingJudged {
        eprintln!("nothing was judged: the target lists no tool, or no check had a subject");
    }
    say_where(&file, facts);
    Ok((class, Some(card)))
}

fn say_where(file: &CaptureFile, facts: Facts) {
    if !file.is_temporary() && !facts.quiet {
        eprintln!("capture: {}", file.path().display());
    }
}

/// The strongest class; when there are several, every class seen is named.
fn summary(classes: &[Class], facts: Facts) -> Class {
    if classes.len() > 1 && !facts.quiet {
        let mut seen = classes.to_vec();
        seen.sort_unstable();
        seen.dedup();
        let words: Vec<String> = seen
            .iter()
            .rev()
            .map(|class| {
                let count = classes.iter().filter(|other| *other == class).count();
                format!("{count} {}", class.words())
            })
            .collect();
        eprintln!("{} scenarios: {}", classes.len(), words.join(", "));
    }
    strongest(classes)
}
