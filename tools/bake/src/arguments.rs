//! The arguments of a program, as text.

use std::env;

/// The arguments of the program, without its name.
///
/// # Errors
///
/// If one is no UTF-8, which no graph and no database could name.
pub(crate) fn arguments() -> Result<Vec<String>, String> {
    let all = env::args_os().skip(1);
    all.map(|arg| arg.into_string().map_err(|arg| format!("{arg:?}: expected UTF-8"))).collect()
}
