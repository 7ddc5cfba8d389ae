//! Tests of loading and judging, over files and contracts written out here.

mod capture;
mod judging;
mod loading;
mod remembering;
