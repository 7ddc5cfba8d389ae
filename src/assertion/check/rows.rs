//! Reading list-shaped payloads: the rows, what identifies them, and the continuation (LISTY and
//! ROWS of the rule registry).

use serde_json::{Map, Value};

/// Names of flags that say that there is more.
const MORE: &[&str] =
    &["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more"];

/// The continuation fields of one page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Continuation<'a> {
    /// Name and value of the flag, when there is one.
    pub flag: Option<(&'a str, bool)>,
    /// Name and value of the token, when there is one; a null or empty token is none.
    pub token: Option<(&'a str, &'a str)>,
}

/// The array of objects of a payload: at its root, in a member, or one level below.
pub fn rows(payload: &Value) -> Option<&Vec<Value>> {
    let is_rows = |value: &&Vec<Value>| value.iter().any(Value::is_object);
    if let Some(rows) = payload.as_array() {
        return Some(rows).filter(is_rows);
    }
    let members = payload.as_object()?;
    let arrays = |members: &'_ Map<String, Value>| -> Vec<String> {
        members
            .iter()
            .filter(|(_, v)| v.as_array().is_some_and(|a| is_rows(&a)))
            .map(|(k, _)| k.clone())
            .collect()
    };
    // Several arrays: which one pages cannot be told from one payload.
    if let [only] = &arrays(members)[..] {
        return members.get(only)?.as_array();
    }
    let inner =
        members.values().filter_map(Value::as_object).find(|inner| arrays(inner).len() == 1)?;
    let [only] = &arrays(inner)[..] else { return None };
    inner.get(only)?.as_array()
}

/// The member that identifies the rows: one that every row has, with no value twice.
pub fn id_key(rows: &[Value]) -> Option<&str> {
    let first = rows.first()?.as_object()?;
    let likely = |key: &str| {
        let lower = key.to_lowercase();
        matches!(
            lower.as_str(),
            "id" | "key" | "uri" | "url" | "path" | "number" | "name" | "slug" | "sha" | "uuid"
        ) || ["_id", "_number", "_key", "_uri"].iter().any(|end| lower.ends_with(end))
            || key.ends_with("Id")
    };
    first.keys().map(String::as_str).filter(|key| likely(key)).find(|key| {
        let mut seen = Vec::new();
        rows.iter().all(|row| match row.get(*key) {
            Some(value @ (Value::String(_) | Value::Number(_))) => {
                let new = !seen.contains(&value);
                seen.push(value);
                new
            }
            _ => false,
        })
    })
}

/// Whether a member name is one of a token that leads on, not back.
pub fn is_token_name(name: &str) -> bool {
    let lower = name.to_lowercase().replace(['_', '-'], "");
    let leads_on = lower.contains("cursor")
        || lower == "next"
        || lower.contains("nexttoken")
        || lower.contains("pagetoken")
        || lower.contains("continuation")
        || lower == "nextpage";
    leads_on && !lower.contains("prev") && !lower.contains("start") && !lower.contains("before")
}

/// The continuation fields beside the rows. A record that embeds a paged thread prefixes them:
/// `comments_has_more` belongs to `comments_cursor`.
pub fn continuation<'a>(members: &'a Map<String, Value>) -> Continuation<'a> {
    let flag = members.iter().find_map(|(name, value)| {
        let fits = MORE.contains(&name.as_str()) || name.ends_with("_has_more");
        Some((name.as_str(), value.as_bool()?)).filter(|_| fits)
    });
    let token = members.iter().find_map(|(name, value)| {
        let text = value.as_str().filter(|text| !text.is_empty())?;
        is_token_name(name).then_some((name.as_str(), text))
    });
    Continuation { flag, token }
}

/// Whether members say that the lists beside them show a part only: by a flag or a token, or by a
/// total larger than every list, in the members themselves or in an object such as `pagination`.
pub fn is_partial(members: &Map<String, Value>) -> bool {
    let longest = members.values().filter_map(Value::as_array).map(Vec::len).max();
    let says_so = |(name, value): (&String, &Value)| {
        let lower = name.to_lowercase().replace(['_', '-'], "");
        let is_total =
            matches!(&*lower, "total" | "totalcount" | "totalresults" | "estimatedtotal");
        match value {
            Value::Bool(flag) => {
                let fits = MORE.contains(&name.as_str())
                    || lower.ends_with("hasmore")
                    || lower.ends_with("truncated");
                *flag && fits
            }
            Value::String(token) => !token.is_empty() && is_token_name(name),
            Value::Number(total) if is_total => {
                longest.zip(total.as_u64()).is_some_and(|(rows, total)| total > rows as u64)
            }
            Value::Number(_) => is_token_name(name),
            _ => false,
        }
    };
    let inner = members.values().filter_map(Value::as_object).flatten();
    members.iter().chain(inner).any(says_so)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_found_at_the_root_in_a_member_or_below() {
        for payload in [
            json!([{ "id": 1 }]),
            json!({ "issues": [{ "id": 1 }], "labels": ["a"] }),
            json!({ "data": { "issues": [{ "id": 1 }] } }),
        ] {
            assert_eq!(rows(&payload).map(Vec::len), Some(1), "{payload}");
        }
        for payload in [json!({ "labels": ["a"] }), json!({ "a": [{}], "b": [{}] }), json!("x")] {
            assert_eq!(rows(&payload), None, "{payload}");
        }
    }

    #[test]
    fn an_id_is_on_every_row_and_never_twice() {
        let good =
            [json!({ "name": "a", "issue_number": 1 }), json!({ "name": "a", "issue_number": 2 })];
        assert_eq!(id_key(&good), Some("issue_number"));
        assert_eq!(id_key(&[json!({ "text": "a" })]), None);
    }

    #[test]
    fn continuation_fields_are_told_by_name() {
        let page = json!({ "has_more": true, "next_cursor": "x", "prev_cursor": "y" });
        let read = continuation(page.as_object().unwrap());
        assert_eq!((read.flag, read.token), (Some(("has_more", true)), Some(("next_cursor", "x"))));
        let last = json!({ "has_more": false, "next_cursor": null });
        assert_eq!(continuation(last.as_object().unwrap()).token, None);
        assert!(
            is_token_name("nextPageToken")
                && !is_token_name("token")
                && !is_token_name("prev_cursor")
        );
    }
}
