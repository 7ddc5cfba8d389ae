//! From the process's arguments to its exit code.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;

use super::args::{Cli, Command};
use super::complaint::complain;
use super::exit::Class;
use super::facts::Facts;
use super::{audit, check, explain, list, record, score, selftest, serve};

/// Runs the command line and gives the exit code. A panic is a bug in hallmark and says so.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.verbose > 1 {
        let filter = tracing_subscriber::EnvFilter::new("mcp_hallmark=debug");
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    }
    let facts = Facts::collect(cli.quiet, cli.verbose > 0);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| dispatch(cli.command, facts)));
    match outcome {
        Ok(Ok(class)) => class.into(),
        Ok(Err(error)) => {
            complain(&error);
            Class::Usage.into()
        }
        Err(_) => {
            eprintln!(
                "this is a bug in hallmark {}; please report it with the message above",
                env!("CARGO_PKG_VERSION")
            );
            Class::Bug.into()
        }
    }
}

/// One command. An error is always usage or a bad file; every other outcome is a class.
fn dispatch(command: Command, facts: Facts) -> anyhow::Result<Class> {
    match command {
        Command::Check(args) => check::run(&args, facts),
        Command::Audit(args) => audit::run(&args, facts),
        Command::Record(args) => record::run(&args, facts),
        Command::Score(args) => score::run(&args, facts),
        Command::List(args) => list::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Selftest(args) => selftest::run(&args, facts),
        Command::Serve(args) => serve::run(&args),
    }
}
