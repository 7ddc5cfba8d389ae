//! Signals that ask for the end. While a target is driven, the first one ends the driving in good
//! order; at any other time, and for the second one always, the process ends at once.

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tokio::sync::oneshot;

/// A signal that asks for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    /// SIGHUP: the terminal went away.
    Hangup,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// The exit code of a process that it ended: 128 and its number, as shells have it.
    pub fn code(self) -> u8 {
        match self {
            Signal::Hangup => 129,
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }
}

/// Who is told of the next signal.
static LISTENER: Mutex<Option<oneshot::Sender<Signal>>> = Mutex::new(None);

fn listener() -> MutexGuard<'static, Option<oneshot::Sender<Signal>>> {
    // A sender is usable whatever its last user died of.
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens for the first signal; while it is there, that does not end the process.
#[derive(Debug)]
pub struct Listening(oneshot::Receiver<Signal>);

impl Listening {
    /// Begins to listen.
    pub fn start() -> Listening {
        static WATCH: Once = Once::new();
        WATCH.call_once(watch);
        let (told, hears) = oneshot::channel();
        *listener() = Some(told);
        Listening(hears)
    }

    /// Ends with the first signal.
    pub async fn heard(&mut self) -> Signal {
        match (&mut self.0).await {
            Ok(signal) => signal,
            Err(_) => std::future::pending().await,
        }
    }

    /// The signal that came when nobody waited any more.
    pub fn missed(mut self) -> Option<Signal> {
        self.0.try_recv().ok()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        *listener() = None;
    }
}

/// Tells a signal to who listens; without anybody, the process ends.
fn tell(signal: Signal) {
    let told = listener().take().is_some_and(|listener| listener.send(signal).is_ok());
    if !told {
        std::process::exit(signal.code().into());
    }
}

/// Starts the thread that waits for signals, and returns when they come to it.
fn watch() {
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(wait(|| ready.send(()).unwrap_or_default()));
        }
    });
    // Without the thread a signal does what it does by default: it ends the process.
    let _ = is_ready.recv();
}

#[cfg(unix)]
async fn wait(ready: impl FnOnce()) {
    use tokio::signal::unix::{SignalKind, signal};

    let [mut hangup, mut interrupt, mut terminate] =
        [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()].map(|kind| {
            // `nohup` and shells that start something in the background ask for that.
            (!is_ignored(kind.as_raw_value())).then(|| signal(kind).ok()).flatten()
        });
    ready();
    loop {
        tokio::select! {
            () = next(&mut hangup) => tell(Signal::Hangup),
            () = next(&mut interrupt) => tell(Signal::Interrupt),
            () = next(&mut terminate) => tell(Signal::Terminate),
        }
    }
}

#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Whether whoever started this process wants a signal ignored. Known on Linux only.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

#[cfg(not(unix))]
async fn wait(ready: impl FnOnce()) {
    ready();
    while tokio::signal::ctrl_c().await.is_ok() {
        tell(Signal::Interrupt);
    }
}
