//! Walks of native lists, page by page.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::{Exchange, ListPage, ListWalk};
use crate::wire;

/// Adds an answered list request to its walk: a request without a cursor starts one, a request
/// with the cursor that a walk ended on continues it, and any other cursor is a probe.
pub(super) fn note_page(walks: &mut Vec<ListWalk>, exchange: &Exchange, index: usize) {
    let Some((records, key)) = wire::key_of_list(&exchange.method) else {
        return;
    };
    let Some(result) = exchange.result() else {
        return;
    };
    let keys = result.get(records).and_then(Value::as_array).map_or_else(Vec::new, |records| {
        records
            .iter()
            .map(|record| record.get(key).and_then(Value::as_str).unwrap_or("").to_owned())
            .collect()
    });
    let next_cursor = result.get("nextCursor").cloned();
    // A null cursor is wrong, but it leaves a client nothing to ask with: the walk ends.
    let complete = next_cursor.as_ref().is_none_or(Value::is_null);
    let page = ListPage { exchange: index, keys, next_cursor };
    match exchange.params.get("cursor") {
        None => walks.push(ListWalk {
            method: Arc::clone(&exchange.method),
            session: exchange.session,
            pages: vec![page],
            complete,
        }),
        Some(cursor) => {
            let walk = walks.iter_mut().rev().find(|walk| {
                !walk.complete
                    && walk.session == exchange.session
                    && walk.method == exchange.method
                    && walk.pages.last().and_then(|last| last.next_cursor.as_ref()) == Some(cursor)
            });
            if let Some(walk) = walk {
                walk.pages.push(page);
                walk.complete = complete;
            }
        }
    }
}
