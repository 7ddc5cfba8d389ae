//! The command line: one file a command.
//!
//! Owns arguments, exit codes and the order of library calls. Refuses to own anything that a
//! library user would want. Invariant: machine output to stdout or files, human talk to stderr.

mod args;
mod audit;
mod capture_file;
mod check;
mod complaint;
mod driving;
mod exit;
mod explain;
mod facts;
mod judging;
mod list;
mod output;
mod progress;
mod record;
mod run;
mod score;
mod selftest;
mod serve;
mod signals;
mod target;

pub use exit::Class;
pub use run::main;
