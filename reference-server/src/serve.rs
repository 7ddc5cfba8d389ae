//! Starting and ending a server.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncRead, AsyncWrite};

use crate::handler::Handler;
use crate::options::{Contract, ServeError, ServeOptions};
use crate::store::Store;
use crate::transport::{Input, Output, serve_http, serve_stdio, standard_input, standard_output};

/// A server at work, to be polled to its end. Boxed, so that the whole server is compiled here, once, and not in
/// every crate that starts one.
pub type Serving = Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>;

/// Serves a bundled contract, over stdio or, with an address, over streamable HTTP.
///
/// Ends at the end of input (stdio), and at once on SIGTERM or SIGINT. Over HTTP one line on standard error tells
/// the endpoint, `listening on http://127.0.0.1:PORT/mcp`, once it accepts connections.
///
/// # Errors
///
/// Before anything is served: a fixed clock that is no instant, a store that cannot be opened or written, an address
/// that cannot be bound. Later: a listener that the system took away.
pub fn serve(options: ServeOptions) -> Serving {
    Box::pin(async move {
        // Before the first byte is read: who has heard from this server may end it.
        let mut signals = Signals::install()?;
        let handler = start(&options)?;
        let serving = async {
            match options.http {
                Some(address) => serve_http(handler, address).await,
                None => Ok(serve_stdio(handler, standard_input(), standard_output()).await?),
            }
        };
        tokio::select! {
            ended = serving => ended,
            () = signals.told_to_end() => Ok(()),
        }
    })
}

/// Serves a bundled contract over any pair of byte streams as over standard input and output, until `input` ends.
/// `options.http` does not apply, and signals are left to the caller.
///
/// # Errors
///
/// A fixed clock that is no instant; a store that cannot be opened or written.
pub fn serve_streams(
    options: ServeOptions,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Serving {
    streams(options, Box::new(input), Box::new(output))
}

fn streams(options: ServeOptions, input: Input, output: Output) -> Serving {
    Box::pin(async move { Ok(serve_stdio(start(&options)?, input, output).await?) })
}

fn start(options: &ServeOptions) -> Result<Handler, ServeError> {
    let Contract::GithubIssues = options.contract;
    let domain = options.domain()?;
    let seed = match &options.fixed_clock {
        Some(instant) => instant.clone(),
        None => {
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
        }
    };
    let store = if options.db.is_some() {
        // A file may be refused by the system, and the operator has to hear of it before anything is served.
        Arc::new(Store::open(domain)?)
    } else {
        Arc::new(Store::new(domain))
    };
    Ok(Handler::new(store, seed))
}

/// The signals that end a server. From [`Signals::install`] on none of them ends the process by itself.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn install() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn told_to_end(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn install() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn told_to_end(&mut self) {
        let _ = self.0.recv().await;
    }
}
