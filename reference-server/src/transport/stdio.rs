//! Newline-delimited JSON on standard input and output.
//!
//! Reading and writing have a thread each: a blocked read or write of a standard stream cannot be cancelled, and must
//! not keep the runtime from ending when a signal comes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage, ServerResult};
use rmcp::service::ServerInitializeError;
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::filter::{self, Admission};
use crate::handler::Handler;

/// Longest line that is read whole; the rest of a longer one is skipped, and what was read is refused as no JSON.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;
/// Messages that may wait in each direction.
const QUEUE: usize = 64;
/// How long a reader of our output may take for the last answers.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where lines come from.
pub type Input = Box<dyn Read + Send>;
/// Where lines go.
pub type Output = Box<dyn Write + Send>;

/// Serves until the end of `input`; every request before it is answered on `output`.
pub async fn serve_stdio(handler: Handler, input: Input, output: Output) -> io::Result<()> {
    let (lines_in, lines) = mpsc::channel(QUEUE);
    let (out, lines_out) = mpsc::channel(QUEUE);
    let (written, mut writer_done) = oneshot::channel();
    spawn("input", move || read_lines(BufReader::new(input), &lines_in))?;
    spawn("output", move || {
        // A peer that closed our output hears no more: the server ends.
        let _ = write_lines(output, lines_out);
        let _ = written.send(());
    })?;
    let session = async {
        match handler.serve(Lines { lines, out, answer: None }).await {
            Ok(running) => drop(running.waiting().await),
            // The input ended before a first request, or after nothing but discovery: a clean end.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(failure) => return Err(io::Error::other(failure)),
        }
        Ok(())
    };
    tokio::select! {
        ended = session => ended?,
        _ = &mut writer_done => return Ok(()),
    }
    let _ = tokio::time::timeout(LAST_WORDS, writer_done).await;
    Ok(())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn read_lines(mut input: impl BufRead, lines: &mpsc::Sender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        match (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        if line.last() != Some(&b'\n')
            && line.len() as u64 == LONGEST_LINE
            && skip_line(&mut input).is_err()
        {
            return;
        }
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}

fn write_lines(mut output: impl Write, mut lines: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(line) = lines.blocking_recv() {
        output.write_all(&line)?;
        output.flush()?;
    }
    Ok(())
}

/// The SDK's end of the two queues.
struct Lines {
    lines: mpsc::Receiver<Vec<u8>>,
    out: mpsc::Sender<Vec<u8>>,
    /// An answer of our own that waits for room. Kept here because the SDK may drop `receive` at any await.
    answer: Option<Value>,
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let out = self.out.clone();
        async move { out.send(encode(item)?).await.map_err(|_| io::ErrorKind::BrokenPipe.into()) }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.answer.is_some() {
                let room = self.out.reserve().await.ok()?;
                room.send(line(&self.answer.take()?));
            }
            let bytes = self.lines.recv().await?;
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii();
            if bytes.is_empty() {
                continue;
            }
            match filter::admit(bytes) {
                Admission::Other => {}
                Admission::Refused(answer) => self.answer = Some(answer),
                Admission::Request(message) => match serde_json::from_value(message) {
                    Ok(message) => return Some(message),
                    Err(_) => {
                        self.answer = Some(filter::error(None, -32600, "Invalid request", None))
                    }
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close();
        Ok(())
    }
}

/// One outgoing message as a line. A tool result may hold a page of rows twice, so it is completed in its own type and
/// written from there; the JSON tree that the others take would cost more than finding the rows.
fn encode(mut item: ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    if let ServerJsonRpcMessage::Response(response) = &mut item
        && let ServerResult::CallToolResult(result) = &mut response.result
    {
        filter::finish_tool_result(result);
        let mut line = serde_json::to_vec(&item)?;
        line.push(b'\n');
        return Ok(line);
    }
    let mut message = serde_json::to_value(&item)?;
    filter::finish(&mut message);
    Ok(line(&message))
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, RequestId};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_result_is_written_as_its_json_is_finished() {
        for modern in [true, false] {
            let mut result = CallToolResult::structured(json!({"issues": [], "has_more": false}));
            if !modern {
                result.result_type = None;
            }
            let result = ServerResult::CallToolResult(result);
            let item = ServerJsonRpcMessage::response(result, RequestId::Number(7));
            let mut finished = serde_json::to_value(&item).expect("serializes");
            filter::finish(&mut finished);
            assert_eq!(finished["result"].get("_meta").is_some(), modern);
            assert_eq!(encode(item).expect("serializes"), line(&finished));
        }
    }

    #[test]
    fn an_overlong_line_is_cut_and_the_next_one_is_whole() {
        let mut input = vec![b' '; usize::try_from(LONGEST_LINE).expect("fits") + 10];
        input.extend_from_slice(b"\nnext\nlast");
        let (sender, mut lines) = mpsc::channel(8);
        read_lines(&input[..], &sender);
        drop(sender);
        assert_eq!(lines.blocking_recv().expect("the cut line").len() as u64, LONGEST_LINE);
        assert_eq!(lines.blocking_recv().expect("the next line"), b"next\n");
        assert_eq!(lines.blocking_recv().expect("the last line"), b"last");
        assert!(lines.blocking_recv().is_none());
    }
}
