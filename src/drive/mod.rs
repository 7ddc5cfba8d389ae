//! Driving: sessions, flows, the forced-error generator and the safety policy.
//!
//! Owns what is sent to a target, in which order, and what never is. Refuses to own what any answer
//! means: the judge reads that from the capture. Invariant: every request of every flow passes the
//! policy, and what is left out is listed.
//!
//! [`run`] carries out the flows of a scenario; each file of a flow says in its header which cases
//! and roles it leaves in the capture.

mod arguments;
mod budget;
mod calls;
mod cases;
mod cold_start;
mod cutoff;
mod dialer;
mod driver;
mod forced_error;
mod framing;
mod headers;
mod listings;
mod memory;
mod negotiate;
mod payload;
mod policy;
mod probes;
mod progress;
mod repair;
mod reply;
mod run;
mod session;
mod tap;
mod waiting;

pub use dialer::{Agreement, Dialer, OpenError};
pub use progress::Progress;
pub use reply::{Death, Notification, RawReply, Reply};
pub use run::{DriveError, DriveRequest, RunEnd, run, run_until};
pub use session::Session;
