//! What code says when it panics, and where.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

thread_local! {
    /// Where the thread has panicked last: file and line.
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Panics without a message on the terminal.
pub(crate) fn quiet_panic() -> ! {
    resume_unwind(Box::new("on purpose"))
}

/// Whether the work panicked on purpose; any other panic goes on.
pub(crate) fn panics(work: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(()) => false,
        Err(panic) if panic.downcast_ref::<&str>() == Some(&"on purpose") => true,
        Err(panic) => resume_unwind(panic),
    }
}

/// What the work says when it panics.
pub(crate) fn panic_of(work: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(panic.downcast_ref::<String>().expect("a message").clone())
}

/// What the work says when it panics, in which file and line.
pub(crate) fn panic_and_place_of(work: impl FnOnce()) -> Option<(String, String, u32)> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PLACE.set(info.location().map(|at| (at.file().to_string(), at.line())));
            before(info);
        }));
    });
    let said = panic_of(work)?;
    let (file, line) = PLACE.take()?;
    Some((said, file, line))
}
