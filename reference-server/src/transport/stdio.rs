//! Newline-delimited JSON on standard input and output.
//!
//! Everything happens on the runtime's own thread: a change of threads would cost an answer more than making it.

use std::io;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage, ServerResult};
use rmcp::service::ServerInitializeError;
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};

use super::filter::{self, Admission};
use crate::handler::Handler;

/// Longest line that is read whole; the rest of a longer one is skipped, and what was read is refused as no JSON.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// Answers that may wait for their reader.
const QUEUE: usize = 64;
/// How long a reader of our output may take for the last answers.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where lines come from.
pub type Input = Box<dyn AsyncRead + Send + Unpin>;
/// Where lines go.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input. A pipe is read without a thread; reading anything else takes one of the runtime's.
pub fn standard_input() -> Input {
    #[cfg(unix)]
    if let Ok(pipe) = own(io::stdin()).and_then(tokio::net::unix::pipe::Receiver::from_owned_fd) {
        return Box::new(pipe);
    }
    Box::new(tokio::io::stdin())
}

/// Standard output, likewise.
pub fn standard_output() -> Output {
    #[cfg(unix)]
    if let Ok(pipe) = own(io::stdout()).and_then(tokio::net::unix::pipe::Sender::from_owned_fd) {
        return Box::new(pipe);
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
fn own(stream: impl std::os::fd::AsFd) -> io::Result<std::os::fd::OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// Serves until the end of `input`; every request before it is answered on `output`.
pub async fn serve_stdio(handler: Handler, input: Input, output: Output) -> io::Result<()> {
    let (out, lines_out) = mpsc::channel(QUEUE);
    let (written, mut writer_done) = oneshot::channel();
    tokio::spawn(async move {
        // A peer that closed our output hears no more: the server ends.
        let _ = write_lines(output, lines_out).await;
        let _ = written.send(());
    });
    let session = async {
        let lines = Lines { input: LineReader::new(input), out, answer: None };
        match handler.serve(lines).await {
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

/// Lines of an input. What was read of a line so far is kept here, because the SDK may drop `receive` at any await.
struct LineReader<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of an overlong line is still to be passed over.
    is_skipping: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), is_skipping: false }
    }

    /// The next line, with its end; an overlong one is cut. `None` at the end of input, or when it cannot be read.
    async fn next(&mut self) -> Option<Vec<u8>> {
        if self.is_skipping {
            self.skip().await?;
        }
        let room = LONGEST_LINE.saturating_sub(self.line.len()) as u64;
        (&mut self.input).take(room).read_until(b'\n', &mut self.line).await.ok()?;
        if self.line.is_empty() {
            return None;
        }
        self.is_skipping = self.line.last() != Some(&b'\n') && self.line.len() == LONGEST_LINE;
        Some(std::mem::take(&mut self.line))
    }

    async fn skip(&mut self) -> Option<()> {
        loop {
            let buffer = self.input.fill_buf().await.ok()?;
            let (length, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(length);
            if ended {
                self.is_skipping = false;
                return Some(());
            }
        }
    }
}

async fn write_lines(mut output: Output, mut lines: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        output.write_all(&line).await?;
        output.flush().await?;
    }
    Ok(())
}

/// The SDK's end of the two streams.
struct Lines {
    input: LineReader<Input>,
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
            let bytes = self.input.next().await?;
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

    #[tokio::test]
    async fn an_overlong_line_is_cut_and_the_next_one_is_whole() {
        let mut input = vec![b' '; LONGEST_LINE + 10];
        input.extend_from_slice(b"\nnext\nlast");
        let mut lines = LineReader::new(&input[..]);
        assert_eq!(lines.next().await.expect("the cut line").len(), LONGEST_LINE);
        assert_eq!(lines.next().await.expect("the next line"), b"next\n");
        assert_eq!(lines.next().await.expect("the last line"), b"last");
        assert!(lines.next().await.is_none());
    }

    #[tokio::test]
    async fn a_line_that_was_waited_for_in_vain_is_whole_when_it_comes() {
        let (mut far, near) = tokio::io::duplex(64);
        let mut lines = LineReader::new(near);
        far.write_all(b"half ").await.expect("there is room");
        let given_up = tokio::time::timeout(Duration::from_millis(20), lines.next()).await;
        assert!(given_up.is_err(), "there is no whole line yet");
        far.write_all(b"whole\n").await.expect("there is room");
        assert_eq!(lines.next().await.expect("a line"), b"half whole\n");
    }
}
