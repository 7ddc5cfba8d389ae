//! Tests of loading and judging, over files and contracts written out here.

mod loading;
