//! Reports: one renderer a format, each from the scorecard alone.
