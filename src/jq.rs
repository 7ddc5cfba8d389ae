//! jq programs, as assertion files and fault rules hold them.
//!
//! Owns compiling and running with `jaq`. Refuses to own what a result means. Invariant: a program
//! is a pure and bounded function of its input: no clock, no environment, no input of its own, no
//! recursion, a limit on steps and on outputs, so that neither a careless program nor a hostile value
//! can hold a run up.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;

use jaq_core::data::HasLut;
use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::{self, Arena, File, Lexer, Loader};
use jaq_core::native::{bome, run, v};
use jaq_core::{Compiler, Ctx, DataT, Error, Exn, Filter, Lut, Vars, compile, unwrap_valr};
use jaq_json::{Num, Val};
use serde_json::{Map, Value};

/// Most steps of one run: evaluations of a part of the program. A second or two of work, and a
/// hundred times what the largest tool list of the field takes.
const MOST_STEPS: u64 = if cfg!(test) { 200_000 } else { 20_000_000 };
/// Most outputs of one run.
const MOST_OUTPUTS: usize = 10_000;

/// Words that would make a program unbounded.
const UNBOUNDED: &[&str] = &["def", "repeat", "while", "until", "recurse", "combinations"];
/// Native filters and definitions of the standard library that look at or act on the world.
const IMPURE: &[&str] = &[
    "env",
    "now",
    "halt",
    "halt_error",
    "debug",
    "debug_empty",
    "stderr",
    "stderr_empty",
    "input",
    "inputs",
    "localtime",
    "strflocaltime",
];

/// The pure definitions of the standard library.
static PRELUDE: LazyLock<Vec<load::parse::Def<&'static str>>> = LazyLock::new(|| {
    let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    defs.filter(|def| !IMPURE.contains(&def.name)).collect()
});

/// A compiled program.
pub struct Program {
    filter: Filter<Bounded>,
    /// Of each declared variable, whether the program mentions it.
    vars: Vec<bool>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("vars", &self.vars).finish_non_exhaustive()
    }
}

/// Why a program does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// Byte offset into the program.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

/// A value that programs look at: made ready for the first of them, and shared by the rest.
#[derive(Debug)]
pub struct Input<'a> {
    value: &'a Value,
    ready: OnceCell<Val>,
}

impl<'a> Input<'a> {
    /// Nothing is copied yet.
    pub fn of(value: &'a Value) -> Self {
        Input { value, ready: OnceCell::new() }
    }

    fn get(&self) -> Val {
        self.ready.get_or_init(|| to_val(self.value)).clone()
    }
}

impl Program {
    /// Compiles a program that may use global variables (`$` included in their names).
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, by byte offset.
    pub fn compile(code: &str, vars: &[&str]) -> Result<Program, CompileError> {
        refuse_unbounded(code)?;
        let arena = Arena::default();
        let mut needed = HashSet::new();
        let filter = loop {
            match compile_with(&arena, code, vars, &needed)? {
                Ok(filter) => break filter,
                Err(missing) => {
                    let known = needed.len();
                    let is_missing = |name: &&str| missing.iter().any(|(at, _)| at == name);
                    needed.extend(PRELUDE.iter().map(|def| def.name).filter(is_missing));
                    if needed.len() == known {
                        return Err(undefined(code, &missing));
                    }
                }
            }
        };
        Ok(Program { filter, vars: vars.iter().map(|name| code.contains(name)).collect() })
    }

    /// Whether the program may look at the variable of that place in the declaration; of one that
    /// it does not look at, any value will do.
    pub fn uses(&self, var: usize) -> bool {
        self.vars.get(var) == Some(&true)
    }

    /// Runs the program; `vars` in the order in which they were declared.
    ///
    /// # Errors
    ///
    /// What the program raised, or which limit it hit, in words.
    pub fn run(&self, input: &Input<'_>, vars: &[&Value]) -> Result<Vec<Value>, String> {
        assert_eq!(vars.len(), self.vars.len(), "as many values as declared variables");
        let steps = Cell::new(MOST_STEPS);
        let data = Data { lut: &self.filter.lut, steps: &steps };
        let vars = vars.iter().zip(&self.vars);
        let vars = vars.map(|(value, used)| if *used { to_val(value) } else { Val::Null });
        let ctx = Ctx::<Bounded>::new(data, Vars::new(vars));
        let input = input.get();
        let run = || {
            let mut outputs = Vec::new();
            for output in self.filter.id.run((ctx, input)).map(unwrap_valr) {
                if outputs.len() == MOST_OUTPUTS {
                    return Err(format!("more than {MOST_OUTPUTS} outputs"));
                }
                outputs.push(to_value(&output.map_err(|error| error.to_string())?));
            }
            Ok(outputs)
        };
        // Nothing of an interrupted run is used again.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|cause| match cause.is::<Exhausted>() {
            true => Err(format!("more than {MOST_STEPS} steps")),
            false => resume_unwind(cause),
        })
    }
}

/// What unwinds from the depth of a run whose steps are used up: the interpreter has no other way
/// out of a loop that yields nothing. No panic hook hears of it.
struct Exhausted;

/// What a program uses and nothing defines.
type Missing<'a> = Vec<(&'a str, compile::Undefined)>;

/// Compiles against the native filters and those definitions of the standard library whose names
/// are needed. The whole of it would take a hundred times as long as a program of ours.
fn compile_with<'a>(
    arena: &'a Arena,
    code: &'a str,
    vars: &[&'a str],
    needed: &HashSet<&str>,
) -> Result<Result<Filter<Bounded>, Missing<'a>>, CompileError> {
    let defs = PRELUDE.iter().filter(|def| needed.contains(&def.name)).cloned();
    let modules = Loader::new(defs)
        .load(arena, File { code, path: () })
        .map_err(|errors| load_error(code, errors))?;
    let compiler = Compiler::default().with_funs(natives()).with_global_vars(vars.iter().copied());
    Ok(compiler
        .compile(modules)
        .map_err(|errors| errors.into_iter().flat_map(|(_, errors)| errors).collect()))
}

fn natives() -> impl Iterator<Item = jaq_core::native::Fun<Bounded>> {
    jaq_core::funs::<Bounded>()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|(name, ..)| !IMPURE.contains(name) && !["range", "fromjson"].contains(name))
        .chain([
            run::<Bounded>(("range", v(3), bounded_range)),
            run::<Bounded>(("fromjson", v(0), shallow_json)),
        ])
}

/// Runtime data of a program: its table of filters and what is left of its step budget.
#[derive(Clone)]
struct Data<'a> {
    lut: &'a Lut<Bounded>,
    steps: &'a Cell<u64>,
}

/// The kind of data that our programs work on.
struct Bounded;

impl DataT for Bounded {
    type V<'a> = Val;
    type Data<'a> = Data<'a>;
}

impl<'a> HasLut<'a, Bounded> for Data<'a> {
    /// The interpreter asks for its table once for each part of a program that it evaluates.
    fn lut(&self) -> &'a Lut<Bounded> {
        match self.steps.get().checked_sub(1) {
            Some(left) => self.steps.set(left),
            None => resume_unwind(Box::new(Exhausted)),
        }
        self.lut
    }
}

/// `range($from; $to; $by)` that draws on the step budget.
fn bounded_range<'a>(mut cv: jaq_core::Cv<'a, Bounded>) -> jaq_core::ValXs<'a, Val> {
    let by = cv.0.pop_var();
    let to = cv.0.pop_var();
    let mut next = Some(cv.0.pop_var());
    let steps = cv.0.data().steps;
    let zero = Val::from(0_usize);
    Box::new(std::iter::from_fn(move || {
        let now = next.take()?;
        let more = if by > zero {
            now < to
        } else if by < zero {
            now > to
        } else {
            now != to
        };
        if !more {
            return None;
        }
        let Some(left) = steps.get().checked_sub(1) else { resume_unwind(Box::new(Exhausted)) };
        steps.set(left);
        match now.clone() + by.clone() {
            Ok(value) => next = Some(value),
            Err(error) => return Some(Err(Exn::from(error))),
        }
        Some(Ok(now))
    }))
}

/// `fromjson` through a parser with a depth limit: jaq's own recurses as deep as its input.
fn shallow_json<'a>(cv: jaq_core::Cv<'a, Bounded>) -> jaq_core::ValXs<'a, Val> {
    let Value::String(text) = to_value(&cv.1) else {
        return bome(Err(Error::str(format_args!("fromjson needs a string"))));
    };
    bome(
        serde_json::from_str::<Value>(&text)
            .map(|value| to_val(&value))
            .map_err(|error| Error::str(format_args!("fromjson: {error}"))),
    )
}

fn to_val(value: &Value) -> Val {
    let text = |text: &String| Val::utf8_str(text.clone().into_bytes());
    match value {
        Value::Null => Val::Null,
        Value::Bool(bool) => Val::Bool(*bool),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => Val::Num(Num::from_integral(int)),
            (_, Some(int)) => Val::Num(Num::from_integral(int)),
            _ => Val::Num(Num::Float(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(string) => text(string),
        Value::Array(items) => items.iter().map(to_val).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (text(key), to_val(value)));
            Val::Obj(members.collect::<jaq_json::Map>().into())
        }
    }
}

fn to_value(value: &Val) -> Value {
    match value {
        Val::Null => Value::Null,
        Val::Bool(bool) => Value::Bool(*bool),
        Val::Num(Num::Int(int)) => Value::from(*int as i64),
        Val::Num(num) => serde_json::from_str(&num.to_string()).unwrap_or(Value::Null),
        Val::BStr(bytes) | Val::TStr(bytes) => {
            Value::String(String::from_utf8_lossy(bytes).into_owned())
        }
        Val::Arr(items) => items.iter().map(to_value).collect(),
        Val::Obj(members) => Value::Object(
            members
                .iter()
                .map(|(key, value)| {
                    let key = match to_value(key) {
                        Value::String(key) => key,
                        other => other.to_string(),
                    };
                    (key, to_value(value))
                })
                .collect::<Map<_, _>>(),
        ),
    }
}

/// Refuses words that stand for loops without an end that can be seen.
fn refuse_unbounded(code: &str) -> Result<(), CompileError> {
    // What does not lex is reported by the loader, with its place.
    let Ok(tokens) = Lexer::new(code).lex() else { return Ok(()) };
    match first_unbounded(&tokens) {
        None => Ok(()),
        Some(word) => Err(CompileError {
            offset: load::span(code, word).start,
            message: format!("`{word}` is not allowed here: the program must have a visible end"),
        }),
    }
}

fn first_unbounded<'a>(tokens: &[Token<&'a str>]) -> Option<&'a str> {
    let mut after_dot = false;
    for Token(text, kind) in tokens {
        let found = match kind {
            Tok::Word if !after_dot && UNBOUNDED.contains(text) => Some(*text),
            Tok::Block(inner) => first_unbounded(inner),
            Tok::Str(parts) => parts.iter().find_map(|part| match part {
                StrPart::Term(token) => first_unbounded(std::slice::from_ref(token)),
                _ => None,
            }),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        after_dot = *text == ".";
    }
    None
}

fn load_error(code: &str, errors: load::Errors<&str, ()>) -> CompileError {
    let found = errors.into_iter().find_map(|(_, error)| match error {
        load::Error::Io(errors) => errors.into_iter().next(),
        load::Error::Lex(errors) => errors
            .into_iter()
            .next()
            .map(|(expected, at)| (at, format!("expected {} here", expected.as_str()))),
        load::Error::Parse(errors) => errors
            .into_iter()
            .next()
            .map(|(expected, at)| (at, format!("expected {} here", expected.as_str()))),
    });
    located(code, found)
}

fn undefined(code: &str, missing: &Missing<'_>) -> CompileError {
    let found =
        missing.first().map(|(at, kind)| (*at, format!("undefined {} `{at}`", kind.as_str())));
    located(code, found)
}

fn located(code: &str, found: Option<(&str, String)>) -> CompileError {
    let (at, message) = found.unwrap_or((code, "not a jq program".to_owned()));
    let inside = code.as_bytes().as_ptr_range().contains(&at.as_ptr()) || at.is_empty();
    let offset = if inside { load::span(code, at).start.min(code.len()) } else { 0 };
    CompileError { offset, message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run_on(code: &str, input: &Value) -> Result<Vec<Value>, String> {
        Program::compile(code, &["$name"]).unwrap().run(&Input::of(input), &[&json!("x")])
    }

    #[test]
    fn programs_see_their_input_and_their_variables() {
        let input = json!({ "b": [1, 2.5, "é"], "a": null });
        assert_eq!(
            run_on(".b[], $name", &input).unwrap(),
            [json!(1), json!(2.5), json!("é"), json!("x")]
        );
        // The order of keys survives.
        assert_eq!(run_on(".", &input).unwrap()[0].to_string(), input.to_string());
    }

    #[test]
    fn updates_work_as_mutants_need_them() {
        let input = json!({ "tools": [{ "name": "a", "out": 1 }, { "name": "b", "out": 1 }] });
        let changed = run_on(r#"(.tools[] | select(.name == "b")) |= del(.out)"#, &input).unwrap();
        assert_eq!(changed, [json!({ "tools": [{ "name": "a", "out": 1 }, { "name": "b" }] })]);
    }

    #[test]
    fn what_has_no_visible_end_or_is_impure_does_not_compile() {
        for code in ["def f: f; f", "repeat(.)", "last(range(0; 1; 0) | until(false; .))"] {
            let error = Program::compile(code, &[]).unwrap_err();
            assert!(error.message.contains("visible end"), "{code}: {error}");
        }
        for code in ["now", "env", "input", "halt", "debug"] {
            let error = Program::compile(code, &[]).unwrap_err();
            assert!(error.message.contains("undefined filter"), "{code}: {error}");
        }
        // As a key the word is harmless.
        assert_eq!(run_on(".while", &json!({ "while": 1 })).unwrap(), [json!(1)]);
    }

    #[test]
    fn every_pure_definition_of_the_standard_library_compiles() {
        for def in PRELUDE.iter().filter(|def| !UNBOUNDED.contains(&def.name)) {
            let arguments = vec!["."; def.args.len()].join("; ");
            let code = match def.args.len() {
                0 => def.name.to_owned(),
                _ => format!("{}({arguments})", def.name),
            };
            if !def.name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                Program::compile(&code, &[]).unwrap_or_else(|error| panic!("{code}: {error}"));
            }
        }
    }

    #[test]
    fn loops_and_outputs_are_bounded() {
        let many = json!((0..2000).collect::<Vec<_>>());
        for (code, input) in [
            ("[range(1e18)] | length", &Value::Null),
            ("[.[] as $x | .[] as $y | .[] as $z | select($x + $y == $z)] | length", &many),
            ("reduce range(1e9) as $i (0; . + 1)", &Value::Null),
            ("[limit(1; range(1e12) | select(. < 0))]", &Value::Null),
        ] {
            let error = run_on(code, input).unwrap_err();
            assert!(error.contains("steps"), "{code}: {error}");
        }
        let error = run_on("range(20000)", &Value::Null).unwrap_err();
        assert!(error.contains("outputs"), "{error}");
        assert_eq!(run_on("[range(3)]", &Value::Null).unwrap(), [json!([0, 1, 2])]);
        let error = run_on("fromjson", &json!("[".repeat(1_000_000))).unwrap_err();
        assert!(error.contains("recursion limit"), "{error}");
    }

    #[test]
    fn errors_point_into_the_program() {
        let error = Program::compile(".a | frobnicate(1)", &[]).unwrap_err();
        assert_eq!(error.offset, 5, "{error}");
        let error = Program::compile(".a | )", &[]).unwrap_err();
        assert_eq!(error.offset, 5, "{error}");
        let error = Program::compile(".a | if . then", &[]).unwrap_err();
        assert!(error.offset >= 5, "{error}");
        let error = Program::compile(".a | $unknown", &[]).unwrap_err();
        assert_eq!((error.offset, error.message.as_str()), (5, "undefined variable `$unknown`"));
    }

    #[test]
    fn programs_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Program>();
    }

    #[test]
    fn errors_that_a_program_raises_are_told() {
        let error = run_on(".a.b", &json!({ "a": 1 })).unwrap_err();
        assert!(!error.is_empty());
    }
}
