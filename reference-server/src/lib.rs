//! The bundled reference servers: they keep every rule that the harness judges, so that a finding
//! against them is a fault of the harness or of the server, never of taste.

pub mod domain;
