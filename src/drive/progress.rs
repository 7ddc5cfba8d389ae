//! What a run says about itself while it goes on.

use crate::capture::Step;
use crate::wire::Revision;

/// A moment of a run, for whoever shows progress. Nothing here is printed by the driver, and names
/// come from the target: escape them before showing.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A session is being opened.
    Opening {
        /// Session number.
        session: u32,
    },
    /// A session is open.
    Opened {
        /// Session number.
        session: u32,
        /// The revision that it speaks.
        revision: Revision,
        /// The name that the server gives itself.
        server: &'a str,
    },
    /// A request is about to be sent.
    Sending {
        /// Its place in the plan.
        step: &'a Step,
        /// Its method.
        method: &'a str,
        /// How many requests were sent before.
        requests: u64,
    },
    /// The target ended a session.
    Died {
        /// Session number.
        session: u32,
        /// In words.
        detail: &'a str,
    },
}
