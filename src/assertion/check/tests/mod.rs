//! The checks of A1 to A10 over small captures: each has a passing, a failing and a guarded case.

mod a1_to_a3;
mod a3_probes;
mod a4;
mod a4_repair;
mod a5_a10;
mod a6;
mod a7;
mod a8;
mod a9;
mod sample;
