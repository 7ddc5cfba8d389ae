//! What is planted, as tables: repositories, the names in them, and the issues with a purpose.

use crate::domain::input::{LockReason, State, StateReason};
use crate::domain::store::Behaviour;

/// Logins that write and can be assigned.
pub(super) const COLLABORATORS: [&str; 4] =
    ["maintainer", "release-manager", "reviewer", "triage-bot"];

/// Logins that write.
pub(super) const AUTHORS: [&str; 6] =
    ["contributor-1", "contributor-2", "maintainer", "reporter-1", "reporter-2", "reviewer"];

const COMMON_LABELS: &[&str] = &["bug", "documentation", "enhancement", "question"];

const WIDGET_LABELS: &[&str] = &[
    "bug",
    "documentation",
    "enhancement",
    "fixed-in-2.5",
    "good first issue",
    "größe",
    "needs: triage",
    "performance",
    "question",
    "regression",
    "security",
    "バグ",
];

/// A repository and how many issues and pull requests it gets.
pub(super) struct RepositorySeed {
    pub owner: &'static str,
    pub name: &'static str,
    pub behaviour: Behaviour,
    pub labels: &'static [&'static str],
    pub first_number: u64,
    pub count: u64,
    pub notable: &'static [Notable],
}

/// An issue that tests and readers rely on. The rest of its members is generated.
pub(super) struct Notable {
    pub number: u64,
    pub title: &'static str,
    pub labels: &'static [&'static str],
    pub body: BodySeed,
    pub state: State,
    pub state_reason: Option<StateReason>,
    pub lock: Option<(i64, Option<LockReason>)>,
    pub comments: u64,
}

/// The body of a notable issue.
pub(super) enum BodySeed {
    Text(&'static str),
    /// So many generated paragraphs, about 230 characters each.
    Paragraphs(u64),
}

const PLAIN: Notable = Notable {
    number: 0,
    title: "",
    labels: &[],
    body: BodySeed::Text(""),
    state: State::Open,
    state_reason: None,
    lock: None,
    comments: 0,
};

const fn repository(owner: &'static str, name: &'static str, count: u64) -> RepositorySeed {
    RepositorySeed {
        owner,
        name,
        behaviour: Behaviour::Normal,
        labels: COMMON_LABELS,
        first_number: 1,
        count,
        notable: &[],
    }
}

/// Every repository, in planting order.
pub(super) const REPOSITORIES: [RepositorySeed; 8] = [
    RepositorySeed {
        labels: WIDGET_LABELS,
        first_number: 781,
        notable: &WIDGETS,
        ..repository("acme", "widgets", 700)
    },
    repository("acme", "gadgets", 60),
    RepositorySeed { behaviour: Behaviour::Throttled, ..repository("acme", "throttled", 0) },
    RepositorySeed { behaviour: Behaviour::Unavailable, ..repository("acme", "unavailable", 0) },
    repository("globex", "docs.site", 24),
    repository("globex", "turbine", 36),
    repository("initech", "printer_firmware", 0),
    repository("initech", "reports", 12),
];

/// 2026-07-12T09:30:00Z
const LOCKED_AT: i64 = 1_783_848_600;

const WIDGETS: [Notable; 11] = [
    Notable { number: 1301, title: "Placeholder without a description", ..PLAIN },
    Notable {
        number: 1312,
        title: "Größe eines Widgets wird falsch berechnet",
        labels: &["bug", "größe"],
        body: BodySeed::Text("Die Größe stimmt nicht, sobald der Rahmen breiter als 1 px ist."),
        comments: 2,
        ..PLAIN
    },
    Notable {
        number: 1323,
        title: "保存時に設定が失われる",
        labels: &["バグ"],
        body: BodySeed::Text("設定画面で 保存 を押すと、前の値に戻ります。"),
        comments: 1,
        ..PLAIN
    },
    Notable {
        number: 1345,
        title: "Undo history is lost after a reload",
        labels: &["bug", "regression"],
        body: BodySeed::Text("Closed once, and seen again in 2.5.0."),
        state_reason: Some(StateReason::Reopened),
        comments: 3,
        ..PLAIN
    },
    Notable {
        number: 1367,
        title: "Which renderer should be the default?",
        labels: &["question"],
        body: BodySeed::Text("Both renderers have friends. Please vote with reasons."),
        lock: Some((LOCKED_AT - 86_400, Some(LockReason::TooHeated))),
        comments: 8,
        ..PLAIN
    },
    Notable {
        number: 1378,
        title: "Release checklist for 2.4",
        body: BodySeed::Text("Everything is done; the thread is kept for reference."),
        state: State::Closed,
        state_reason: Some(StateReason::Completed),
        lock: Some((LOCKED_AT - 172_800, None)),
        ..PLAIN
    },
    Notable {
        number: 1389,
        title: "Design notes for the layout engine",
        labels: &["documentation", "enhancement"],
        body: BodySeed::Paragraphs(52),
        comments: 2,
        ..PLAIN
    },
    Notable {
        number: 1400,
        title: "Import stalls on large files: measurements wanted",
        labels: &["good first issue", "performance"],
        body: BodySeed::Text("Please post file size, time and memory of your import."),
        comments: 130,
        ..PLAIN
    },
    Notable {
        number: 1411,
        title: "Support for the old plug-in format",
        labels: &["enhancement"],
        body: BodySeed::Text("The format has been gone since 2.0."),
        state: State::Closed,
        state_reason: Some(StateReason::NotPlanned),
        ..PLAIN
    },
    Notable {
        number: 1423,
        title: "Crash on save with an empty filename",
        labels: &["bug"],
        body: BodySeed::Text("Leave the filename empty and press save: the application crashes."),
        lock: Some((LOCKED_AT, Some(LockReason::Resolved))),
        comments: 3,
        ..PLAIN
    },
    Notable {
        number: 1434,
        title: "Tab order skips the search field",
        labels: &["bug", "good first issue"],
        body: BodySeed::Text("Press Tab twice on the start page."),
        comments: 1,
        ..PLAIN
    },
];
