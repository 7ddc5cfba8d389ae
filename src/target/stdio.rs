//! A child process that speaks on its standard streams, one message a line.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::descendants::{Family, MARKER, next_marker};
use super::link::{Ending, Incoming, LinkError, reached};
use super::{Limits, inherited_environment};

/// How long output may still come after the process itself is gone: a wrapper may have left a
/// child of its own behind that holds the stream open.
const LINGER: Duration = Duration::from_secs(1);
/// The same once hallmark has asked for the end.
const LINGER_CLOSING: Duration = Duration::from_millis(50);
/// How long a closed output may precede the exit that explains it.
const EXIT_AFTER_OUTPUT: Duration = Duration::from_millis(250);
/// How long a killed process may take to disappear.
const REAP: Duration = Duration::from_millis(300);
/// How often, and at which distance, what a process left behind is looked for until nothing is found.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// How long the drained standard error is waited for at the end.
const STDERR_END: Duration = Duration::from_millis(50);
/// Grain of reading.
const CHUNK: usize = 64 << 10;

/// A child process in a process group of its own. Dropping it kills the group and what has left it.
#[derive(Debug)]
pub struct StdioLink {
    child: Box<dyn ChildWrapper>,
    family: Family,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    lines: Lines,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    stderr_task: Option<JoinHandle<()>>,
    limits: Limits,
    exited: Option<(Instant, ExitStatus)>,
    closing: bool,
    unclean: bool,
    ended: Option<Ending>,
    /// Whether nothing is left to be killed.
    over: bool,
}

impl StdioLink {
    /// Starts the command.
    ///
    /// # Errors
    /// [`LinkError::Start`] when it cannot be started.
    pub(super) fn open(
        command: &str,
        args: &[String],
        env: &[(String, String)],
        cwd: Option<&Path>,
        limits: &Limits,
    ) -> Result<StdioLink, LinkError> {
        let marker = next_marker();
        let mut wrap = CommandWrap::with_new(command, |process| {
            process
                .args(args)
                .env_clear()
                .envs(inherited_environment())
                .envs(env.iter().map(|(name, value)| (name, value)))
                .env(MARKER, &marker)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true);
            if let Some(cwd) = cwd {
                process.current_dir(cwd);
            }
        });
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::JobObject);
        let mut child = wrap
            .spawn()
            .map_err(|source| LinkError::Start { command: command.to_owned(), source })?;
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let stderr_task = child.stderr().take().map(|stream| {
            tokio::spawn(drain_stderr(stream, Arc::clone(&stderr), limits.stderr_tail))
        });
        Ok(StdioLink {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            family: Family::new(child.id(), marker),
            child,
            lines: Lines::default(),
            stderr,
            stderr_task,
            limits: *limits,
            exited: None,
            closing: false,
            unclean: false,
            ended: None,
            over: false,
        })
    }

    /// Writes one line. Output of the child is read meanwhile, so that two full pipes cannot block
    /// each other. A child that is gone shows in [`StdioLink::next`].
    pub(super) async fn send(&mut self, frame: &[u8]) {
        let Some(mut stdin) = self.stdin.take() else { return };
        let mut line = Vec::with_capacity(frame.len() + 1);
        line.extend_from_slice(frame);
        line.push(b'\n');
        let deadline = Instant::now() + self.limits.request;
        let mut rest = &line[..];
        while !rest.is_empty() {
            let room = self.lines.held() <= self.limits.frame_bytes;
            tokio::select! {
                biased;
                written = stdin.write(rest) => match written {
                    Ok(n) if n > 0 => rest = &rest[n..],
                    // The child closed its input; its exit or its silence will tell the rest.
                    _ => return,
                },
                read = read_some(&mut self.stdout, &mut self.lines), if room && self.stdout.is_some() => {
                    if read == 0 {
                        self.stdout = None;
                    }
                }
                () = reached(deadline) => {
                    let reason = "the process does not read its standard input".to_owned();
                    self.end(Ending::Broken { reason });
                    return;
                }
            }
        }
        self.stdin = Some(stdin);
    }

    /// The next line, or how it ended, or quiet.
    pub(super) async fn next(&mut self, deadline: Instant) -> Incoming {
        loop {
            if let Some(bytes) = self.lines.take() {
                let limit = self.limits.frame_bytes;
                if bytes.len() <= limit {
                    return Incoming::Frame { bytes, exchange: None };
                }
                self.end(Ending::FrameTooLong { limit });
                continue;
            }
            if let Some(ending) = &self.ended {
                return Incoming::Closed(ending.clone());
            }
            if let Some(ending) = self.over_limit() {
                self.end(ending);
                continue;
            }
            if self.stdout.is_none() {
                if let Some(bytes) = self.lines.take_unfinished() {
                    return Incoming::Frame { bytes, exchange: None };
                }
                let ending = self.why_closed().await;
                self.end(ending);
                continue;
            }
            let linger = if self.closing { LINGER_CLOSING } else { LINGER };
            let until = match self.exited {
                Some((at, _)) => deadline.min(at + linger),
                None => deadline,
            };
            tokio::select! {
                biased;
                read = read_some(&mut self.stdout, &mut self.lines) => {
                    if read == 0 {
                        self.stdout = None;
                    } else if let Some((at, _)) = &mut self.exited {
                        // Something still speaks, so the stream is not just held open.
                        *at = Instant::now();
                    }
                }
                status = process(&mut self.child).wait(), if self.exited.is_none() => match status {
                    Ok(status) => self.exited = Some((Instant::now(), status)),
                    Err(error) => self.end(Ending::Broken { reason: error.to_string() }),
                },
                () = reached(until) => {
                    if until == deadline {
                        return Incoming::Quiet;
                    }
                    self.unclean = true;
                    self.stdout = None;
                }
            }
        }
    }

    /// Closes the child's standard input.
    pub(super) fn begin_close(&mut self) {
        self.closing = true;
        self.stdin = None;
    }

    /// Asks the whole process group to end (SIGTERM).
    pub(super) fn terminate(&mut self) {
        self.unclean = true;
        #[cfg(unix)]
        {
            // A group that is gone already needs no signal.
            let _ = self.child.signal(nix::sys::signal::Signal::SIGTERM as i32);
        }
        #[cfg(not(unix))]
        {
            let _ = self.child.start_kill();
        }
    }

    /// Kills what is left and gives the tail of standard error.
    pub(super) async fn close(mut self) -> String {
        self.stdin = None;
        // A tree is known as long as its root is there.
        self.kill_descendants();
        self.kill();
        if self.exited.is_none() {
            let waited = timeout(REAP, process(&mut self.child).wait()).await;
            if let Ok(Ok(status)) = waited {
                self.exited = Some((Instant::now(), status));
            }
        }
        if let Some(mut task) = self.stderr_task.take()
            && timeout(STDERR_END, &mut task).await.is_err()
        {
            task.abort();
            self.unclean = true;
        }
        for _ in 0..LOOKS {
            if self.kill_descendants() == 0 {
                break;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        if self.unclean {
            self.family.kill_marked();
        }
        self.over = true;
        let tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn over_limit(&self) -> Option<Ending> {
        let Limits { frame_bytes, session_bytes, .. } = self.limits;
        if self.lines.held() > frame_bytes {
            return Some(Ending::FrameTooLong { limit: frame_bytes });
        }
        (self.lines.received > session_bytes)
            .then_some(Ending::TooManyBytes { limit: session_bytes })
    }

    /// Finds the words for a closed output: the exit that follows it, if one does.
    async fn why_closed(&mut self) -> Ending {
        if self.exited.is_none()
            && let Ok(Ok(status)) =
                timeout(EXIT_AFTER_OUTPUT, process(&mut self.child).wait()).await
        {
            self.exited = Some((Instant::now(), status));
        }
        match self.exited {
            Some((_, status)) => ending_of(status),
            None => {
                self.unclean = true;
                Ending::OutputClosed
            }
        }
    }

    fn end(&mut self, ending: Ending) {
        if !matches!(ending, Ending::Exited { .. }) {
            self.unclean = true;
        }
        self.stdout = None;
        self.lines.clear();
        self.ended = Some(ending);
    }

    fn kill(&mut self) {
        // The group is gone already in the good case.
        let _ = self.child.start_kill();
    }

    fn kill_descendants(&self) -> usize {
        self.family.kill_descendants(self.exited.is_some())
    }

    /// The end of a link that nobody closes, as when a run is interrupted: it cannot wait long.
    fn kill_all(&mut self) {
        self.kill_descendants();
        self.kill();
        for _ in 0..LOOKS {
            let gone =
                self.exited.is_some() || !matches!(process(&mut self.child).try_wait(), Ok(None));
            if gone && self.family.kill_descendants(true) == 0 {
                break;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.family.kill_marked();
    }
}

impl Drop for StdioLink {
    fn drop(&mut self) {
        if !self.over {
            self.kill_all();
        }
        if let Some(task) = &self.stderr_task {
            task.abort();
        }
    }
}

/// The process itself. Its group is another thing to wait for: that lasts until every orphan in it
/// has ended.
fn process(child: &mut Box<dyn ChildWrapper>) -> &mut dyn ChildWrapper {
    if cfg!(unix) { child.inner_mut() } else { child.as_mut() }
}

/// Lines cut out of a stream.
#[derive(Debug, Default)]
struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where no line end was found.
    scanned: usize,
    received: u64,
}

impl Lines {
    /// Bytes that are not yet given out.
    fn held(&self) -> usize {
        self.buffer.len() - self.start
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|at| self.scanned + at) else {
            self.scanned = self.buffer.len();
            if self.start > 0 {
                self.buffer.drain(..self.start);
                self.scanned -= self.start;
                self.start = 0;
            }
            return None;
        };
        let line = self.buffer[self.start..end].to_vec();
        self.start = end + 1;
        self.scanned = self.start;
        Some(line)
    }

    /// What stands after the last line end, when the stream is over.
    fn take_unfinished(&mut self) -> Option<Vec<u8>> {
        let rest = self.buffer.split_off(self.start);
        self.clear();
        (!rest.is_empty()).then_some(rest)
    }

    fn clear(&mut self) {
        self.buffer = Vec::new();
        self.start = 0;
        self.scanned = 0;
    }
}

/// Reads what is there; 0 at the end or on an error. Loses nothing when it is dropped unfinished.
async fn read_some(stream: &mut Option<ChildStdout>, lines: &mut Lines) -> usize {
    let Some(stream) = stream else { return std::future::pending().await };
    lines.buffer.reserve(CHUNK);
    let read = stream.read_buf(&mut lines.buffer).await.unwrap_or(0);
    lines.received += read as u64;
    read
}

async fn drain_stderr(mut stream: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>, keep: usize) {
    let mut chunk = vec![0; 8 << 10];
    while let Ok(read) = stream.read(&mut chunk).await {
        if read == 0 {
            break;
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&chunk[..read]);
        let extra = tail.len().saturating_sub(keep);
        tail.drain(..extra);
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signalled { signal };
    }
    Ending::Exited { code: status.code().unwrap_or(-1) }
}
