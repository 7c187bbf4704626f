//! Ctrl-C (SIGINT) and SIGTERM.
//!
//! An interrupted command prints one line and ends by the signal itself, so that a shell reports the usual status (130
//! or 143) and ends its own loop too. A file that is being written is finished first. Commands that stop in their own
//! way use a [`stop_flag`].
//!
//! signal-hook's iterator would wait for signals in a thread. But glibc's allocator takes locks once a program has a
//! second thread, and `plan --measure` and `replay` would time another allocator. So the signal handler itself ends the
//! command. The crate ctrlc waits in a thread as well.

#[cfg(unix)]
mod handler;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

use millpond_plan::error::{Failure, reason};

/// The signals that interrupt a command.
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Lets the signals end the command from now on. Elsewhere than on Unix, the system itself ends it.
pub fn listen() -> Result<(), Failure> {
    #[cfg(unix)]
    handler::listen().map_err(|error| failed(&error))?;
    Ok(())
}

/// Does `work`, such as writing a file, to its end before a signal ends the command.
pub fn whole<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(unix)]
    let _deferral = handler::Deferral::begin();
    work()
}

/// A flag that the signals set. They do not end the command by themselves any more.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(|error| failed(&error))?;
    }
    #[cfg(unix)]
    std::mem::forget(handler::Deferral::begin());
    Ok(stop)
}

/// Lets the signals end the command again, after a [`stop_flag`] has served its purpose. A signal that it has told of is
/// done with.
pub fn listen_again() {
    #[cfg(unix)]
    handler::listen_again();
}

/// Ends a command that a signal has stopped, after all that it has to print.
pub fn end_if_stopped() {
    #[cfg(unix)]
    handler::end_if_stopped();
}

fn failed(error: &std::io::Error) -> Failure {
    Failure::Output(format!("cannot handle Ctrl-C: {}", reason(error)))
}
