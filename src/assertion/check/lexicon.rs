//! Words that names are made of: verbs, opposites, prefixes (rules `3.naming`, `3.verbs`).

/// Verbs that a tool name may begin with after its prefix, sorted. A word that is missing here is a
/// question for a judge, never a fault.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "abort", "accept", "acknowledge", "activate", "add", "adjust", "advance", "aggregate",
    "allocate", "analyse", "analyze", "anchor", "annotate", "append", "apply", "approve", "archive",
    "ask", "assemble", "assess", "assign", "attach", "attempt", "audit", "authenticate",
    "authorize", "backup", "batch", "begin", "block", "book", "borrow", "broadcast", "browse",
    "build", "bulk", "calculate", "call", "cancel", "capture", "cast", "certify", "change",
    "charge", "chat", "check", "choose", "claim", "clean", "cleanup", "clear", "click", "clone",
    "close", "collapse", "collect", "combine", "commit", "compare", "compile", "complete",
    "compose", "compute", "configure", "confirm", "connect", "consume", "continue", "convert",
    "copy", "correct", "count", "crawl", "create", "crop", "cut", "deactivate", "debug", "decode",
    "decrease", "decrypt", "define", "delay", "delegate", "delete", "demote", "deny", "deploy",
    "deprecate", "describe", "destroy", "detach", "detect", "determine", "diagnose", "diff",
    "disable", "discard", "disconnect", "discover", "dismiss", "dispatch", "display", "distribute",
    "divide", "do", "download", "draft", "drag", "drain", "draw", "drop", "dump", "duplicate",
    "echo", "edit", "embed", "emit", "enable", "encode", "encourage", "encrypt", "end", "enqueue",
    "enrich", "enroll", "ensure", "enter", "enumerate", "erase", "escalate", "estimate", "evaluate",
    "examine", "exclude", "execute", "exit", "expand", "explain", "explore", "export", "extend",
    "extract", "factor", "fail", "fetch", "fill", "filter", "finalise", "finalize", "find",
    "finish", "fix", "flag", "flush", "fold", "follow", "force", "forecast", "fork", "format",
    "forward", "freeze", "gather", "generate", "geocode", "get", "give", "go", "grant", "grep",
    "group", "guess", "guide", "handle", "hash", "hide", "highlight", "hover", "identify", "ignore",
    "import", "improve", "include", "increase", "index", "infer", "inform", "ingest", "init",
    "initialize", "insert", "inspect", "install", "instantiate", "invalidate", "invite", "invoke",
    "iterate", "join", "jump", "keep", "kick", "kill", "label", "launch", "learn", "leave", "lend",
    "link", "lint", "list", "listen", "load", "locate", "lock", "log", "login", "logout", "lookup",
    "lower", "maintain", "make", "manage", "map", "mark", "match", "measure", "merge", "migrate",
    "minimize", "mint", "mock", "modify", "monitor", "mount", "move", "multiply", "mute",
    "navigate", "negotiate", "normalize", "notify", "nudge", "observe", "offer", "open", "optimize",
    "order", "organize", "overlay", "override", "overwrite", "pack", "parse", "paste", "patch",
    "pause", "pay", "peek", "perform", "persist", "pick", "pin", "ping", "plan", "play", "plot",
    "poll", "populate", "post", "predict", "prepare", "press", "preview", "print", "probe",
    "process", "produce", "profile", "promote", "propose", "protect", "provision", "proxy", "prune",
    "publish", "pull", "purchase", "purge", "push", "put", "query", "queue", "quit", "raise",
    "rank", "rate", "react", "read", "reboot", "rebuild", "recall", "receive", "recommend",
    "recompute", "record", "recover", "redact", "redeploy", "redo", "reduce", "refactor", "refresh",
    "regenerate", "register", "reindex", "reinstall", "reject", "relate", "release", "reload",
    "remember", "remove", "rename", "render", "renew", "reopen", "reorder", "repair", "repeat",
    "replace", "reply", "report", "request", "rerun", "resample", "rescale", "rescan", "reschedule",
    "resend", "reserve", "reset", "resize", "resolve", "respond", "restart", "restore", "resubmit",
    "resume", "retrieve", "retry", "return", "reverse", "revert", "review", "revoke", "rewind",
    "rewrite", "roll", "rollback", "rotate", "route", "rsvp", "run", "sample", "save", "scaffold",
    "scale", "scan", "schedule", "score", "scrape", "scroll", "search", "seed", "select", "send",
    "serve", "set", "settle", "setup", "share", "shorten", "show", "shutdown", "sign", "simulate",
    "skip", "slice", "snap", "snapshot", "snooze", "solve", "sort", "spawn", "split", "squash",
    "stage", "star", "start", "stash", "stat", "step", "stop", "store", "stream", "submit",
    "subscribe", "subtract", "suggest", "sum", "summarise", "summarize", "suspend", "swap", "swipe",
    "switch", "sync", "synchronize", "tag", "tail", "take", "tap", "tell", "terminate", "test",
    "think", "throw", "toggle", "trace", "track", "train", "transcribe", "transfer", "transform",
    "translate", "traverse", "triage", "trigger", "trim", "truncate", "try", "tweak", "type",
    "unarchive", "unassign", "unblock", "undelete", "undeploy", "undo", "unfollow", "uninstall",
    "unlink", "unlock", "unmount", "unmute", "unpack", "unpin", "unpublish", "unset", "unsnooze",
    "unstage", "unstar", "unsubscribe", "unwatch", "unzip", "update", "upgrade", "upload", "upsert",
    "use", "vacuum", "validate", "verify", "view", "visit", "visualise", "visualize", "vote",
    "wait", "warm", "warn", "watch", "whitelist", "whois", "wipe", "withdraw", "wrap", "write",
    "zip", "zoom",
];

/// Verbs that are hardly ever a product's name, so that a leading one is no service prefix.
#[rustfmt::skip]
const PLAIN_VERBS: &[&str] = &[
    "add", "analyze", "apply", "cancel", "check", "convert", "create", "delete", "describe",
    "disable", "edit", "enable", "execute", "export", "extract", "fetch", "find", "generate", "get",
    "import", "insert", "list", "lookup", "make", "manage", "modify", "move", "open", "parse",
    "put", "query", "read", "remove", "rename", "render", "retrieve", "run", "save", "search",
    "send", "set", "show", "start", "stop", "submit", "summarize", "update", "upload", "validate",
    "verify", "view", "write",
];

/// Pairs of verbs that undo each other and so are two values of one parameter.
const OPPOSITES: &[(&str, &str)] = &[
    ("add", "remove"),
    ("lock", "unlock"),
    ("open", "close"),
    ("close", "reopen"),
    ("enable", "disable"),
    ("activate", "deactivate"),
    ("pin", "unpin"),
    ("mute", "unmute"),
    ("star", "unstar"),
    ("follow", "unfollow"),
    ("block", "unblock"),
    ("subscribe", "unsubscribe"),
    ("archive", "unarchive"),
    ("assign", "unassign"),
    ("attach", "detach"),
    ("publish", "unpublish"),
    ("show", "hide"),
    ("start", "stop"),
    ("pause", "resume"),
];

/// Whether a word is in the verb lexicon.
pub fn is_verb(word: &str) -> bool {
    VERBS.binary_search(&word).is_ok()
}

/// Whether a word is a verb and hardly ever anything else.
pub fn is_plain_verb(word: &str) -> bool {
    PLAIN_VERBS.contains(&word)
}

/// The verbs that undo a verb, or that it undoes.
pub fn opposites_of(verb: &str) -> impl Iterator<Item = &'static str> {
    OPPOSITES.iter().filter_map(move |&(one, other)| match verb {
        _ if verb == one => Some(other),
        _ if verb == other => Some(one),
        _ => None,
    })
}

/// Lower-case words of a name, whatever separates them: `getIssue`, `get-issue` and `get_issue`
/// all give `get`, `issue`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && after_lower;
        if !letter.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A noun without its plural ending, so that `issues` and `issue` are one noun.
pub fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 1 && !stem.ends_with('s') && !stem.ends_with('u') => {
            stem.to_owned()
        }
        _ => word.to_owned(),
    }
}

/// Whether a tool serves discovery of the server itself (SUMMARY of the rule registry) and is
/// therefore no domain tool.
pub fn is_discovery_tool(name: &str) -> bool {
    let words = words(name);
    let has = |word: &str| words.iter().any(|w| w == word);
    words.iter().any(|word| word.starts_with("capabilit"))
        || has("about")
        || (has("server") && (has("info") || has("status")))
        || (has("tools") && (has("search") || has("list") || has("describe")))
        || (has("tool") && has("describe"))
        || has("help")
}

/// The part of a name that holds its first `count` words.
pub fn head_of(name: &str, count: usize) -> &str {
    let mut seen = 0;
    let mut after_lower = false;
    let mut in_word = false;
    for (at, letter) in name.char_indices() {
        let boundary = !letter.is_alphanumeric() || (letter.is_uppercase() && after_lower);
        if boundary && in_word {
            seen += 1;
            if seen == count {
                return &name[..at];
            }
        }
        in_word = letter.is_alphanumeric();
        after_lower = letter.is_lowercase() || letter.is_numeric();
    }
    name
}

/// A tool name taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// The verb, when one is known at its place.
    pub verb: Option<String>,
    /// The words after the verb (after the prefix when there is no verb), in the singular.
    pub nouns: Vec<String>,
}

/// Takes the words of a name apart behind its prefix, whose possible lengths are given in rising
/// order: the longest prefix that leaves a verb and a noun wins.
pub fn parts_after(prefixes: &[usize], own: &[String]) -> Parts {
    let mut starts: Vec<usize> = prefixes.iter().rev().copied().collect();
    starts.push(0);
    let verb_at = starts
        .iter()
        .copied()
        .find(|&at| at + 1 < own.len() && is_verb(&own[at]))
        .or_else(|| starts.iter().copied().find(|&at| own.get(at).is_some_and(|w| is_verb(w))));
    match verb_at {
        Some(at) => Parts {
            verb: Some(own[at].clone()),
            nouns: own[at + 1..].iter().map(|word| singular(word)).collect(),
        },
        None => Parts {
            verb: None,
            nouns: own[starts[0]..].iter().map(|word| singular(word)).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_every_kind_of_boundary() {
        assert_eq!(words("github_get-Issue"), ["github", "get", "issue"]);
        assert_eq!(words("getHTTPPage2"), ["get", "httppage2"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn nouns_lose_their_plural_and_nothing_else() {
        for (plural, noun) in [
            ("issues", "issue"),
            ("repositories", "repository"),
            ("status", "status"),
            ("boxes", "box"),
            ("classes", "class"),
            ("s", "s"),
        ] {
            assert_eq!(singular(plural), noun);
        }
    }

    #[test]
    fn the_head_of_a_name_ends_before_its_separator() {
        assert_eq!(head_of("github_get_issue", 1), "github");
        assert_eq!(head_of("github_get_issue", 2), "github_get");
        assert_eq!(head_of("githubGetIssue", 1), "github");
        assert_eq!(head_of("github", 1), "github");
    }

    #[test]
    fn the_lexicon_is_sorted_and_has_no_double() {
        assert_eq!(VERBS.windows(2).find(|pair| pair[0] >= pair[1]), None);
    }

    #[test]
    fn opposites_are_symmetric() {
        assert!(opposites_of("unlock").eq(["lock"]) && opposites_of("lock").eq(["unlock"]));
        assert!(opposites_of("close").eq(["open", "reopen"]));
        assert_eq!(opposites_of("create").next(), None);
    }
}
