//! `hallmark serve`: a bundled reference server.

use std::time::Duration;

use reference_server::{Credential, ServeOptions};

use super::args::ServeArgs;
use super::exit::Class;

/// Serves until the end of input or a signal.
pub fn run(args: &ServeArgs) -> anyhow::Result<Class> {
    let options = ServeOptions {
        contract: args.contract.parse()?,
        db: args.db.clone(),
        http: args.http,
        credential: match args.credential.as_str() {
            "missing" => Credential::Missing,
            "invalid" => Credential::Invalid,
            "read-only" => Credential::ReadOnly,
            _ => Credential::Valid,
        },
        throttle: args.throttle,
        outage: args.outage,
        fixed_clock: args.clock.clone(),
        clock_step: args.clock_step.map(Duration::from_secs),
        cursor_ttl: args.cursor_ttl.map(Duration::from_secs),
    };
    // Answers are made one after the other: a second worker would only add a change of threads to
    // every answer.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(reference_server::serve(options));
    // A blocked read of standard input must not keep the process.
    runtime.shutdown_background();
    served?;
    Ok(Class::Held)
}
