//! Which variables of its own environment hallmark hands to a child, and which secrets a target
//! brings with it.

use super::TargetSpec;
use crate::capture::{Redactor, looks_secret};

/// Variables without which commands and package runners do not work.
const NAMES: &[&str] = &[
    "ALL_PROXY",
    "APPDATA",
    "COMSPEC",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LOCALAPPDATA",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "NO_PROXY",
    "PATH",
    "PATHEXT",
    "PROGRAMFILES",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "VIRTUAL_ENV",
];

/// Prefixes of such variables: settings of package runners and language runtimes.
const PREFIXES: &[&str] =
    &["LC_", "NPM_CONFIG_", "NVM_", "PIP_", "PYENV_", "PYTHON", "UV_", "VOLTA_", "XDG_"];

/// The variables that a child inherits: what a command needs to be found and to start, and nothing
/// else, so that the secrets of hallmark's own environment stay out of targets and captures.
/// Everything else is given by name (`--env NAME`).
pub fn inherited_environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            let name = name.to_ascii_uppercase();
            let is_setting = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            NAMES.contains(&name.as_str()) || (is_setting && !looks_secret(&name))
        })
        .collect()
}

/// Makes every secret known that a target is given: arguments, variables and headers, what a URL
/// holds, and inherited variables that look like secrets.
pub fn teach_secrets(spec: &TargetSpec, redactor: &mut Redactor) {
    match spec {
        TargetSpec::Stdio { args, env, .. } => {
            redactor.add_arguments(args);
            for (name, value) in env {
                redactor.add_env(name, value);
            }
            for (name, value) in inherited_environment() {
                if looks_secret(&name) {
                    redactor.add_env(&name, &value);
                }
                // A proxy or a package index may carry a password.
                redactor.add_url(&value);
            }
        }
        TargetSpec::Http { url, headers } => {
            redactor.add_url(url);
            for (name, value) in headers {
                redactor.add_header(name, value);
            }
        }
    }
}
