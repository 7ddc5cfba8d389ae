//! The sessions of public servers that stand beside the repository: which files belong to which
//! server, and the contract that they hold. `servers.tsv` there has one row a server.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use mcp_hallmark::capture::{convert_field, read_events};
use mcp_hallmark::contract::{Builder, Contract};

use crate::shared::beside;

/// One row of `servers.tsv` with the files of its server.
pub struct FieldServer {
    pub name: String,
    /// The sessions, those of the first process first.
    files: Vec<PathBuf>,
    row: BTreeMap<String, String>,
}

impl FieldServer {
    /// The cell of a column.
    pub fn cell(&self, column: &str) -> &str {
        self.row.get(column).unwrap_or_else(|| panic!("servers.tsv has no column {column}"))
    }

    /// Every session of the server as one capture.
    pub fn capture(&self) -> Vec<u8> {
        let readers = self.files.iter().map(|path| BufReader::new(File::open(path).unwrap()));
        let mut capture = Vec::new();
        convert_field(&self.name, readers, &mut capture).unwrap();
        capture
    }

    /// What the capture says.
    pub fn contract(&self) -> Contract {
        let mut builder = Builder::new();
        read_events(&self.capture()[..], |event| builder.see(event)).unwrap();
        builder.finish()
    }
}

/// Every server, by name; `None` where the folder is missing, which is said.
pub fn field_servers() -> Option<Vec<FieldServer>> {
    let folder = beside("captures")?;
    let table = fs::read_to_string(folder.join("servers.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').map(str::to_owned));
    let columns: Vec<String> = lines.next().expect("a line of column names").collect();
    let rows = lines.map(|cells| columns.iter().cloned().zip(cells).collect::<BTreeMap<_, _>>());
    let mut servers: Vec<FieldServer> =
        rows.map(|row| FieldServer { name: row["name"].clone(), files: Vec::new(), row }).collect();
    servers.sort_by(|one, other| one.name.cmp(&other.name));
    for path in sessions(&folder) {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let is_of = |server: &&mut FieldServer| {
            let suffix = stem.strip_prefix(&server.name);
            suffix.is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('.'))
        };
        let server = servers.iter_mut().filter(is_of).max_by_key(|server| server.name.len());
        server.unwrap_or_else(|| panic!("{stem} is not in servers.tsv")).files.push(path);
    }
    for server in &mut servers {
        server.files.sort_by_key(|path| path.file_stem().unwrap().len());
    }
    Some(servers)
}

fn sessions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    paths.sort();
    paths
}
