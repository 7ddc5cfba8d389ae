//! What stays: a store in a file outlives the server, one in memory does not.

use std::path::PathBuf;

use reference_server::ServeOptions;
use serde_json::json;

use crate::client::{Client, options};

/// A database file that is removed with its side files at the end of the test.
struct Db(PathBuf);

impl Db {
    fn new(name: &str) -> Db {
        let folder =
            std::env::temp_dir().join(format!("reference-server-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Db(folder)
    }

    fn options(&self) -> ServeOptions {
        ServeOptions { db: Some(self.0.join("issues.db")), ..options() }
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn issues_keys_and_cursors_survive_a_restart_with_a_file() {
    let db = Db::new("restart");
    let create =
        json!({"owner": "acme", "repo": "gadgets", "title": "Kept", "idempotency_key": "restart"});
    let all = json!({"owner": "acme", "repo": "widgets", "state": "all"});
    let mut first = Client::start(db.options());
    let created = first.success("github_create_issue", create.clone());
    let page = first.success("github_find_issues", all.clone());
    first.close();

    let mut second = Client::start(db.options());
    assert_eq!(second.success("github_create_issue", create), created);
    let read = json!({"owner": "acme", "repo": "gadgets", "issue_number": created["issue_number"]});
    let issue = second.success("github_get_issue", read)["issue"].clone();
    assert_eq!((&issue["title"], &issue["version"]), (&json!("Kept"), &created["version"]));
    let mut next = all;
    next["cursor"] = page["next_cursor"].clone();
    let following = second.success("github_find_issues", next);
    assert_ne!(following["issues"][0], page["issues"][0]);
}

#[test]
fn memory_is_fresh_and_the_same_at_every_start() {
    let create = json!({"owner": "acme", "repo": "gadgets", "title": "Forgotten", "idempotency_key": "once"});
    let run = || {
        let mut client = Client::start(options());
        let created = client.success("github_create_issue", create.clone());
        let page = client.success(
            "github_find_issues",
            json!({"owner": "acme", "repo": "gadgets", "detail": "full"}),
        );
        (created, page)
    };
    let (first, second) = (run(), run());
    assert_eq!(first.0, second.0);
    // With a standing clock even the cursors are the same.
    assert_eq!(first.1, second.1);
}
