//! Making text from outside harmless where it is shown.

use std::fmt::Write as _;

/// Replaces everything that a terminal could act on or that hides text by a visible `\u{..}`:
/// control characters, direction marks, zero-width and other format characters. Line breaks and
/// tabs become spaces, so that one value stays on one line.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if is_hidden(character) => {
                write!(out, "\\u{{{:x}}}", u32::from(character))
                    .expect("a string takes all writes");
            }
            _ => out.push(character),
        }
    }
    out
}

/// [`clean`] for text of several lines, which stay lines.
pub fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// [`clean`], with the characters that mean something in a Markdown table cell escaped.
pub fn clean_markdown(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            // Bare addresses would become links by themselves.
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '.' if ends_in_www(&text[..at]) => out.push_str("&#46;"),
            '@' => out.push_str("&#64;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(character);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(character),
        }
    }
    out
}

fn ends_in_www(text: &str) -> bool {
    let tail = text.as_bytes().last_chunk::<3>();
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(b"www"))
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0x00ad | 0x034f | 0x061c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f
            | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
            | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_hidden_text_become_visible() {
        assert_eq!(clean("a\u{1b}[31mred\u{7}"), "a\\u{1b}[31mred\\u{7}");
        assert_eq!(clean("x\u{202e}y\u{200b}z\u{9b}"), "x\\u{202e}y\\u{200b}z\\u{9b}");
        assert_eq!(clean("two\nlines"), "two lines");
        assert_eq!(clean("größe バグ"), "größe バグ");
    }

    #[test]
    fn a_table_cell_cannot_be_broken_out_of() {
        assert_eq!(
            clean_markdown("a|b `c` <script>[x](y)"),
            "a\\|b \\`c\\` &lt;script&gt;\\[x\\](y)"
        );
        assert_eq!(
            clean_markdown("see https://evil.test, WWW.evil.test or me@evil.test: now.\n| x |"),
            "see https&#58;//evil.test, WWW&#46;evil.test or me&#64;evil.test: now. \\| x \\|"
        );
    }
}
