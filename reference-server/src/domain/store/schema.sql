CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    behaviour TEXT NOT NULL,
    UNIQUE (owner, name)
);

CREATE TABLE label (
    repository_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (repository_id, name)
) WITHOUT ROWID;

CREATE TABLE collaborator (
    repository_id INTEGER NOT NULL,
    login TEXT NOT NULL,
    PRIMARY KEY (repository_id, login)
) WITHOUT ROWID;

-- labels and assignees are sorted JSON arrays; instants are Unix seconds.
CREATE TABLE issue (
    id INTEGER PRIMARY KEY,
    repository_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    is_pull_request INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    state_reason TEXT,
    locked INTEGER NOT NULL,
    lock_reason TEXT,
    locked_at INTEGER,
    author TEXT NOT NULL,
    labels TEXT NOT NULL,
    assignees TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (repository_id, number)
);

CREATE TABLE comment (
    id INTEGER PRIMARY KEY,
    issue_id INTEGER NOT NULL,
    author TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE INDEX comment_by_issue ON comment (issue_id, id);

CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;

-- One document an issue: its title, its body and all its comments; rowid is issue.id.
CREATE VIRTUAL TABLE search USING fts5 (
    text,
    content = '',
    contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
