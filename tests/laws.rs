//! The laws of the house, kept by a test: who may import whom, how long a file may be, what a
//! `mod.rs` holds, and that the project speaks of itself alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use beside itself (DESIGN section 2, `src/lib.rs`).
const MAY_USE: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("schema", &["wire"]),
    ("capture", &["wire"]),
    ("contract", &["wire", "schema", "capture"]),
    ("scenario", &["wire", "capture"]),
    ("target", &["wire", "capture"]),
    ("fault", &["wire", "capture"]),
    ("drive", &["wire", "schema", "capture", "contract", "scenario", "target", "fault"]),
    ("score", &["capture"]),
    ("assertion", &["wire", "schema", "capture", "contract", "fault", "score"]),
    ("report", &["score"]),
];

/// What every module may use: wrappers of libraries that several kinds of files need.
const FOR_ALL: &[&str] = &["jq", "yaml"];

/// Longest source file, in lines.
const LONGEST: usize = 500;

/// Files that may be longer, and why. None today.
const LONG_FILES: &[(&str, &str)] = &[];

#[test]
fn modules_use_only_what_is_upstream() {
    let allowed: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let mut broken = Vec::new();
    for file in rust_files("src") {
        let relative = file.strip_prefix(root().join("src")).expect("under src").to_owned();
        let module = relative.components().next().expect("a name").as_os_str().to_owned();
        let module = module.to_string_lossy().into_owned();
        let Some(may) = allowed.get(module.as_str()) else { continue };
        let text = fs::read_to_string(&file).expect("readable");
        for (number, line) in code_lines(&text) {
            for used in crate_modules(line) {
                let known = FOR_ALL.contains(&used.as_str()) || may.contains(&used.as_str());
                if used != module && !known {
                    broken.push(format!("{}:{number} uses {used}", relative.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "against the one-way street:\n{}", broken.join("\n"));
}

#[test]
fn every_module_has_a_law() {
    let mut modules: Vec<String> = fs::read_dir(root().join("src"))
        .expect("src")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "cli")
        .collect();
    modules.sort();
    let mut known: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(modules, known);
}

#[test]
fn files_are_short() {
    let mut long = Vec::new();
    for folder in ["src", "tests", "benches", "examples", "reference-server"] {
        for file in rust_files(folder) {
            let lines = fs::read_to_string(&file).expect("readable").lines().count();
            let name = file.strip_prefix(root()).expect("under the root").display().to_string();
            if lines > LONGEST && !LONG_FILES.iter().any(|(long, _)| *long == name) {
                long.push(format!("{name}: {lines} lines"));
            }
        }
    }
    assert!(long.is_empty(), "longer than {LONGEST} lines:\n{}", long.join("\n"));
}

#[test]
fn mod_files_hold_docs_modules_and_reexports_only() {
    let mut broken = Vec::new();
    for file in rust_files("src").into_iter().chain(rust_files("reference-server/src")) {
        if !file.ends_with("mod.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("readable");
        for (number, line) in code_lines(&text) {
            let starts =
                ["fn ", "pub fn ", "struct ", "pub struct ", "enum ", "pub enum ", "impl "];
            if starts.iter().any(|start| line.trim_start().starts_with(start)) {
                broken.push(format!("{}:{number}: {line}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "code in a mod.rs:\n{}", broken.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    // Written in halves, so that this file does not find itself.
    let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("farm-st", "udio")];
    let mut found = Vec::new();
    for file in all_files(&root()) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            if machine.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {line}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "words about a machine:\n{}", found.join("\n"));
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = all_files(&root().join(folder));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    files
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != "node_modules" {
                files.extend(all_files(&path));
            }
        } else if name != "Cargo.lock" && name != ".git" {
            files.push(path);
        }
    }
    files
}

/// Lines that are neither comment nor, after the first `#[cfg(test)]`, test code.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .take_while(|(_, line)| !line.contains("#[cfg(test)]"))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Top-level modules named as `crate::NAME` in a line.
fn crate_modules(line: &str) -> Vec<String> {
    line.split("crate::")
        .skip(1)
        .filter_map(|rest| {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            name.chars().next().is_some_and(char::is_lowercase).then_some(name)
        })
        .collect()
}
