//! Reports: one renderer a format, each from the scorecard alone.
//!
//! Owns how a scorecard looks. Refuses to own clocks, environments and files. Invariant: nothing
//! that came from a target reaches the output unescaped, and rendering decides nothing.

mod audit;
mod escape;
mod json;
mod markdown;
mod terminal;
mod words;

pub use audit::{Entry, Section, entries, sections};
pub use escape::{clean, clean_lines, clean_markdown};
pub use json::render as render_json;
pub use markdown::{render as render_markdown, render_audit as render_audit_markdown};
pub use terminal::{Style, render as render_terminal, render_audit as render_audit_terminal};
