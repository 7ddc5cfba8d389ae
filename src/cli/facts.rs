//! Facts about the process's surroundings, collected once.

use std::io::IsTerminal;

/// What the surroundings can do and how much the user wants to hear.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Columns of standard output; 100 when it is not a terminal.
    pub width: u16,
    /// Whether standard output takes colours (`NO_COLOR` and `CLICOLOR_FORCE` are honoured).
    pub colour: bool,
    /// Whether a moving progress line is wanted and possible on standard error.
    pub progress: bool,
    /// Whether nothing but results is wanted.
    pub quiet: bool,
    /// Whether every finding is wanted.
    pub verbose: bool,
}

impl Facts {
    /// Looks once.
    pub fn collect(quiet: bool, verbose: bool) -> Facts {
        let terminal = std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let width = if terminal {
            comfy_table::Table::new().width().filter(|width| *width >= 40).unwrap_or(100)
        } else {
            100
        };
        Facts {
            width,
            colour: !set("NO_COLOR") && (set("CLICOLOR_FORCE") || (terminal && !dumb)),
            progress: std::io::stderr().is_terminal() && !dumb && !quiet,
            quiet,
            verbose,
        }
    }
}
