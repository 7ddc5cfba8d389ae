//! Exit codes and their precedence.

use std::process::ExitCode;

use super::signals::Signal;

/// A class of outcome. Order of declaration is order of precedence, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The gate held.
    Held,
    /// Nothing was judged.
    NothingJudged,
    /// The gate failed.
    Failed,
    /// The target could not be driven.
    NotDriven,
    /// Usage or a bad file.
    Usage,
    /// A signal ended the run.
    Interrupted(Signal),
    /// A bug in hallmark.
    Bug,
}

impl Class {
    /// The process exit code.
    pub fn code(self) -> u8 {
        match self {
            Class::Held => 0,
            Class::Failed => 1,
            Class::Usage => 2,
            Class::NotDriven => 3,
            Class::NothingJudged => 4,
            Class::Interrupted(signal) => signal.code(),
            Class::Bug => 70,
        }
    }

    /// What the class means, in words.
    pub fn words(self) -> &'static str {
        match self {
            Class::Held => "gate held",
            Class::Failed => "gate failed",
            Class::Usage => "usage or bad file",
            Class::NotDriven => "target could not be driven",
            Class::NothingJudged => "nothing was judged",
            Class::Interrupted(_) => "interrupted",
            Class::Bug => "a bug in hallmark",
        }
    }
}

impl From<Class> for ExitCode {
    fn from(class: Class) -> ExitCode {
        ExitCode::from(class.code())
    }
}

/// The strongest class of several, `Held` for none.
pub fn strongest(classes: &[Class]) -> Class {
    classes.iter().copied().max().unwrap_or(Class::Held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_70_2_3_1_4_0() {
        let mut classes =
            [Class::Held, Class::NothingJudged, Class::Failed, Class::NotDriven, Class::Usage];
        classes.reverse();
        assert_eq!(strongest(&classes).code(), 2);
        assert_eq!(strongest(&[Class::Held, Class::NothingJudged]).code(), 4);
        assert_eq!(strongest(&[Class::Failed, Class::NothingJudged]).code(), 1);
        assert_eq!(strongest(&[Class::Failed, Class::NotDriven]).code(), 3);
        assert_eq!(strongest(&[Class::Usage, Class::Bug]).code(), 70);
        let interrupted = Class::Interrupted(Signal::Terminate);
        assert_eq!(strongest(&[Class::Usage, interrupted]).code(), 143);
        assert_eq!(strongest(&[]).code(), 0);
    }
}
