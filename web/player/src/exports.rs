//! What the page calls. Text goes in and out by one buffer: [`room`] makes room for what goes in, each function returns
//! where the result is, and [`result_bytes`] how long.

#![allow(unsafe_code, reason = "calls across the border of the module")]
#![allow(unreachable_pub, reason = "the module exports them")]

use std::cell::RefCell;

use crate::World;
use crate::examples::examples_json;
use crate::json;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Makes room for text; returns where to write it.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// How long the result is.
#[unsafe(no_mangle)]
pub extern "C" fn result_bytes() -> usize {
    TEXT.with_borrow(Vec::len)
}

/// Makes the world of a link; its state, or an object with an `error`.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> *const u8 {
    answer(match World::of_link(&given()) {
        Ok(world) => {
            let state = world.state();
            WORLD.set(Some(world));
            state
        }
        Err(error) => failed(&error.to_string()),
    })
}

/// Carries out a script; the state, or an object with an `error`.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> *const u8 {
    let script = given();
    answer(WORLD.with_borrow_mut(|world| match world {
        Some(world) => match world.run(&script) {
            Ok(()) => world.state(),
            Err(error) => failed(&error.to_string()),
        },
        None => failed("there is no world yet"),
    }))
}

/// The examples.
#[unsafe(no_mangle)]
pub extern "C" fn examples() -> *const u8 {
    answer(examples_json())
}

fn given() -> String {
    String::from_utf8_lossy(&TEXT.take()).into_owned()
}

fn failed(why: &str) -> String {
    format!("{{\"error\":{}}}", json::text(why))
}

fn answer(text: String) -> *const u8 {
    TEXT.set(text.into_bytes());
    TEXT.with_borrow(|text| text.as_ptr())
}
