//! The laws of the house, kept by a test: who may import whom (the tables of ARCHITECTURE.md), how
//! long a file may be, what a `mod.rs` holds, and that the project speaks of itself alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longest source file, in lines.
const LONGEST: usize = 500;

/// Files that may be longer, and why. None today.
const LONG_FILES: &[(&str, &str)] = &[];

#[test]
fn modules_use_only_what_is_upstream() {
    let laws = laws();
    let mut broken = Vec::new();
    for file in rust_files("src") {
        let Some(module) = module_of(&file) else { continue };
        let Some(may) = laws.get(&module) else { continue };
        let text = fs::read_to_string(&file).expect("readable");
        for (number, line) in code_lines(&text) {
            for used in crate_modules(line) {
                if used != module && !may.contains(&used) {
                    broken.push(format!("{}:{number} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "against the one-way street:\n{}", broken.join("\n"));
}

#[test]
fn every_module_has_a_law() {
    let mut modules: Vec<String> = rust_files("src").iter().filter_map(|f| module_of(f)).collect();
    modules.sort();
    modules.dedup();
    let known: Vec<String> = laws().into_keys().collect();
    assert_eq!(modules, known, "the table of ARCHITECTURE.md, against src/");
}

#[test]
fn every_dependency_says_what_it_spares_us() {
    let map = architecture();
    let table = map.split("## Dependencies").nth(1).expect("the table of dependencies");
    let named: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .flat_map(|crates| crates.split(", "))
        .map(|name| name.trim_end_matches(" (tests)"))
        .filter(|name| *name != "crate")
        .collect();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("readable");
    let ours = ["reference-server"];
    let used: BTreeSet<&str> =
        dependencies(&manifest).filter(|name| !ours.contains(name)).collect();
    assert_eq!(named, used, "the table of ARCHITECTURE.md, against Cargo.toml");
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

/// The files below a folder that git knows or would add: notes and build output that it ignores
/// are nobody's business. Every file, where there is no git.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let git = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
        .arg(folder)
        .output();
    match git {
        Ok(said) if said.status.success() => String::from_utf8_lossy(&said.stdout)
            .split('\0')
            .filter(|name| !name.is_empty() && !name.ends_with("Cargo.lock"))
            .map(|name| root().join(name))
            .filter(|file| file.is_file())
            .collect(),
        _ => found_files(folder),
    }
}

fn found_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != "node_modules" {
                files.extend(found_files(&path));
            }
        } else if name != "Cargo.lock" {
            files.push(path);
        }
    }
    files
}

/// The map's table of modules: what each may use beside itself.
fn laws() -> BTreeMap<String, Vec<String>> {
    let map = architecture();
    let rows = map.lines().skip_while(|line| !line.starts_with("| module |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let mut laws = BTreeMap::new();
    let mut above = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let module = cells[0].trim_matches('`').to_owned();
        let may = match cells.get(2).copied().unwrap_or_default() {
            "all of the above" => above.clone(),
            named => named.trim_matches('`').split_whitespace().map(str::to_owned).collect(),
        };
        above.push(module.clone());
        let for_all = ["jq", "parallel", "yaml"].map(str::to_owned);
        laws.insert(module, may.into_iter().chain(for_all).collect());
    }
    assert!(laws.len() > 5, "ARCHITECTURE.md has no table of modules");
    laws
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("readable")
}

/// The names in every `[dependencies]`-like table of a manifest but the workspace's.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut is_of_the_package = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            is_of_the_package = line.ends_with("dependencies]") && !line.starts_with("[workspace");
            return None;
        }
        let end = line.find(['.', ' ', '='])?;
        (is_of_the_package && !line.starts_with('#')).then(|| &line[..end])
    })
}

/// The top-level module of a file below `src/`: its first folder, or its stem. The two roots have
/// none.
fn module_of(file: &Path) -> Option<String> {
    let below = file.strip_prefix(root().join("src")).ok()?;
    let first = below.components().next()?.as_os_str().to_string_lossy().into_owned();
    let module = first.trim_end_matches(".rs").to_owned();
    (module != "lib" && module != "main").then_some(module)
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
