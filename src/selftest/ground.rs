//! What mutants are tried on: a target with the scenarios that drive it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::scenario::{FlowEntry, FlowName, PerTool, Scenario};
use crate::target::{Limits, TargetSpec};

/// A target with everything that a trial needs to know of it.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The target as it is usually reached.
    pub target: TargetSpec,
    /// The same over HTTP, for mutants of HTTP heads.
    pub http: Option<TargetSpec>,
    /// The scenario that drives it.
    pub scenario: Scenario,
    /// Whether it is a bundled reference server: then no check may have a finding on it, every
    /// mutant must be applicable, and its state may be changed.
    pub is_reference: bool,
}

impl Ground {
    /// The scenarios that a mutant is tried with, until one kills it: most die in a run of a few
    /// requests. The last one is the whole.
    pub(super) fn stages(&self) -> Vec<Scenario> {
        let of = |keep: fn(&FlowEntry) -> bool| {
            let mut part = self.scenario.clone();
            part.flows.retain(keep);
            part
        };
        let mut stages = vec![
            of(|entry| *entry == FlowEntry::Named(FlowName::ColdStart)),
            of(|entry| !matches!(entry, FlowEntry::ForcedErrors(_) | FlowEntry::Case(_))),
        ];
        if self.is_reference {
            stages.push(of(|entry| !matches!(entry, FlowEntry::ForcedErrors(_))));
            let mut fewer = self.scenario.clone();
            for entry in &mut fewer.flows {
                if let FlowEntry::ForcedErrors(forced) = entry {
                    forced.per_tool = PerTool::EveryClass;
                }
            }
            stages.push(fewer);
        }
        stages.push(self.scenario.clone());
        stages
    }

    /// Limits of one run: faults that swallow an answer cost one wait each.
    pub(super) fn limits(&self) -> Limits {
        let wait = Duration::from_secs(if self.is_reference { 4 } else { 10 });
        Limits { request: wait, ..Limits::default() }
    }
}

/// The bundled reference server over HTTP, as a child that ends with this value.
#[derive(Debug)]
pub struct HttpServer {
    child: Child,
    url: String,
}

impl HttpServer {
    /// Starts `program serve --http` on a free port.
    ///
    /// # Errors
    /// When it does not start, or does not say where it listens.
    pub fn start(program: &str, contract: &str) -> std::io::Result<HttpServer> {
        let mut child = Command::new(program)
            .args(["serve", "--contract", contract, "--http", "127.0.0.1:0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child.stderr.take().expect("it is piped");
        let said = BufReader::new(stderr).lines().map_while(Result::ok).find_map(|line| {
            let start = line.find("http://")?;
            Some(line[start..].split_whitespace().next()?.to_owned())
        });
        let mut server = HttpServer { child, url: String::new() };
        server.url = said.ok_or_else(|| {
            std::io::Error::other("the reference server does not say where it listens")
        })?;
        Ok(server)
    }

    /// It as a target.
    pub fn target(&self) -> TargetSpec {
        TargetSpec::Http { url: self.url.clone(), headers: Vec::new() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
