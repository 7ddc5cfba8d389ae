//! Serves the `github-issues` contract: over stdio, or over HTTP on the address given as the only argument.

use reference_server::{ServeOptions, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let http = std::env::args().nth(1).map(|address| address.parse()).transpose()?;
    Ok(serve(ServeOptions { http, ..ServeOptions::default() }).await?)
}
