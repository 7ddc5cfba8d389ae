//! JSON pointers (RFC 6901).

/// Appends one reference token, escaped.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// A pointer one level below another one.
pub fn join_pointer(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push_token(&mut joined, token);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_both_special_characters() {
        assert_eq!(join_pointer("/a", "b/c~d"), "/a/b~1c~0d");
        assert_eq!(join_pointer("", ""), "/");
    }
}
