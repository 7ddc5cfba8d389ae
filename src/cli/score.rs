//! `hallmark score`: judge captures that were recorded before.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use super::args::ScoreArgs;
use super::complaint::complain;
use super::exit::{Class, strongest};
use super::facts::Facts;
use super::judging::{Judging, warm_tokens};
use super::output::{Reports, View};

/// Scores every file; a bad one does not keep the others back.
pub fn run(args: &ScoreArgs, facts: Facts) -> anyhow::Result<Class> {
    warm_tokens();
    let judging = Judging::load(&args.judge.by, None, args.judge.min_score)?;
    let reports = Reports::prepare(View::Scores, &args.judge.by.report, facts)?;
    let mut classes = Vec::new();
    let mut cards = Vec::new();
    for file in &args.files {
        let name = file.display().to_string();
        let scored = open(file).and_then(|capture| judging.score(&name, capture));
        match scored {
            Ok(card) => {
                let class = judging.gate(&card);
                if class == Class::NothingJudged {
                    eprintln!(
                        "{name}: nothing was judged: no tool is listed, or no check had a subject"
                    );
                }
                classes.push(class);
                cards.push(card);
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
    Ok(strongest(&classes))
}

/// A file, or standard input for `-`.
pub(super) fn open(file: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let opened = File::open(file)
        .with_context(|| format!("failed to read the capture {}", file.display()))?;
    Ok(Box::new(BufReader::new(opened)))
}
