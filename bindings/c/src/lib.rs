//! The C library `ashta`; `bindings/c/include/ashta.h` documents it. The web page uses this library
//! as WebAssembly.
//!
//! All calls go through the engine protocol of `ashta-agents`; this crate only converts texts and
//! pointers. If a function fails, it returns `NULL` or a negative number and keeps a message for
//! its thread. No panic leaves the library.

#![allow(unsafe_code, reason = "pointers of C")]

#[cfg(not(target_arch = "wasm32"))]
pub mod game;

use std::{
    cell::RefCell,
    error::Error,
    ffi::{CStr, CString, c_char, c_int},
    iter::successors,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    ptr::null_mut,
    slice,
    sync::{Mutex, PoisonError},
};

use ashta_agents::{
    play::{
        processor::{UNSUPPORTED, is_supported},
        throws::random_seed,
    },
    protocol::Engine,
    roster::{BotSource, NamedAgent, folders::Folders},
};
use serde_json::{Value, json};

/// An agent, or the rules alone.
#[derive(Debug)]
pub struct Agent(Mutex<Engine>);

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Converts a text for C. The result ends at the first zero byte; texts of this library contain no
/// zero byte.
fn text_of(text: impl Into<Vec<u8>>) -> CString {
    CString::new(text).unwrap_or_else(|error| {
        let end = error.nul_position();
        CString::new(&error.into_vec()[..end]).unwrap_or_default()
    })
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Returns the result of `call`. After an error or a panic, returns `failed` and keeps a message
/// for [`ashta_last_error`].
fn or_error<T>(failed: T, call: impl FnOnce() -> Result<T>) -> T {
    if !is_supported() {
        return failed;
    }
    let message = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => with_causes(&*error),
        Err(_) => "internal error: please report it with the arguments of this call".to_owned(),
    };
    LAST_ERROR.with(|last| *last.borrow_mut() = text_of(message));
    failed
}

/// An error with its causes.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    successors(Some(error), |&error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// Reads the text at `text`.
///
/// # Safety
/// `text` is `NULL` or points to a text that ends with a zero byte and does not change during its
/// use.
unsafe fn read<'a>(text: *const c_char, what: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(format!("{what} is NULL").into());
    }
    // SAFETY: it is not NULL, so by contract it ends with a zero byte.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|error| format!("{what} is not UTF-8: {error}").into())
}

/// Reads the position at `text`, which ends at the first tab or line break: lines of answers begin
/// with a position.
///
/// # Safety
/// As [`read`].
unsafe fn read_position<'a>(text: *const c_char) -> Result<&'a str> {
    // SAFETY: guaranteed by the contract of this function.
    let text = unsafe { read(text, "the position") }?;
    Ok(text.split(['\t', '\n']).next().unwrap_or_default())
}

/// Calls `use_engine` with the engine of the agent, or with the rules alone if `agent` is `NULL`.
///
/// # Safety
/// `agent` is `NULL` or was returned by this library and not freed.
unsafe fn ask<T>(agent: *const Agent, use_engine: impl FnOnce(&mut Engine) -> T) -> T {
    // SAFETY: by contract it is `NULL` or points to an agent.
    match unsafe { agent.as_ref() } {
        Some(Agent(engine)) => {
            use_engine(&mut engine.lock().unwrap_or_else(PoisonError::into_inner))
        }
        None => use_engine(&mut Engine::new(None, random_seed())),
    }
}

/// Answers a request; errors of the protocol become `Err`.
///
/// # Safety
/// As [`ask`].
unsafe fn ask_or_error(agent: *const Agent, request: &Value) -> Result<Value> {
    // SAFETY: guaranteed by the contract of this function.
    let answer = unsafe {
        ask(agent, |engine| {
            engine.answer(request.to_string().as_bytes())
        })
    };
    match answer["error"]["message"].as_str() {
        Some(message) => Err(message.into()),
        None => Ok(answer),
    }
}

/// Asks for an operation in a position, with further fields of the request.
///
/// # Safety
/// As [`ask`].
unsafe fn ask_at(
    agent: *const Agent,
    op: &str,
    position: &str,
    mut request: Value,
) -> Result<Value> {
    request["op"] = op.into();
    request["position"] = position.into();
    // SAFETY: guaranteed by the contract of this function.
    unsafe { ask_or_error(agent, &request) }
}

fn boxed(agent: NamedAgent) -> *mut Agent {
    Box::into_raw(Box::new(Agent(Mutex::new(Engine::new(
        Some(agent),
        random_seed(),
    )))))
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn ashta_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The message of the last failed call on this thread; empty before the first failure. Valid until
/// the next failure.
#[unsafe(no_mangle)]
pub extern "C" fn ashta_last_error() -> *const c_char {
    if is_supported() {
        LAST_ERROR.with(|last| last.borrow().as_ptr())
    } else {
        UNSUPPORTED.as_ptr()
    }
}

/// Returns the agent with this name: a baseline, a bot file (a look-ahead can follow), or a table
/// file, as on the command line. The level `perfect` of a bot finds its table in the folder of the
/// bot. `NULL` on failure.
///
/// # Safety
/// `name` is `NULL` or a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_agent_named(name: *const c_char) -> *mut Agent {
    or_error(null_mut(), || {
        // SAFETY: guaranteed by the contract of this function.
        let agent: NamedAgent = unsafe { read(name, "the name") }?.parse()?;
        let folder = match &agent {
            NamedAgent::Bot {
                source: BotSource::File(path),
                ..
            } => path.parent(),
            _ => None,
        };
        let folder = folder.map(|folder| {
            if folder == Path::new("") {
                Path::new(".")
            } else {
                folder
            }
            .to_owned()
        });
        Ok(boxed(
            agent.with_tables_in(&Folders::from(Vec::from_iter(folder))),
        ))
    })
}

/// Returns the agent from the content of a bot file or table file. `lookahead` is the part that
/// would follow the `+` in the name of a bot. `NULL` on failure.
///
/// # Safety
/// `content` points to `length` bytes, or is `NULL`; `lookahead` is `NULL` or a text that ends with
/// a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_agent_read(
    content: *const u8,
    length: usize,
    lookahead: *const c_char,
) -> *mut Agent {
    or_error(null_mut(), || {
        if content.is_null() {
            return Err("the content is NULL".into());
        }
        let lookahead = if lookahead.is_null() {
            ""
        } else {
            // SAFETY: guaranteed by the contract of this function.
            unsafe { read(lookahead, "the look-ahead") }?
        };
        // SAFETY: by contract, `content` points to `length` bytes, which do not change during this
        // call.
        let content = unsafe { slice::from_raw_parts(content, length) };
        Ok(boxed(NamedAgent::of_file("bot", content, lookahead)?))
    })
}

/// Frees an agent; does nothing for `NULL`.
///
/// # Safety
/// `agent` is `NULL`, or was returned by this library, is not freed, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_agent_free(agent: *mut Agent) {
    if !agent.is_null() {
        // SAFETY: `Box::into_raw` returned it, and by contract it is freed only once.
        drop(unsafe { Box::from_raw(agent) });
    }
}

/// Returns the action that the agent chooses in a position, or -1. Equal positions and seeds give
/// equal actions.
///
/// # Safety
/// `agent` is `NULL` or was returned by this library and not freed; `position` is `NULL` or a text
/// that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_choose(
    agent: *const Agent,
    position: *const c_char,
    seed: u64,
) -> c_int {
    or_error(-1, || {
        // SAFETY: guaranteed by the contract of this function.
        let answer = unsafe {
            ask_at(
                agent,
                "bestmove",
                read_position(position)?,
                json!({"seed": seed}),
            )
        }?;
        let action = answer["action"]
            .as_i64()
            .and_then(|action| c_int::try_from(action).ok());
        action.ok_or_else(|| "the answer has no action".into())
    })
}

/// Writes the agent's value for each seat, 0 to 1, in the order of the position. Returns the number
/// of seats, or -1.
///
/// # Safety
/// As [`ashta_choose`]; `values` is `NULL` or has room for four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_evaluate(
    agent: *const Agent,
    position: *const c_char,
    values: *mut f32,
) -> c_int {
    or_error(-1, || {
        if values.is_null() {
            return Err("the array for the values is NULL".into());
        }
        // SAFETY: guaranteed by the contract of this function.
        let answer = unsafe { ask_at(agent, "evaluate", read_position(position)?, json!({})) }?;
        let found: Vec<f32> = serde_json::from_value(answer["values"].clone())?;
        // SAFETY: by contract, there is room for four values, and a game has at most four seats.
        let values = unsafe { slice::from_raw_parts_mut(values, found.len().min(4)) };
        values.copy_from_slice(&found[..values.len()]);
        Ok(values.len() as c_int)
    })
}

/// Returns the answer of the engine protocol to a request; free it with [`ashta_text_free`].
/// Returns `NULL` only if `request` is not a text, or after an internal error.
///
/// # Safety
/// As [`ashta_choose`], for `request`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_answer(agent: *const Agent, request: *const c_char) -> *mut c_char {
    or_error(null_mut(), || {
        // SAFETY: guaranteed by the contract of this function.
        let request = unsafe { read(request, "the request") }?;
        // SAFETY: guaranteed by the contract of this function.
        let answer = unsafe { ask(agent, |engine| engine.answer_text(request.as_bytes())) };
        Ok(text_of(answer).into_raw())
    })
}

/// Frees a text; does nothing for `NULL`.
///
/// # Safety
/// `text` is `NULL` or was returned by this library as a text to free, and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `CString::into_raw` returned it, and by contract it is freed only once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Allocates `length` bytes for data from the browser; free them with [`ashta_room_free`].
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn ashta_room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Frees memory of [`ashta_room`].
///
/// # Safety
/// `room` was returned by [`ashta_room`] for this length and not freed.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ashta_room_free(room: *mut u8, length: usize) {
    // SAFETY: `Box::into_raw` returned it, and by contract it is freed only once.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(room, length)) });
}
