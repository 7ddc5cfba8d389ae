//! Titles, bodies and comments, put together from word lists by number.

const PARTS: [&str; 12] = [
    "Editor",
    "Importer",
    "Exporter",
    "Renderer",
    "Search",
    "Settings",
    "Installer",
    "Updater",
    "Toolbar",
    "Theme",
    "Clipboard",
    "Printer",
];

const TROUBLES: [&str; 13] = [
    "freezes",
    "loses data",
    "shows a blank page",
    "ignores the keyboard",
    "is slow",
    "reports a wrong count",
    "forgets its state",
    "leaks memory",
    "misplaces labels",
    "rejects valid input",
    "repeats entries",
    "needs an option",
    "has no documentation",
];

const OCCASIONS: [&str; 11] = [
    "after an update",
    "with large files",
    "on first start",
    "without a network",
    "in dark mode",
    "on a second screen",
    "when offline",
    "during an import",
    "with long names",
    "after undo",
    "with two windows",
];

const STEPS: [&str; 7] = [
    "Open a project, change a value and go back.",
    "Start with an empty profile and import the sample.",
    "Drag the panel to the other side and release it.",
    "Use the keyboard only, from the start page on.",
    "Leave it running for an hour, then look again.",
    "Copy a row, paste it twice and undo once.",
    "Switch the language and open the dialog again.",
];

const OUTCOMES: [&str; 5] = [
    "The result differs from the preview.",
    "Nothing happens, and the log stays empty.",
    "A message appears and cannot be closed.",
    "The second attempt works, the first never does.",
    "It worked in the previous release.",
];

const REMARKS: [&str; 9] = [
    "I can confirm this with the current release.",
    "Works for me; which platform is this?",
    "The same happens here with a fresh profile.",
    "A small sample file would help.",
    "Fixed on the main branch, please verify.",
    "This is related to the change of the cache.",
    "Moved to the next milestone.",
    "A workaround is to restart once.",
    "Thanks, the report is complete.",
];

/// Scrambles a number into 64 well mixed bits, so that choices look irregular and never change.
pub(super) fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The member of a list that some bits choose.
pub(super) fn pick<T: Copy>(list: &[T], bits: u64) -> T {
    list[usize::try_from(bits % list.len() as u64).expect("smaller than a length")]
}

/// A title.
pub(super) fn title(bits: u64) -> String {
    format!(
        "{} {} {}",
        pick(&PARTS, bits),
        pick(&TROUBLES, bits >> 8),
        pick(&OCCASIONS, bits >> 16)
    )
}

/// A body of one short paragraph.
pub(super) fn body(bits: u64) -> String {
    let release = (bits >> 24) % 6;
    format!("{} {} Seen in 2.{release}.", pick(&STEPS, bits >> 32), pick(&OUTCOMES, bits >> 40))
}

/// A long text of numbered paragraphs.
pub(super) fn paragraphs(bits: u64, count: u64) -> String {
    let mut text = String::new();
    for index in 1..=count {
        let bits = mix(bits ^ index);
        text.push_str(&format!(
            "{index}. {} {} {} {} {} – Größe {} px.\n\n",
            title(bits),
            pick(&STEPS, bits),
            pick(&OUTCOMES, bits >> 8),
            pick(&STEPS, bits >> 16),
            pick(&REMARKS, bits >> 24),
            bits % 900 + 100,
        ));
    }
    text
}

/// A comment.
pub(super) fn comment(bits: u64) -> String {
    pick(&REMARKS, bits).to_owned()
}
