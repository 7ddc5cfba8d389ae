//! Arguments as the user types them.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Conformance and evaluation harness for agent-facing MCP contracts.
///
/// Without a target, `hallmark check` drives the bundled reference server.
#[derive(Debug, Parser)]
#[command(name = "hallmark", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Say only what is asked for: no progress, no summary on stderr.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show every finding; twice: log what is done on stderr.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

const EXIT_CODES: &str = "Exit codes: 0 gate held, 1 gate failed, 2 usage or bad file, \
3 target could not be driven, 4 nothing was judged, 70 a bug in hallmark, \
129, 130, 143 ended by SIGHUP, SIGINT (Ctrl-C), SIGTERM: what was captured is kept.";

const CHECK_EXAMPLES: &str = "\
Examples:
  hallmark check                                     the bundled reference server
  hallmark check -- npx -y my-server                 a stdio server, no configuration
  hallmark check --url http://127.0.0.1:3000/mcp     a streamable HTTP server
  TOKEN=... hallmark check --url https://host/mcp --header 'Authorization=ENV:TOKEN'
  hallmark check my-scenario.yaml --report json=card.json --report markdown=card.md

Exit codes: 0 gate held, 1 gate failed, 2 usage or bad file, 3 target could not be driven,
4 nothing was judged, 70 a bug in hallmark, 129, 130, 143 ended by SIGHUP, SIGINT (Ctrl-C),
SIGTERM: what was captured is kept.";

const AUDIT_EXAMPLES: &str = "\
Examples:
  hallmark audit -- npx -y my-server         drive a server by every flow, and tell what to fix
  hallmark audit session.jsonl               the same of a capture that was recorded before
  hallmark audit --set tools --fail-on minor -- my-server

Findings of one kind are told together; -v tells each for itself.
Exit codes: 0 no finding is as severe as --fail-on says, 1 one is, 2 usage or bad file, 3 target
could not be driven, 4 nothing was judged.";

const SELFTEST_EXAMPLES: &str = "\
Examples:
  hallmark selftest                          every mutant on the bundled reference server
  hallmark selftest drops-output-schema A9   some of them, by mutant, assertion or check
  hallmark selftest --assertions mine X1     the mutants of an assertion of your own
  hallmark selftest -- npx -y my-server      whatever applies, on a server of your own

Each mutant is a fault that breaks one promise on the wire between the server and the recorder; the
checks that it names must turn to fail, and without a fault the reference server has no finding.
Exit codes: 0 the matrix holds, 1 a mutant survives or a check has none, 4 no mutant applies.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Drive a target, capture the wire, score the capture, print the table.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Drive a target and print every finding by severity with its remedy, and what was covered.
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(AuditArgs),
    /// Drive a target and only keep the capture.
    Record(RecordArgs),
    /// Score captures that were recorded before.
    Score(ScoreArgs),
    /// List assertions, checks, sets, scenarios and rules.
    List(ListArgs),
    /// Explain an assertion, a check, a rule or a mutant.
    Explain(ExplainArgs),
    /// Prove that the checks can fail: break a server on the wire, one promise at a time.
    #[command(after_help = SELFTEST_EXAMPLES)]
    Selftest(SelftestArgs),
    /// Run a bundled reference server (stdio, or HTTP with --http).
    Serve(ServeArgs),
}

/// What to drive: `-- COMMAND ARGS...`, `--url URL`, or a bundled reference server.
#[derive(Debug, Clone, Args)]
pub struct TargetArgs {
    /// A streamable HTTP endpoint.
    #[arg(long, env = "HALLMARK_URL", conflicts_with = "server", help_heading = "Target")]
    pub url: Option<String>,
    /// A bundled reference server.
    #[arg(
        long,
        value_name = "NAME",
        env = "HALLMARK_CONTRACT",
        conflicts_with_all = ["server", "url"],
        help_heading = "Target"
    )]
    pub contract: Option<String>,
    /// A stdio server: command and arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND", help_heading = "Target")]
    pub server: Vec<String>,
    /// Environment of the child: NAME=VALUE, or NAME to pass it on. Values never reach a file.
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Target")]
    pub env: Vec<String>,
    /// HTTP header with its value taken from an environment variable, or from a file with
    /// NAME=FILE:PATH.
    #[arg(long, value_name = "NAME=ENV:VARIABLE", help_heading = "Target")]
    pub header: Vec<String>,
    /// Working directory of the child.
    #[arg(long, value_name = "DIR", help_heading = "Target")]
    pub cwd: Option<PathBuf>,
}

/// How to drive it.
#[derive(Debug, Clone, Args)]
pub struct DriveArgs {
    /// Protocol revision to speak: `auto` or a date such as 2025-11-25.
    #[arg(long, default_value = "auto", env = "HALLMARK_REVISION", help_heading = "Driving")]
    pub revision: String,
    /// Also send schema-valid calls to tools that may change state. Only for targets whose data
    /// may be lost (the bundled reference servers always allow it).
    #[arg(long, env = "HALLMARK_ALLOW_MUTATIONS", help_heading = "Driving")]
    pub allow_mutations: bool,
    /// Seconds to wait for one answer [default: 30; for the first answer of a process 60, because
    /// package runners download first].
    #[arg(long, value_name = "SECONDS", env = "HALLMARK_TIMEOUT", help_heading = "Driving")]
    pub timeout: Option<u64>,
    /// Seconds after which driving ends, whatever it is doing; what was not seen by then is
    /// undecided.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        env = "HALLMARK_MAX_TIME",
        help_heading = "Driving"
    )]
    pub max_time: u64,
    /// Largest single message that is accepted from the target [default: 16777216].
    #[arg(long, value_name = "BYTES", env = "HALLMARK_MAX_BYTES", help_heading = "Driving")]
    pub max_bytes: Option<u64>,
    /// Seed of everything that is generated.
    #[arg(long, default_value_t = 1, env = "HALLMARK_SEED", help_heading = "Driving")]
    pub seed: u64,
    /// Keep captures here (file names are made from scenario and target).
    #[arg(long, value_name = "DIR", env = "HALLMARK_CAPTURE_DIR", help_heading = "Driving")]
    pub capture_dir: Option<PathBuf>,
    /// A literal that must never reach a file, taken from this environment variable.
    #[arg(long, value_name = "ENV:VARIABLE", help_heading = "Driving")]
    pub redact: Vec<String>,
}

/// What to judge by and where to report it.
#[derive(Debug, Clone, Default, Args)]
pub struct ByArgs {
    /// Set to judge by, such as `agent-facing@2026-07-29`; `all` for the newest edition of each.
    #[arg(long, value_name = "SET[@EDITION]", env = "HALLMARK_SET", help_heading = "Judging")]
    pub set: Vec<String>,
    /// Your own assertion files, beside the bundled ones.
    #[arg(long, value_name = "DIR", env = "HALLMARK_ASSERTIONS", help_heading = "Judging")]
    pub assertions: Option<PathBuf>,
    /// Report: terminal, json or markdown; to standard output or to a file.
    #[arg(long, value_name = "FORMAT[=PATH]", env = "HALLMARK_REPORT", help_heading = "Judging")]
    pub report: Vec<String>,
}

/// What to judge by, how to report it, and when to pass.
#[derive(Debug, Clone, Args)]
pub struct JudgeArgs {
    #[command(flatten)]
    pub by: ByArgs,
    /// Pass with at least this many assertions passed, instead of all.
    #[arg(long, value_name = "N", env = "HALLMARK_MIN_SCORE", help_heading = "Judging")]
    pub min_score: Option<u32>,
}

/// `hallmark check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Scenario files or ids; without any, the one that fits the target.
    pub scenarios: Vec<String>,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub drive: DriveArgs,
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// `hallmark audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Scenario file or id, or a capture (FILE.jsonl) that was recorded before.
    #[arg(value_name = "SCENARIO|CAPTURE")]
    pub subject: Option<String>,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub drive: DriveArgs,
    #[command(flatten)]
    pub by: ByArgs,
    /// Exit with 1 when a finding is at least this severe.
    #[arg(
        long,
        value_name = "SEVERITY",
        default_value = "major",
        value_parser = ["critical", "major", "minor", "nit", "never"],
        help_heading = "Judging"
    )]
    pub fail_on: String,
}

/// `hallmark record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Scenario file or id.
    pub scenario: Option<String>,
    /// Capture file to write; `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub drive: DriveArgs,
}

/// `hallmark score`.
#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// Captures to score.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// `hallmark list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List the rules of the registry and the checks that judge them.
    #[arg(long)]
    pub rules: bool,
    /// Your own assertion files, beside the bundled ones.
    #[arg(long, value_name = "DIR", env = "HALLMARK_ASSERTIONS")]
    pub assertions: Option<PathBuf>,
}

/// `hallmark explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Id of an assertion (A9), a check, a rule (3.output-schema) or a mutant.
    pub id: String,
    /// Your own assertion files, beside the bundled ones.
    #[arg(long, value_name = "DIR", env = "HALLMARK_ASSERTIONS")]
    pub assertions: Option<PathBuf>,
}

/// `hallmark selftest`.
#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// Only these mutants, or those of these assertions or checks.
    pub only: Vec<String>,
    /// The target.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Your own assertion files, beside the bundled ones: their mutants are tried too.
    #[arg(long, value_name = "DIR", env = "HALLMARK_ASSERTIONS")]
    pub assertions: Option<PathBuf>,
    /// Runs side by side; twice the number of cores when absent.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write the matrix as a document too.
    #[arg(long, value_name = "markdown=PATH")]
    pub report: Option<String>,
}

/// `hallmark serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Which reference server.
    #[arg(long, default_value = "github-issues")]
    pub contract: String,
    /// Keep the state in this file; without it the state lives in memory.
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Serve streamable HTTP on this address instead of stdio.
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// Credential that the server pretends to hold.
    #[arg(long, default_value = "valid", value_parser = ["valid", "missing", "invalid", "read-only"])]
    pub credential: String,
    /// Answer every tool call with rate_limited.
    #[arg(long)]
    pub throttle: bool,
    /// Answer every tool call with upstream_unavailable.
    #[arg(long)]
    pub outage: bool,
    /// Fix the clock at this RFC 3339 instant.
    #[arg(long, value_name = "INSTANT")]
    pub clock: Option<String>,
    /// Seconds by which the fixed clock advances at each tool call.
    #[arg(long, value_name = "SECONDS", requires = "clock")]
    pub clock_step: Option<u64>,
    /// Life of a cursor in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub cursor_ttl: Option<u64>,
}
