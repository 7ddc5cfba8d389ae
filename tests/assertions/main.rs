//! Every check of A1 to A10 is seen failing on the reference server: its mutant turns it to `fail`,
//! and the server as it is has no finding.

mod mutants;
mod reference;
