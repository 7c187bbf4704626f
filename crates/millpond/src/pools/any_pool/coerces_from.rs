//! What a trait object type needs for an `AnyValue` of it.
//!
//! Invariant: the contract of the unsafe trait [`CoercesFrom`], which a coercion by the compiler fulfils.

use core::any::Any;

/// A trait object type that values of type `T` coerce to, so that an [`AnyValue`](super::AnyValue) of
/// it can hold them. [`any_pool_trait!`](crate::any_pool_trait) implements this trait.
///
/// # Safety
///
/// 1. [`coerce`](Self::coerce) must return a pointer to the whole value at the same address, as a
///    coercion by Rust does: its vtable is that of `T`. It must not panic.
/// 2. If `Self` is `Send`, `T` must be `Send`; likewise for `Sync`.
pub unsafe trait CoercesFrom<T> {
    /// Returns the same pointer, as a pointer to the trait object. There need not be a value where it
    /// points.
    fn coerce(value: *mut T) -> *mut Self;
}

/// Lets [`AnyValue`](crate::AnyValue)s, and so [`AnyPool`](crate::AnyPool)s, of a trait hold every
/// type that implements the trait.
///
/// Use it once per trait object type, in the crate of the trait. `dyn Any`, also with `Send` and
/// `Sync`, is done already.
///
/// ```
/// #![forbid(unsafe_code)]
///
/// trait Shape {
///     fn area(&self) -> f32;
/// }
/// millpond::any_pool_trait!(dyn Shape);
///
/// trait Task<Input> {}
/// millpond::any_pool_trait!(dyn Task<u32> + Send);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! any_pool_trait {
    (dyn $($name:ident)::+ $(<$($argument:ty),+ $(,)?>)? $(+ $($auto:ident)::+)*) => {
        // SAFETY: the body is a coercion by the compiler, which checks that the concrete type has the
        // trait, and each auto trait.
        #[allow(clippy::undocumented_unsafe_blocks, reason = "documented where it is written")]
        unsafe impl<__Value> $crate::any_pool::CoercesFrom<__Value>
            for dyn $($name)::+ $(<$($argument),+>)? $(+ $($auto)::+)*
        where
            __Value: $($name)::+ $(<$($argument),+>)? $(+ $($auto)::+)* + 'static,
        {
            #[inline]
            fn coerce(value: *mut __Value) -> *mut Self {
                value
            }
        }
    };
}

any_pool_trait!(dyn Any);
any_pool_trait!(dyn Any + Send);
any_pool_trait!(dyn Any + Send + Sync);
