//! Verdicts, findings, the tally and the scorecard.
//!
//! Owns what a judgement is made of and how a score is counted. Refuses to own how a judgement is
//! reached. Invariant: tallies are computed in one place, from verdicts alone.

mod finding;
mod scorecard;
mod tally;
mod verdict;

pub use finding::{Finding, KeptFinding, Severity};
pub use scorecard::{
    AssertionScore, CheckScore, CodeCoverage, Cost, Coverage, RuleCoverage, SCORECARD_FORMAT,
    ScenarioRef, Scorecard, ScorecardVersion, ServerRef, SetRef, SetScore, TargetRef, ToolCoverage,
    ToolInfo,
};
pub use tally::Tally;
pub use verdict::Verdict;
