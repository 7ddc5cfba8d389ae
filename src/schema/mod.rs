//! JSON Schema as data: walking, compiling, validating, building minimal instances and breaking one constraint at a time.
//!
//! Owns everything that is true of a schema without a server. Refuses to own the wire. Invariant: no reference outside the document is ever fetched.
