//! Redaction: secrets become placeholders before the first byte of a capture is written.
//!
//! Owns which values are secrets, how they may be spelled, and what stands in their place. Refuses
//! to own where values come from. Invariant: text without a secret is given back as it was, and JSON
//! stays JSON.

mod arguments;
mod escapes;
mod hiding;
mod matcher;
mod names;
mod redactor;
mod spellings;
#[cfg(test)]
mod tests;

pub use names::looks_secret;
pub use redactor::Redactor;
