//! `mcp-hallmark`: a conformance and evaluation harness for agent-facing MCP contracts.
//!
//! The modules follow one byte from the socket to the report, and each uses only what stands
//! above it in this list (a test keeps that law, see `tests/laws.rs`):
//!
//! | module | owns |
//! |---|---|
//! | [`yaml`] | reading the YAML files that people write, and the shape of errors in them |
//! | [`jq`] | jq programs, pure and bounded |
//! | [`parallel`] | work on many items at once |
//! | [`wire`] | facts of the protocol: revisions, message shapes, codes, message schemas |
//! | [`schema`] | JSON Schema: walking, validating, building and breaking instances |
//! | [`capture`] | the event model, writing, reading, redaction |
//! | [`contract`] | the typed view that is read out of a capture |
//! | [`scenario`] | scenario files |
//! | [`target`] | raw frames to and from a stdio child or an HTTP endpoint |
//! | [`fault`] | match and change rules on frames |
//! | [`drive`] | sessions, flows, the forced-error generator, the safety policy |
//! | [`score`] | verdicts, findings, tallies, the scorecard |
//! | [`assertion`] | assertion files, sets, the engine, the checks |
//! | [`report`] | one renderer a format |
//! | [`selftest`] | the kill matrix: every mutant against every check |
//! | [`cli`] | one file a command |

#![warn(clippy::unwrap_used)]

pub mod assertion;
pub mod capture;
pub mod cli;
pub mod contract;
pub mod drive;
pub mod fault;
pub mod jq;
pub mod parallel;
pub mod report;
pub mod scenario;
pub mod schema;
pub mod score;
pub mod selftest;
pub mod target;
pub mod wire;
pub mod yaml;
