//! What the notes server publishes.

use serde_json::{Value, json};

/// Notes on one page.
pub const PAGE: usize = 10;

fn closed(required: &[&str], properties: &Value) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn errors(codes: &[&str]) -> Value {
    json!({ "example.notes/errors": codes.iter().map(|code| json!({"code": code})).collect::<Vec<_>>() })
}

/// The list of tools.
pub fn tools() -> Value {
    let row = json!({
        "type": "object",
        "required": ["note_id", "title"],
        "properties": {
            "note_id": { "type": "integer", "description": "Number of the note." },
            "title": { "type": "string", "description": "Title of the note." },
        },
        "additionalProperties": false,
    });
    json!([
        {
            "name": "notes_find_notes",
            "title": "Find notes",
            "description": "Find notes by a word of their title, in pages.\n\nWhen to use: the number of the note is not known.\nA page holds at most 10 notes; continue with cursor (has_more and next_cursor are a convention of this server). Errors carry structuredContent with code, details and repair.\n\nExample: {\"word\": \"milk\"}",
            "inputSchema": closed(&[], &json!({
                "word": { "type": "string", "minLength": 1, "maxLength": 40, "description": "A word of the title. Omitted means every note." },
                "cursor": { "type": "string", "pattern": "^page-[0-9]+$", "description": "Token of the next page, from next_cursor. It does not expire. Omitted means the first page." },
            })),
            "outputSchema": closed(&["notes", "has_more"], &json!({
                "notes": { "type": "array", "items": row, "description": "The notes of this page." },
                "has_more": { "type": "boolean", "description": "Whether another page follows." },
                "next_cursor": { "type": "string", "description": "Token of the next page; absent on the last one." },
            })),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
            "_meta": errors(&["invalid_field"]),
        },
        {
            "name": "notes_get_note",
            "title": "Read a note",
            "description": "Read one note whole.\n\nWhen to use: the number of the note is known from notes_find_notes or from the user.\nErrors carry structuredContent with code, details and repair.\n\nExample: {\"note_id\": 3}",
            "inputSchema": closed(&["note_id"], &json!({
                "note_id": { "type": "integer", "minimum": 1, "description": "Number of the note, from notes_find_notes." },
            })),
            "outputSchema": closed(&["note_id", "title", "text"], &json!({
                "note_id": { "type": "integer", "description": "Number of the note." },
                "title": { "type": "string", "description": "Title of the note." },
                "text": { "type": "string", "description": "Text of the note." },
            })),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
            "_meta": errors(&["invalid_field", "note_not_found"]),
        },
        {
            "name": "notes_create_note",
            "title": "Create a note",
            "description": "Create a note.\n\nWhen to use: the user wants to keep something. Each call adds one; look with notes_find_notes before trying again.\nErrors carry structuredContent with code, details and repair.\n\nExample: {\"title\": \"Milk\", \"text\": \"Two bottles.\"}",
            "inputSchema": closed(&["title", "text"], &json!({
                "title": { "type": "string", "minLength": 1, "maxLength": 40, "description": "Title of the note." },
                "text": { "type": "string", "maxLength": 400, "description": "Text of the note." },
                "idempotency_key": { "type": "string", "minLength": 1, "maxLength": 40, "description": "Key of the caller's choice. The same key within 24 hours, scoped per server, returns the first note. Omitted means that each call adds a note." },
            })),
            "outputSchema": closed(&["note_id"], &json!({
                "note_id": { "type": "integer", "description": "Number of the new note." },
            })),
            "annotations": { "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false },
            "_meta": errors(&["invalid_field"]),
        },
        {
            "name": "notes_get_capabilities",
            "title": "Read the capability summary",
            "description": "Say what this server does and does not do, with its error codes.\n\nWhen to use: at first contact.",
            "inputSchema": closed(&[], &json!({})),
            "outputSchema": closed(&["summary", "does", "does_not", "prerequisites", "spec_revision", "errors", "readonly_hint_reading"], &json!({
                "summary": { "type": "string", "description": "What the server is." },
                "does": { "type": "array", "items": { "type": "string" }, "description": "What it does." },
                "does_not": { "type": "array", "items": { "type": "string" }, "description": "What it does not do." },
                "prerequisites": { "type": "array", "items": { "type": "string" }, "description": "What it needs." },
                "spec_revision": { "type": "string", "description": "The protocol revision that it is written for." },
                "readonly_hint_reading": { "type": "string", "description": "How readOnlyHint is to be read here." },
                "errors": closed(&["carrier", "codes"], &json!({
                    "carrier": { "type": "string", "description": "Where errors are found." },
                    "codes": { "type": "array", "items": { "type": "string" }, "description": "Every code." },
                })),
            })),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        },
    ])
}

/// The capability summary.
pub fn summary() -> Value {
    json!({
        "summary": "Short notes of one user, in memory.",
        "does": ["notes_find_notes finds notes", "notes_get_note reads one", "notes_create_note adds one", "notes_get_capabilities tells this"],
        "does_not": ["It does not change or delete notes.", "It does not share notes with anybody."],
        "prerequisites": ["No credential is needed."],
        "spec_revision": "2025-11-25",
        "readonly_hint_reading": "readOnlyHint is literal: such a tool changes no observable state.",
        "errors": { "carrier": "Errors are results with isError and structuredContent; JSON-RPC errors are for the protocol alone.", "codes": ["invalid_field", "note_not_found"] },
    })
}

/// The instructions of the handshake.
pub const INSTRUCTIONS: &str = "Keeps short notes of one user. Does not change or delete notes, and does not share them. \
The capability summary is served by the tool notes_get_capabilities.";
