//! Small text rules. Owns what is stripped from stored text and how long text is cut; refuses to
//! reject anything.

/// Longest body in a summary, in characters.
pub(super) const SUMMARY_BODY: usize = 2000;

/// Longest one-line preview, in characters.
const PREVIEW: usize = 200;

/// Removes what could steer a terminal or a reader's eye (rule `3.sec-sanitize`): control characters
/// except tab and line ends, and the characters that override the direction of text.
pub(super) fn sanitize(text: &str) -> String {
    let kept = |c: &char| match c {
        '\t' | '\n' | '\r' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        c => !c.is_control(),
    };
    text.chars().filter(kept).collect()
}

/// The body as a summary shows it, and whether it was cut short.
pub(super) fn summarize(body: String) -> (String, bool) {
    match body.char_indices().nth(SUMMARY_BODY) {
        Some((end, _)) => (body[..end].to_owned(), true),
        None => (body, false),
    }
}

/// The start of a body on one line.
pub(super) fn preview(body: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in body.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        let room = PREVIEW.saturating_sub(length);
        line.extend(word.chars().take(room));
        length += word.chars().count();
        if length >= PREVIEW {
            break;
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Sorted by code point, each once: the stored form of labels and assignees.
pub(super) fn as_set(names: &[String]) -> Vec<String> {
    let mut set = names.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_override_characters_go() {
        assert_eq!(
            sanitize("a\u{1b}[31mb\0c\td\r\ne\u{202e}f\u{2067}g\u{9f}h\u{7f}"),
            "a[31mbc\td\r\nefgh"
        );
        assert_eq!(sanitize("größe バグ"), "größe バグ");
    }

    #[test]
    fn the_cut_counts_characters_and_spares_exact_fits() {
        let fits = "ö".repeat(SUMMARY_BODY);
        assert_eq!(summarize(fits.clone()), (fits.clone(), false));
        assert_eq!(summarize(format!("{fits}!")), (fits, true));
    }

    #[test]
    fn a_preview_is_one_bounded_line() {
        assert_eq!(preview("one\n\n  two\tthree "), "one two three");
        assert_eq!(preview(""), "");
        assert_eq!(preview(&"ä".repeat(500)).chars().count(), PREVIEW);
        assert_eq!(preview(&"word ".repeat(100)).chars().count(), 199);
    }

    #[test]
    fn a_set_is_sorted_and_unique() {
        let names = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
        assert_eq!(as_set(&names), ["a", "b"]);
    }
}
