//! Free-text search: one full-text document an issue, made of its title, body and comments.

use rusqlite::Connection;

const DOCUMENTS: &str = "SELECT issue.id, issue.title || char(10) || issue.body || char(10) || coalesce(
        (SELECT group_concat(comment.body, char(10)) FROM comment WHERE comment.issue_id = issue.id), '')
    FROM issue";

/// Indexes every issue of an index that is still empty.
pub(in crate::domain) fn index_all(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(&format!("INSERT INTO search (rowid, text) {DOCUMENTS}"), [])?;
    Ok(())
}

/// Brings one issue's document up to date.
pub(in crate::domain) fn reindex(connection: &Connection, issue_id: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([issue_id])?;
    let insert = format!("INSERT INTO search (rowid, text) {DOCUMENTS} WHERE issue.id = ?1");
    connection.prepare_cached(&insert)?.execute([issue_id])?;
    Ok(())
}

/// Translates free text into an FTS5 expression in which every word must occur; a word with
/// punctuation inside becomes a phrase. `None` when there is no word at all.
pub(in crate::domain) fn match_expression(query: &str) -> Option<String> {
    let words: Vec<String> = query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect();
    (!words.is_empty()).then(|| words.join(" AND "))
}

#[cfg(test)]
mod tests {
    use super::match_expression;

    #[test]
    fn operators_of_the_engine_are_plain_words() {
        assert_eq!(
            match_expression("crash OR save*"),
            Some("\"crash\" AND \"OR\" AND \"save*\"".to_owned())
        );
        assert_eq!(match_expression("say \"hi\""), Some("\"say\" AND \"\"\"hi\"\"\"".to_owned()));
        assert_eq!(match_expression(" -- !? \0"), None);
    }
}
