//! From target flags to a target.

use std::env;

use anyhow::{Context, bail};

use super::args::TargetArgs;
use crate::capture::{Redactor, TargetFacts};
use crate::scenario::{Scenario, TargetChoice};
use crate::target::TargetSpec;

/// A target, ready to be driven.
#[derive(Debug)]
pub struct Target {
    /// What to drive.
    pub spec: TargetSpec,
    /// What the capture says of it.
    pub facts: TargetFacts,
    /// Whether it is a bundled reference server, whose state may be changed freely.
    pub is_reference: bool,
}

impl Target {
    /// The scenario that fits a target when none is named.
    pub fn usual_scenario(args: &TargetArgs) -> &'static str {
        let foreign = args.url.is_some() || !args.server.is_empty();
        if foreign { "any-server" } else { "github-issues" }
    }

    /// The target of the flags, else that of the scenario, else the bundled reference server.
    /// Secrets among the flags go to the redactor.
    pub fn resolve(
        args: &TargetArgs,
        scenario: &Scenario,
        redactor: &mut Redactor,
    ) -> anyhow::Result<Target> {
        let choice = scenario.target.as_ref();
        if let Some(url) = &args.url {
            return http(args, url, redactor);
        }
        if !args.server.is_empty() {
            return stdio(args, &args.server, redactor);
        }
        // An empty variable after the dashes must not end in a score of another server.
        if env::args_os().next_back().is_some_and(|last| last == "--") {
            bail!("the command after `--` is empty");
        }
        if let Some(contract) = &args.contract {
            return reference(contract);
        }
        match choice {
            Some(TargetChoice { url: Some(url), .. }) => http(args, url, redactor),
            Some(TargetChoice { command: Some(command), .. }) => stdio(args, command, redactor),
            Some(TargetChoice { reference: Some(contract), .. }) => reference(contract),
            _ => bail!(
                "the scenario {} names no target; give one: -- COMMAND ARGS..., --url URL, or \
                 --contract NAME",
                scenario.id
            ),
        }
    }
}

/// The reference server is this binary, started as a server.
fn reference(contract: &str) -> anyhow::Result<Target> {
    let contract: reference_server::Contract = contract.parse()?;
    let program = env::current_exe().context("failed to find the path of this program")?;
    let Some(command) = program.to_str().map(str::to_owned) else {
        bail!("the path of this program, {}, is not UTF-8", program.display());
    };
    let args = ["serve", "--contract", contract.name()].map(str::to_owned).to_vec();
    Ok(Target {
        spec: TargetSpec::Stdio { command, args, env: Vec::new(), cwd: None },
        facts: TargetFacts { kind: "reference".into(), name: contract.name().into() },
        is_reference: true,
    })
}

fn stdio(args: &TargetArgs, words: &[String], redactor: &mut Redactor) -> anyhow::Result<Target> {
    if !args.header.is_empty() {
        bail!("--header is for HTTP targets; a stdio server takes --env NAME=VALUE");
    }
    let Some((command, rest)) = words.split_first() else {
        bail!("the command after `--` is empty");
    };
    let mut env = Vec::new();
    for flag in &args.env {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (flag.clone(), variable(flag)?),
        };
        redactor.add_env(&name, &value);
        env.push((name, value));
    }
    redactor.add_arguments(words);
    let spec = TargetSpec::Stdio {
        command: command.clone(),
        args: rest.to_vec(),
        env,
        cwd: args.cwd.clone(),
    };
    let name = redactor.text(&spec.name()).into_owned();
    Ok(Target { spec, facts: TargetFacts { kind: "stdio".into(), name }, is_reference: false })
}

fn http(args: &TargetArgs, url: &str, redactor: &mut Redactor) -> anyhow::Result<Target> {
    if !args.env.is_empty() || args.cwd.is_some() {
        bail!("--env and --cwd are for stdio servers; an HTTP target takes --header");
    }
    let is_http = url.starts_with("http://") || url.starts_with("https://");
    if !is_http || reqwest::Url::parse(url).is_err() {
        bail!("--url {}: not an http:// or https:// URL", redactor.text(url));
    }
    let mut headers = Vec::new();
    for flag in &args.header {
        let (name, value) = header(flag)?;
        redactor.add_header(&name, &value);
        headers.push((name, value));
    }
    let name = redactor.url(url);
    let spec = TargetSpec::Http { url: url.to_owned(), headers };
    Ok(Target { spec, facts: TargetFacts { kind: "http".into(), name }, is_reference: false })
}

/// `NAME=ENV:VARIABLE` or `NAME=FILE:PATH`: a value on the command line would stay in histories
/// and process lists. `Authorization` without a scheme gets `Bearer`.
fn header(flag: &str) -> anyhow::Result<(String, String)> {
    let Some((name, source)) = flag.split_once('=') else {
        bail!("--header {flag:?} lacks a value; write NAME=ENV:VARIABLE or NAME=FILE:PATH");
    };
    let value = if let Some(variable_name) = source.strip_prefix("ENV:") {
        variable(variable_name)?
    } else if let Some(path) = source.strip_prefix("FILE:") {
        std::fs::read_to_string(path)
            .with_context(|| format!("failed to read the header value from {path}"))?
            .trim()
            .to_owned()
    } else {
        bail!(
            "--header {name}: values are taken from the environment or a file, never from the \
             command line; write {name}=ENV:VARIABLE or {name}=FILE:PATH"
        );
    };
    let bare = name.eq_ignore_ascii_case("authorization") && !value.contains(' ');
    Ok((name.to_owned(), if bare { format!("Bearer {value}") } else { value }))
}

fn variable(name: &str) -> anyhow::Result<String> {
    env::var(name).with_context(|| format!("the environment variable {name} is not set"))
}

/// Literals of `--redact ENV:VARIABLE`.
pub fn add_literals(flags: &[String], redactor: &mut Redactor) -> anyhow::Result<()> {
    for flag in flags {
        let Some(name) = flag.strip_prefix("ENV:") else {
            bail!("--redact takes ENV:VARIABLE, so that the secret itself is not typed");
        };
        redactor.add_literal(&variable(name)?);
    }
    Ok(())
}
