//! Where reports go: standard output, or files that are replaced whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::facts::Facts;
use crate::capture::harmless_json;
use crate::report::{self, Style};
use crate::score::Scorecard;

/// A report format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Terminal,
    Json,
    Markdown,
}

const FORMATS: &[(&str, Format)] =
    &[("terminal", Format::Terminal), ("json", Format::Json), ("markdown", Format::Markdown)];

/// One `--report FORMAT[=PATH]`; without a path it goes to standard output.
#[derive(Debug)]
struct Sink {
    format: Format,
    path: Option<PathBuf>,
}

/// What the reports are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Assertions with their verdicts.
    Scores,
    /// Findings by severity.
    Audit,
}

/// All reports of one command.
#[derive(Debug)]
pub struct Reports {
    view: View,
    sinks: Vec<Sink>,
    style: Style,
}

impl Reports {
    /// Reads the flags and tries every path, so that a report that cannot be written is known
    /// before anything is driven. When no report goes to standard output, the table does.
    pub fn prepare(view: View, flags: &[String], facts: Facts) -> anyhow::Result<Reports> {
        let mut sinks = Vec::new();
        for flag in flags {
            let sink = parse(flag)?;
            if let Some(path) = &sink.path {
                probe(path)?;
            }
            sinks.push(sink);
        }
        let on_stdout = sinks.iter().filter(|sink| sink.path.is_none()).count();
        if on_stdout > 1 {
            bail!("only one report can go to standard output; give the others a path: json=FILE");
        }
        if on_stdout == 0 {
            sinks.push(Sink { format: Format::Terminal, path: None });
        }
        let style = Style { width: facts.width, colour: facts.colour, verbose: facts.verbose };
        Ok(Reports { view, sinks, style })
    }

    /// Writes every report. A file that cannot be written does not keep the others back; its
    /// error comes at the end.
    pub fn write(&self, cards: &[Scorecard]) -> anyhow::Result<()> {
        let mut first_error = None;
        for sink in &self.sinks {
            let mut bytes = Vec::new();
            self.render(sink.format, cards, &mut bytes)?;
            if sink.format == Format::Json {
                let text = String::from_utf8(bytes).context("failed to write JSON as UTF-8")?;
                bytes = harmless_json(&text).into_owned().into_bytes();
            }
            let written = match &sink.path {
                None => to_stdout(&bytes),
                Some(path) => replace(path, &bytes)
                    .with_context(|| format!("failed to write the report {}", path.display())),
            };
            if let Err(error) = written {
                first_error.get_or_insert(error);
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    fn render(&self, format: Format, cards: &[Scorecard], out: &mut Vec<u8>) -> io::Result<()> {
        if format == Format::Json && cards.len() != 1 {
            serde_json::to_writer_pretty(&mut *out, cards)?;
            return out.write_all(b"\n");
        }
        for (index, card) in cards.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            match (format, self.view) {
                (Format::Json, _) => report::render_json(card, out)?,
                (Format::Terminal, View::Scores) => {
                    report::render_terminal(card, self.style, out)?;
                }
                (Format::Terminal, View::Audit) => {
                    report::render_audit_terminal(card, self.style, out)?;
                }
                (Format::Markdown, View::Scores) => report::render_markdown(card, out)?,
                (Format::Markdown, View::Audit) => report::render_audit_markdown(card, out)?,
            }
        }
        Ok(())
    }
}

fn parse(flag: &str) -> anyhow::Result<Sink> {
    let (name, path) = match flag.split_once('=') {
        Some((name, path)) => (name, Some(PathBuf::from(path))),
        None => (flag, None),
    };
    let Some((_, format)) = FORMATS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
        bail!("unknown report format {name:?}; {}", crate::yaml::suggest(name, &names));
    };
    if path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        bail!("--report {name}= lacks a path; write {name}=FILE, or {name} for standard output");
    }
    Ok(Sink { format: *format, path })
}

/// Where the bytes are collected before they replace the file.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Whether a file can be written there; nothing that exists is touched.
fn probe(path: &Path) -> anyhow::Result<()> {
    let advice = || {
        format!("cannot write the report {}; choose a path in a writable folder", path.display())
    };
    if path.is_dir() {
        bail!("{}: it is a folder", advice());
    }
    if path.exists() && !is_plain(path) {
        return File::options().append(true).open(path).map(drop).with_context(advice);
    }
    let part = beside(path);
    File::create(&part).with_context(advice)?;
    fs::remove_file(&part).with_context(advice)
}

/// Devices and pipes are written to directly; only plain files are replaced.
fn is_plain(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.exists() && !is_plain(path) {
        return File::options().append(true).open(path)?.write_all(bytes);
    }
    let part = beside(path);
    fs::write(&part, bytes)?;
    fs::rename(&part, path)
}

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub fn to_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("failed to write to standard output"),
    }
}
