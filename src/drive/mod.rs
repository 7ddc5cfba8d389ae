//! Driving: sessions, flows, the forced-error generator and the safety policy (DESIGN sections 2 and 8).

mod dialer;
mod progress;
mod reply;
mod session;

pub use dialer::{Agreement, Dialer, OpenError};
pub use progress::Progress;
pub use reply::{Death, Notification, RawReply, Reply};
pub use session::Session;
