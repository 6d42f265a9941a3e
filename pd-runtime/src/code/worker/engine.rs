//! The JavaScript engine, and the loop that runs a program: jobs until none is left, then one
//! message of the server.

use super::{
    super::message::{FromWorker, ProgramError, REQUEST_BYTES_MAX, Start, ToWorker, WorkerRequest},
    receive, send,
};
use crate::text::truncate::truncate_bytes;
use cpu_time::ProcessTime;
use regex_lite::Regex;
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Function, Object, Runtime,
    context::{EvalOptions, intrinsic},
};
use serde_json::value::RawValue;
use std::{cell::RefCell, rc::Rc, sync::LazyLock, time::Duration};

/// The intrinsic objects of a program. Objects that read a clock, or reveal when memory is freed,
/// are left out.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// The most bytes of the engine's stack. The main thread has 8 MiB on the usual systems.
const STACK_BYTES: usize = 512 << 10;
const PRELUDE: &str = include_str!("prelude.js");
/// The name of the program in the positions of errors; `prelude.js` looks for it.
const FILE_NAME: &str = "program.js";

/// The end of a program, once it has come.
type EndSlot = Rc<RefCell<Option<FromWorker>>>;

/// Runs a program to its end.
pub(super) fn run(start: Start) -> FromWorker {
    let clock = CpuClock::new(Duration::from_millis(start.cpu_ms));
    let context = Runtime::new().and_then(|runtime| {
        runtime.set_memory_limit(start.memory_bytes);
        runtime.set_max_stack_size(STACK_BYTES);
        runtime.set_interrupt_handler(Some(Box::new(move || clock.is_over())));
        Context::custom::<Intrinsics>(&runtime)
    });
    match context {
        Ok(context) => {
            context.with(|ctx| Run::new(&ctx, clock, &start).map(|run| run.to_end(&start)))
        }
        Err(error) => Err(ProgramError::new("Engine", error.to_string())),
    }
    .unwrap_or_else(|error| FromWorker::Failed {
        error,
        logs: String::new(),
    })
}

/// The processor time of this process. Waiting does not count, be it for the server's answers or
/// for a processor.
#[derive(Debug, Clone, Copy)]
struct CpuClock {
    begun: ProcessTime,
    limit: Duration,
}

impl CpuClock {
    fn new(limit: Duration) -> Self {
        Self {
            begun: ProcessTime::now(),
            limit,
        }
    }

    fn is_over(&self) -> bool {
        // A time before the beginning cannot be, and would not be a reason to end.
        self.begun
            .try_elapsed()
            .is_ok_and(|elapsed| elapsed >= self.limit)
    }

    fn error(&self) -> ProgramError {
        let text = format!(
            "the program ran for {:?}, as long as it may; let it do less",
            self.limit
        );
        ProgramError::new("CpuLimit", text)
    }
}

/// A program in its context.
struct Run<'js> {
    ctx: Ctx<'js>,
    /// The functions that `prelude.js` returns.
    host: Object<'js>,
    end: EndSlot,
    clock: CpuClock,
    thrown_bytes: usize,
}

impl<'js> Run<'js> {
    /// Makes the globals of a program.
    fn new(ctx: &Ctx<'js>, clock: CpuClock, start: &Start) -> Result<Self, ProgramError> {
        let end = EndSlot::default();
        let host = prelude(ctx, start, &end).catch(ctx).map_err(|error| {
            ProgramError::new(
                "Engine",
                format!("the program's globals could not be made: {error}"),
            )
        })?;
        Ok(Self {
            ctx: ctx.clone(),
            host,
            end,
            clock,
            thrown_bytes: start.thrown_bytes,
        })
    }

    /// Runs the program until it ends, or can no longer.
    fn to_end(&self, start: &Start) -> FromWorker {
        match self.begin(start) {
            Err(error) => return self.failed(error),
            Ok(()) if start.compiles_only => {
                return FromWorker::Done {
                    answer: None,
                    logs: String::new(),
                };
            }
            Ok(()) => {}
        }
        loop {
            // Between jobs, too: a chain of short jobs may never end.
            while self.end.borrow().is_none()
                && !self.clock.is_over()
                && self.ctx.execute_pending_job()
            {}
            if let Some(end) = self.end.take() {
                return self.bounded(end);
            }
            if self.clock.is_over() {
                return self.failed(self.clock.error());
            }
            // Nothing is left to run, so only an answer of the server can go on with the program.
            if self.count_pending() == 0 {
                let text = "the program awaits a promise that nothing settles, or its memory is used up: await calls \
                            of tools only, and hold less at once";
                return self.failed(ProgramError::new("NeverSettles", text));
            }
            match receive() {
                Ok(Some(ToWorker::Value { id, value })) => self.settle(id, true, value.get()),
                Ok(Some(ToWorker::Failure { id, failure })) => {
                    self.settle(
                        id,
                        false,
                        &serde_json::to_string(&failure).unwrap_or_default(),
                    );
                }
                _ => {
                    return self.failed(ProgramError::new("Cancelled", "the server ended the run"));
                }
            }
        }
    }

    /// Evaluates the program's text, which starts it.
    fn begin(&self, start: &Start) -> Result<(), ProgramError> {
        let code = &start.code;
        let mut options = EvalOptions::default();
        options.filename = Some(FILE_NAME.to_owned());
        // On one line with the program's first, so that its lines keep their numbers. The last line
        // ends before the bracket, because it may be a comment.
        let source = format!("(async () => {{{code}\n}})");
        let started = self
            .ctx
            .eval_with_options::<Function<'js>, _>(source, options)
            .and_then(|program| match start.compiles_only {
                true => Ok(()),
                false => self
                    .host
                    .get::<_, Function<'js>>("run")?
                    .call::<_, ()>((program,)),
            });
        started.catch(&self.ctx).map_err(|error| match error {
            // The program runs up to its first `await` here, so its time may be over already.
            _ if self.clock.is_over() => self.clock.error(),
            CaughtError::Exception(exception) => ProgramError {
                line: exception.stack().as_deref().and_then(line_of),
                ..ProgramError::new(
                    "SyntaxError",
                    syntax_error(&exception.message().unwrap_or_default(), code),
                )
            },
            other => ProgramError::new("SyntaxError", other.to_string()),
        })
    }

    fn settle(&self, id: u32, is_value: bool, answer: &str) {
        let settled = self
            .host
            .get::<_, Function<'js>>("settle")
            .and_then(|settle| settle.call::<_, ()>((id, is_value, answer)));
        // An error means that the memory is used up or the time is over; the loop finds out which.
        if settled.is_err() {
            let _ = self.ctx.catch();
        }
    }

    fn count_pending(&self) -> usize {
        self.host
            .get::<_, Function<'js>>("pending")
            .and_then(|pending| pending.call(()))
            .unwrap_or_default()
    }

    fn failed(&self, error: ProgramError) -> FromWorker {
        // An exception that is pending would fail the call below.
        let _ = self.ctx.catch();
        let logs = self
            .host
            .get::<_, Function<'js>>("logs")
            .and_then(|logs| logs.call(()))
            .unwrap_or_default();
        self.bounded(FromWorker::Failed { error, logs })
    }

    fn bounded(&self, end: FromWorker) -> FromWorker {
        match end {
            FromWorker::Failed { mut error, logs } => {
                // A program chooses all of them, and the server reads no line beyond its bound.
                for text in [
                    Some(&mut error.message),
                    Some(&mut error.name),
                    error.code.as_mut(),
                    error.tool.as_mut(),
                ] {
                    text.into_iter()
                        .for_each(|text| truncate_bytes(text, self.thrown_bytes));
                }
                FromWorker::Failed { error, logs }
            }
            end => end,
        }
    }
}

/// Evaluates `prelude.js`, which removes globals and makes others. Returns its functions.
fn prelude<'js>(ctx: &Ctx<'js>, start: &Start, end: &EndSlot) -> rquickjs::Result<Object<'js>> {
    let post = Function::new(
        ctx.clone(),
        |id: u32, operation: String, path: String, value: String| {
            post(id, &operation, &path, value).err()
        },
    )?;
    let end = end.clone();
    let answer_bytes = start.answer_bytes;
    let finish = Function::new(
        ctx.clone(),
        move |is_done: bool, text: String, logs: String| {
            // A program that ends twice has ended the first time.
            end.borrow_mut().get_or_insert_with(|| match is_done {
                true => done(text, logs, answer_bytes),
                false => {
                    let error = serde_json::from_str(&text)
                        .unwrap_or_else(|_| ProgramError::new("Error", ""));
                    FromWorker::Failed { error, logs }
                }
            });
        },
    )?;
    let make: Function<'js> = ctx.eval(PRELUDE)?;
    let arguments = start.arguments.as_ref().map(|arguments| arguments.get());
    make.call((post, finish, start.now, start.log_bytes, arguments))
}

/// Sends a request.
///
/// # Errors
///
/// Returns the reason why the program cannot make it.
fn post(id: u32, operation: &str, path: &str, value: String) -> Result<(), String> {
    if value.len() > REQUEST_BYTES_MAX {
        return Err(format!(
            "the arguments have {} bytes, over the limit of {REQUEST_BYTES_MAX}",
            value.len()
        ));
    }
    let request = WorkerRequest {
        id,
        operation: serde_json::from_value(operation.into()).map_err(unreadable)?,
        path: serde_json::from_str(path).map_err(unreadable)?,
        value: RawValue::from_string(value).map_err(unreadable)?,
    };
    send(&FromWorker::Request(request)).map_err(|error| error.to_string())
}

fn unreadable(error: serde_json::Error) -> String {
    format!("a name or an argument is no text in UTF-8: {error}")
}

fn done(answer: String, logs: String, answer_bytes: usize) -> FromWorker {
    // Refused here, with advice. The server takes a line beyond its bound for the end of the
    // worker.
    if answer.len() > answer_bytes {
        let text = format!(
            "the answer has {} bytes, and the server reads {answer_bytes}; return less, such as a count or the first rows",
            answer.len()
        );
        return FromWorker::Failed {
            error: ProgramError::new("AnswerTooLarge", text),
            logs,
        };
    }
    // `prelude.js` sends an empty text for `undefined`, which has no JSON.
    let answer = (!answer.is_empty())
        .then(|| RawValue::from_string(answer))
        .transpose();
    match answer {
        Ok(answer) => FromWorker::Done { answer, logs },
        Err(error) => FromWorker::Failed {
            error: ProgramError::new("Error", error.to_string()),
            logs,
        },
    }
}

/// Adds what models get wrong most to the engine's message.
fn syntax_error(message: &str, code: &str) -> String {
    // `name: Type`, `as Type`, `interface Name {`. A wrong guess costs a sentence.
    static ANNOTATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:\b(?:let|const|var)\s+\w+\s*:\s*\w)|(?:[(,]\s*\w+\??\s*:\s*(?:string|number|boolean|any|unknown)\b)|",
            r"(?:\bas\s+(?:const|any|unknown|string|number|\w+\[\])\b)|(?:\b(?:interface|type)\s+\w+\s*[={<])|(?:\)\s*:\s*\w+[^{};]*(?:\{|=>))",
        ))
        .ok()
    });
    if code
        .lines()
        .any(|line| line.trim_start().starts_with("import "))
    {
        return format!("{message}. A program imports nothing: `tools` is there already");
    }
    match ANNOTATION
        .as_ref()
        .is_some_and(|annotation| annotation.is_match(code))
    {
        true => {
            format!(
                "{message}. The program is JavaScript: leave out type annotations, such as `: string` and `as any`"
            )
        }
        false => message.to_owned(),
    }
}

/// Returns the line of the program that a stack trace names first.
fn line_of(stack: &str) -> Option<u32> {
    let (_, rest) = stack.split_once("program.js:")?;
    rest.split(|end: char| !end.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}
