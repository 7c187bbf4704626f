//! What pools and populations are called.

use core::any::type_name;

/// The name of a type without its path.
pub(crate) fn short_name<M>() -> &'static str {
    let name = type_name::<M>();
    if name.contains('<') { name } else { name.rsplit("::").next().unwrap_or(name) }
}
