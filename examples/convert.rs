//! Converts field captures (`{"t", "dir", "raw"}` a line) into a capture that `hallmark score`
//! reads: `cargo run --example convert -- NAME FILE... > NAME.capture.jsonl`. Each file becomes a
//! session of the same server.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};

use anyhow::{Context as _, bail};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        bail!("usage: convert NAME FILE...");
    };
    let files = arguments
        .map(|path| Ok(BufReader::new(File::open(&path).context(path)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    mcp_hallmark::capture::convert_field(&name, files, &mut out)?;
    out.flush()?;
    Ok(())
}
