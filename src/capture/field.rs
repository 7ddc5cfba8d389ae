//! Field captures: sessions recorded by other means, one line of the wire a line, as
//! `{"t": seconds, "dir": "c2s"|"s2c", "raw": "the line"}`.

use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::readable::is_readable;
use super::{
    Counts, Direction, End, EndCause, Event, FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header,
    Kind, Lifecycle, Permissions, TargetFacts, Transport,
};

/// Why a field capture could not be converted. `file` counts from 0, `line` from 1.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// A line is no line of a field capture.
    #[error("file {file}, line {line}: {reason}")]
    BadLine {
        /// Which of the files.
        file: usize,
        /// Line.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[derive(Deserialize)]
struct FieldLine {
    t: f64,
    dir: FieldDirection,
    /// The line; absent (with `raw_b64` in its place) when it was not UTF-8.
    raw: Option<String>,
    raw_b64: Option<String>,
}

#[derive(Deserialize)]
enum FieldDirection {
    #[serde(rename = "c2s")]
    ClientToServer,
    #[serde(rename = "s2c")]
    ServerToClient,
}

/// Writes the sessions of one server as one capture, each file a session of its own, and gives the
/// number of events. `name` is what the capture says was driven.
pub fn convert_field<R: BufRead>(
    name: &str,
    files: impl IntoIterator<Item = R>,
    mut out: impl Write,
) -> Result<u64, FieldError> {
    let mut counts = Counts::default();
    let mut header = Some(Box::new(header_of(name)));
    let mut t_us = 0;
    let mut write = |mut event: Event<'_>, counts: &mut Counts| -> io::Result<()> {
        event.seq = counts.events;
        counts.events += 1;
        event.hallmark = header.take();
        serde_json::to_writer(&mut out, &event)?;
        out.write_all(b"\n")
    };
    let mut last = None;
    for (file, reader) in files.into_iter().enumerate() {
        let session = u32::try_from(file).expect("fewer files than 2^32");
        if let Some(event) = last.take() {
            write(event, &mut counts)?;
        }
        // Every file counts its time from 0.
        let start = t_us;
        write(moment(session, Lifecycle::TransportOpen, start), &mut counts)?;
        for (number, line) in reader.lines().enumerate() {
            let line: FieldLine = serde_json::from_str(&line?).map_err(|error| {
                FieldError::BadLine { file, line: number + 1, reason: error.to_string() }
            })?;
            t_us = start + (line.t * 1e6) as u64;
            let (direction, text) = match line.dir {
                FieldDirection::ClientToServer => (Direction::ClientToServer, line.raw),
                FieldDirection::ServerToClient => (Direction::ServerToClient, line.raw),
            };
            let text = text.or_else(|| line.raw_b64.clone()).unwrap_or_default();
            match direction {
                Direction::ClientToServer => counts.requests += u64::from(is_request(&text)),
                Direction::ServerToClient => counts.bytes_received += text.len() as u64,
            }
            let payload = payload(&text);
            let mut event = Event::new(0, direction, Transport::Stdio, Kind::Message);
            (event.session, event.t_us) = (session, t_us);
            event.payload = Some(&payload);
            event.raw = line.raw_b64.map(Into::into);
            write(event, &mut counts)?;
        }
        last = Some(moment(session, Lifecycle::TransportClose, t_us));
    }
    let mut event = last.unwrap_or_else(|| moment(0, Lifecycle::TransportClose, 0));
    let counts_with_end = Counts { events: counts.events + 1, ..counts };
    event.end = Some(Box::new(End {
        cause: EndCause::Complete,
        detail: None,
        counts: counts_with_end,
        withheld: Vec::new(),
        stderr: String::new(),
    }));
    write(event, &mut counts)?;
    Ok(counts.events)
}

fn moment(session: u32, moment: Lifecycle, t_us: u64) -> Event<'static> {
    let mut event = Event::new(0, Direction::ClientToServer, Transport::Stdio, Kind::Lifecycle);
    (event.session, event.t_us, event.event) = (session, t_us, Some(moment));
    event
}

/// The line as JSON where it is JSON, else as JSON string.
fn payload(text: &str) -> Box<RawValue> {
    let quoted = || serde_json::Value::from(text).to_string();
    let json = if is_readable(text) { text.trim().to_owned() } else { quoted() };
    RawValue::from_string(json).expect("readable text and quoted strings are JSON")
}

fn is_request(text: &str) -> bool {
    text.contains("\"method\"") && text.contains("\"id\"")
}

/// What is known of a field session: that it was driven over stdio, by somebody else.
fn header_of(name: &str) -> Header {
    Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: TargetFacts { kind: "stdio".to_owned(), name: name.to_owned() },
        revision: "auto".to_owned(),
        scenario: None,
        sets: Vec::new(),
        permissions: Permissions { mutations: false },
        started: "1970-01-01T00:00:00Z".to_owned(),
        seed: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::read_events;

    #[test]
    fn every_file_becomes_a_session() {
        let one = r#"{"t":0.5,"dir":"c2s","raw":"{\"id\":1,\"method\":\"ping\"}"}"#;
        let two = r#"{"t":0.25,"dir":"s2c","raw":"starting"}"#;
        let mut out = Vec::new();
        let events = convert_field("demo", [one.as_bytes(), two.as_bytes()], &mut out).unwrap();
        let mut seen = Vec::new();
        let mut end = None;
        let reading = read_events(&out[..], |event| {
            let text = event.payload.map(|raw| raw.get().to_owned());
            seen.push((event.seq, event.session, event.t_us, text));
            end = event.end.clone();
        })
        .unwrap();
        assert_eq!((events, reading.events), (6, 6));
        let payloads: Vec<_> = seen.iter().filter(|(.., text)| text.is_some()).cloned().collect();
        assert_eq!(
            payloads,
            [
                (1, 0, 500_000, Some(r#"{"id":1,"method":"ping"}"#.to_owned())),
                (4, 1, 750_000, Some("\"starting\"".to_owned())),
            ]
        );
        let counts = end.unwrap().counts;
        assert_eq!((counts.requests, counts.events, counts.bytes_received), (1, 6, 8));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = convert_field("demo", [&b"{}"[..]], Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with("file 0, line 1: missing field"), "{error}");
    }
}
