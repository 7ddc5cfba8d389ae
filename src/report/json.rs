//! The scorecard as JSON: canonical, so that rendering what was read back gives the same bytes.

use std::io::{self, Write};

use crate::score::Scorecard;

/// Writes pretty-printed JSON with a final line break.
pub fn render(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, card)?;
    out.write_all(b"\n")
}
