//! Turns sessions that were recorded by other means into one capture on standard output:
//! `cargo run --example convert_field -- NAME FILE...`. Each line of a file is
//! `{"t": seconds, "dir": "c2s"|"s2c", "raw": "the line"}`; each file becomes a session.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};

use mcp_hallmark::capture::convert_field;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: convert_field NAME FILE...")?;
    let files: Vec<String> = arguments.collect();
    let readers = files
        .iter()
        .map(|file| {
            File::open(file).map(BufReader::new).map_err(|error| format!("{file}: {error}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    convert_field(&name, readers, &mut out)?;
    out.flush()?;
    Ok(())
}
