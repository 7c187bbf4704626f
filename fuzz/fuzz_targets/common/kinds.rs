//! The kinds of pools that are fuzzed: those of the library's own tests.

macro_rules! list {
    ([] $($name:ident: $kind:ty;)+) => {{
        use $crate::subject::*;
        use millpond::reuse::*;
        use millpond::{Handle, Handle32};
        &[$(&Of::<$kind>::KIND),+]
    }};
}
pub(crate) use list;

/// A list of them, as references to what they can be taken for: first one of each pool, then the others.
#[cfg(feature = "every-kind")]
macro_rules! kinds {
    () => {{
        use $crate::kinds::list;
        use $crate::subject::every_kind;
        every_kind! { list![] }
    }};
}
#[cfg(not(feature = "every-kind"))]
macro_rules! kinds {
    () => {{
        use $crate::kinds::list;
        $crate::subject::one_of_each! { [] list![] }
    }};
}
pub(crate) use kinds;
