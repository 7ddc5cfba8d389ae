//! The behaviour of the domain, one file a subject, through its public operations.
