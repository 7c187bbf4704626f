//! What a trait object needs for an `AnyPool` of it.
//!
//! Invariant: the contract of the unsafe trait [`CoercesFrom`], which a coercion by the compiler fulfils.

use core::any::Any;

/// A trait object that values of type `T` can be seen as: what an [`AnyPool`](super::AnyPool) needs to
/// know to hold them. [`any_pool_trait!`](crate::any_pool_trait) implements it.
///
/// # Safety
///
/// 1. [`coerce`](Self::coerce) gives a pointer to the whole value at the same address, as Rust coerces it:
///    whoever uses it sees a `T`. It does not panic.
/// 2. If `Self` is `Send`, so is `T`; and so with `Sync`.
pub unsafe trait CoercesFrom<T> {
    /// The same pointer, as one to the trait object.
    fn coerce(value: *mut T) -> *mut Self;
}

/// Lets [`AnyPool`](crate::AnyPool)s of a trait hold every type that implements it.
///
/// Once for each trait object, in the crate of the trait. `dyn Any`, also with `Send` and `Sync`, has it
/// already.
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
        unsafe impl<Concrete> $crate::any_pool::CoercesFrom<Concrete>
            for dyn $($name)::+ $(<$($argument),+>)? $(+ $($auto)::+)*
        where
            Concrete: $($name)::+ $(<$($argument),+>)? $(+ $($auto)::+)* + 'static,
        {
            #[inline]
            fn coerce(value: *mut Concrete) -> *mut Self {
                value
            }
        }
    };
}

any_pool_trait!(dyn Any);
any_pool_trait!(dyn Any + Send);
any_pool_trait!(dyn Any + Send + Sync);
