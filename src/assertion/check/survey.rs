//! What several subjects of a check ask of the whole contract.
//!
//! Owns that each such answer is worked out once a contract, when it is first asked for.

use std::sync::OnceLock;

use super::{Controls, Naming};
use crate::contract::Contract;

/// Answers about one contract.
#[derive(Debug, Default)]
pub struct Survey {
    naming: OnceLock<Naming>,
    controls: OnceLock<Controls>,
    /// Whether a documented field carries call limits.
    pub limit_is_documented: OnceLock<bool>,
    /// Whether a summary says that error envelopes ride in text, and when.
    pub text_carrier_is_disclosed: OnceLock<bool>,
    /// Whether a summary, or a resource that was read, names the members of the error envelope.
    pub envelope_is_documented: OnceLock<bool>,
}

impl Survey {
    /// The names of all tools, taken apart.
    pub fn naming(&self, contract: &Contract) -> &Naming {
        self.naming.get_or_init(|| Naming::of(contract))
    }

    /// What changes by itself between two reads.
    pub fn controls(&self, contract: &Contract) -> &Controls {
        self.controls.get_or_init(|| Controls::of(contract))
    }
}
