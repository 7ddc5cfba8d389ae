//! Starting and ending a server.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::handler::Handler;
use crate::options::{Contract, ServeError, ServeOptions};
use crate::store::Store;
use crate::transport::{serve_http, serve_stdio};

/// Serves a bundled contract, over stdio or, with an address, over streamable HTTP.
///
/// Returns at the end of input (stdio), and at once on SIGTERM or SIGINT. Over HTTP one line on standard error tells
/// the endpoint, `listening on http://127.0.0.1:PORT/mcp`, once it accepts connections.
///
/// # Errors
///
/// Before anything is served: a fixed clock that is no instant, a store that cannot be opened or written, an address
/// that cannot be bound. Later: a listener that the system took away.
pub async fn serve(options: ServeOptions) -> Result<(), ServeError> {
    match options.contract {
        Contract::GithubIssues => serve_github_issues(options).await,
    }
}

async fn serve_github_issues(options: ServeOptions) -> Result<(), ServeError> {
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
        let store = Arc::new(Store::new(domain));
        let early = store.clone();
        std::thread::spawn(move || drop(early.domain()));
        store
    };
    let handler = Handler::new(store, seed);
    let serving = async {
        match options.http {
            Some(address) => serve_http(handler, address).await,
            None => Ok(serve_stdio(handler).await?),
        }
    };
    tokio::select! {
        ended = serving => ended,
        told = told_to_end() => Ok(told?),
    }
}

#[cfg(unix)]
async fn told_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        interrupted = tokio::signal::ctrl_c() => interrupted,
    }
}

#[cfg(not(unix))]
async fn told_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
