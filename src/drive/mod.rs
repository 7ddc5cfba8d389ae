//! Driving: sessions, flows, the forced-error generator and the safety policy (DESIGN sections 2 and 8).
