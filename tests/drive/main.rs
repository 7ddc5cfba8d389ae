//! The driver against targets inside the test: what is sent, what never is, and that every run ends.

mod fake;
mod flows;
mod hang;
mod policy;
mod support;
