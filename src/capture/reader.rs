//! Reading a capture: line by line, without holding more than one line.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::{Event, FORMAT_MAJOR, FORMAT_MINOR};

/// Longest line that is read, in bytes: the largest frame of the driver (16 MiB) with every byte
/// escaped to six, and room for the other members.
pub const LINE_LIMIT: u64 = 112 << 20;

/// Why a capture could not be read. `line` counts from 1.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes could not be read.
    #[error("line {line}: {source}")]
    Io {
        /// Line.
        line: u64,
        /// Cause.
        source: io::Error,
    },
    /// The first line is no event.
    #[error(
        "not a capture: line 1 is no event ({reason}); a capture is JSON Lines as `hallmark record` \
         writes it, each line an object with seq, direction, transport and kind"
    )]
    NotACapture {
        /// What was wrong with it.
        reason: String,
    },
    /// There is no line at all.
    #[error("not a capture: the file is empty")]
    Empty,
    /// A newer major version wrote it.
    #[error(
        "line 1: capture format {major}.{minor} is newer than the {FORMAT_MAJOR}.{FORMAT_MINOR} \
         that this version reads; use a newer hallmark"
    )]
    NewerMajor {
        /// Major found.
        major: u32,
        /// Minor found.
        minor: u32,
    },
    /// A later line is no event, and it is not the cut last one.
    #[error("line {line}: no event ({reason}); the file was changed after it was recorded")]
    BadLine {
        /// Line.
        line: u64,
        /// What was wrong with it.
        reason: String,
    },
    /// `seq` does not increase.
    #[error("line {line}: seq {seq} does not come after {previous}; events must be in order")]
    Order {
        /// Line.
        line: u64,
        /// Its `seq`.
        seq: u64,
        /// The one before.
        previous: u64,
    },
    /// A line is longer than [`LINE_LIMIT`].
    #[error("line {line}: longer than {LINE_LIMIT} bytes")]
    LongLine {
        /// Line.
        line: u64,
    },
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Events handed over.
    pub events: u64,
    /// Line number of a last line that was cut short and left out: the recording was interrupted
    /// while it was being written.
    pub cut_line: Option<u64>,
}

/// Reads a capture and hands over each event as it comes. Memory holds one line at a time. Empty
/// lines are passed over, unknown members ignored, and a cut last line is left out and reported.
pub fn read_events<R: BufRead>(
    mut reader: R,
    mut on_event: impl FnMut(&Event<'_>),
) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let mut buffer = Vec::new();
    let mut previous: Option<u64> = None;
    let mut line = 0;
    loop {
        line += 1;
        buffer.clear();
        (&mut reader)
            .take(LINE_LIMIT + 1)
            .read_until(b'\n', &mut buffer)
            .map_err(|source| ReadError::Io { line, source })?;
        if buffer.is_empty() {
            break;
        }
        if buffer.len() as u64 > LINE_LIMIT {
            return Err(ReadError::LongLine { line });
        }
        let ended = buffer.last() == Some(&b'\n');
        let text = buffer.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let event: Event<'_> = match serde_json::from_slice(text) {
            Ok(event) => event,
            Err(_) if !ended && previous.is_some() => {
                reading.cut_line = Some(line);
                break;
            }
            Err(error) if previous.is_none() => {
                return Err(newer_major(text)
                    .unwrap_or_else(|| ReadError::NotACapture { reason: error.to_string() }));
            }
            Err(error) => return Err(ReadError::BadLine { line, reason: error.to_string() }),
        };
        if let Some(previous) = previous.filter(|previous| event.seq <= *previous) {
            return Err(ReadError::Order { line, seq: event.seq, previous });
        }
        if event.hallmark.is_some()
            && let Some(error) = newer_major(text)
        {
            return Err(error);
        }
        previous = Some(event.seq);
        reading.events += 1;
        on_event(&event);
    }
    if previous.is_none() { Err(ReadError::Empty) } else { Ok(reading) }
}

/// The refusal of a first line that a newer major version wrote. It looks at the two numbers
/// alone, since everything else may have changed its shape.
fn newer_major(line: &[u8]) -> Option<ReadError> {
    let event: Value = serde_json::from_slice(line).ok()?;
    let format = event.pointer("/hallmark/capture")?;
    let number = |name: &str| u32::try_from(format.get(name)?.as_u64()?).ok();
    let (major, minor) = (number("major")?, number("minor").unwrap_or(0));
    (major > FORMAT_MAJOR).then_some(ReadError::NewerMajor { major, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64, rest: &str) -> String {
        format!(
            "{{\"seq\":{seq},\"direction\":\"client-to-server\",\"transport\":\"stdio\",\
             \"kind\":\"message\"{rest}}}\n"
        )
    }

    fn read(text: &str) -> Result<(Reading, Vec<u64>), ReadError> {
        let mut seqs = Vec::new();
        let reading = read_events(text.as_bytes(), |event| seqs.push(event.seq))?;
        Ok((reading, seqs))
    }

    #[test]
    fn hands_over_every_event_and_keeps_the_payload_text() {
        let text = line(0, ",\"payload\":{\"id\":1.0,\"a\":1,\"a\":2},\"later\":true")
            + "\n"
            + &line(7, "");
        let mut payloads = Vec::new();
        let reading = read_events(text.as_bytes(), |event| {
            payloads.push(event.payload.map(|raw| raw.get().to_owned()));
        })
        .unwrap();
        assert_eq!(reading, Reading { events: 2, cut_line: None });
        assert_eq!(payloads, [Some("{\"id\":1.0,\"a\":1,\"a\":2}".to_owned()), None]);
    }

    #[test]
    fn a_cut_last_line_is_left_out_and_reported() {
        let text = line(0, "") + &line(1, "") + "{\"seq\":2,\"dir";
        assert_eq!(read(&text).unwrap(), (Reading { events: 2, cut_line: Some(3) }, vec![0, 1]));
    }

    #[test]
    fn a_whole_last_line_without_newline_counts() {
        let text = line(0, "") + line(1, "").trim_end();
        assert_eq!(read(&text).unwrap().1, [0, 1]);
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (text, expected) in [
            (String::new(), "the file is empty"),
            ("# A design\n".to_owned(), "not a capture: line 1 is no event"),
            (line(0, "") + "oops\n" + &line(1, ""), "line 2: no event"),
            (line(3, "") + &line(3, ""), "line 2: seq 3 does not come after 3"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_newer_major_is_refused_and_a_newer_minor_is_not() {
        let header = |major: u32, minor: u32| {
            line(
                0,
                &format!(
                    ",\"hallmark\":{{\"capture\":{{\"major\":{major},\"minor\":{minor}}},\
                     \"version\":\"9\",\"target\":{{\"kind\":\"stdio\",\"name\":\"x\"}},\
                     \"revision\":\"auto\",\"sets\":[],\"permissions\":{{\"mutations\":false}},\
                     \"started\":\"2026-11-30T00:00:00Z\",\"seed\":0,\"news\":1}}"
                ),
            )
        };
        assert!(read(&header(FORMAT_MAJOR, 99)).is_ok());
        let error = read(&header(FORMAT_MAJOR + 1, 0)).unwrap_err();
        assert!(matches!(error, ReadError::NewerMajor { .. }), "{error}");
        let changed = "{\"n\":0,\"hallmark\":{\"capture\":{\"major\":2,\"minor\":1}}}\n";
        let error = read(changed).unwrap_err();
        assert!(matches!(error, ReadError::NewerMajor { major: 2, minor: 1 }), "{error}");
    }
}
