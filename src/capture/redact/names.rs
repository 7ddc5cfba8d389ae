//! Which names and values are secret by the look of them.

/// Headers whose value is recorded as it is (after secrets were replaced). A name that stands
/// neither here nor in [`SECRET_HEADERS`] is not recorded at all.
const OPEN_HEADERS: &[&str] = &[
    "accept",
    "allow",
    "cache-control",
    "content-encoding",
    "content-type",
    "host",
    "last-event-id",
    "location",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "origin",
    "retry-after",
    "server",
    "transfer-encoding",
    "www-authenticate",
    "x-accel-buffering",
];

/// Headers whose whole value is a secret: recorded as a placeholder, so that their presence and
/// their constancy can be judged.
const SECRET_HEADERS: &[&str] =
    &["authorization", "cookie", "mcp-session-id", "proxy-authorization", "set-cookie"];

/// Words of the protocol itself: a setting with such a value is no secret, and replacing it would
/// make every message unreadable.
const PROTOCOL_WORDS: &[&str] = &[
    "arguments",
    "assistant",
    "capabilities",
    "complete",
    "content",
    "contents",
    "description",
    "error",
    "false",
    "initialize",
    "inputSchema",
    "integer",
    "isError",
    "jsonrpc",
    "message",
    "method",
    "modelcontextprotocol",
    "name",
    "none",
    "null",
    "number",
    "object",
    "params",
    "ping",
    "properties",
    "public",
    "private",
    "required",
    "resource",
    "resources",
    "result",
    "string",
    "text",
    "tool",
    "tools",
    "true",
    "type",
    "user",
];

/// Parts of a name, wherever they stand in it, that say that the value is a secret.
const MARKS: &[&str] =
    &["auth", "key", "token", "secret", "passw", "passphrase", "credential", "cookie", "session"];

/// Words of a name that say so, too short to be looked for inside of words.
const WORDS: &[&str] = &["bearer", "dsn", "jwt", "otp", "pass", "pat", "pwd", "sas", "sig"];

/// What well-known services begin their credentials with.
const PREFIXES: &[&str] = &[
    "AIza",
    "AKIA",
    "ASIA",
    "dop_v1_",
    "eyJ",
    "gho_",
    "ghp_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "rk_live_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "ya29.",
];

/// A value shorter than this is a setting, not a secret: `1`, `on` and `dev` stand everywhere.
pub(super) const SHORTEST_SECRET: usize = 4;

/// From this length on, letters mixed with digits are taken for a credential.
const SHORTEST_RANDOM: usize = 16;

/// A credential of a well-known service is longer than its prefix by at least this.
const SHORTEST_REST: usize = 8;

/// Whether a header or variable of this name usually holds a secret.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    MARKS.iter().any(|mark| name.contains(mark))
        || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Whether a value is a credential by its own look, whatever its name.
pub(super) fn is_credential(value: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.~+=".contains(c);
    if !value.chars().all(is_part) {
        return false;
    }
    let known = PREFIXES
        .iter()
        .any(|prefix| value.strip_prefix(prefix).is_some_and(|rest| rest.len() >= SHORTEST_REST));
    let mixed = value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic());
    known || (mixed && value.len() >= SHORTEST_RANDOM)
}

/// Whether a value begins as the credentials of a well-known service do.
pub(super) fn is_well_known(value: &str) -> bool {
    is_credential(value) && PREFIXES.iter().any(|prefix| value.starts_with(prefix))
}

/// Whether a value can be a secret at all: long enough, and no word of the protocol.
pub(super) fn can_be_secret(value: &str) -> bool {
    value.len() >= SHORTEST_SECRET && !PROTOCOL_WORDS.contains(&value)
}

/// Whether the value of a header (lower-case name) is recorded as it is.
pub(super) fn is_open_header(name: &str) -> bool {
    OPEN_HEADERS.contains(&name) || name.starts_with("mcp-param-")
}

/// Whether the value of a header (lower-case name) is a secret as a whole.
pub(super) fn is_secret_header(name: &str) -> bool {
    SECRET_HEADERS.contains(&name) || looks_secret(name)
}
