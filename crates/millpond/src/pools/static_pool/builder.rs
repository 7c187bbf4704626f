use core::marker::PhantomData;

use super::StaticPool;
use crate::handle::{Handle, HandleLayout};
use crate::slots::generation_settings::{GenerationSettings, generation_methods};

/// Builds a [`StaticPool`], also in a constant, with a handle layout, a name, a salt, and a rule
/// for slots whose generations are used up.
///
/// ```
/// use millpond::{Handle32, StaticPool};
///
/// // Each of the four slots is used twice, and then never again.
/// const TICKETS: StaticPool<u32, 4> = StaticPool::builder().lifetimes(2).name("tickets").build();
///
/// let mut tickets = TICKETS;
/// for number in 0..8 {
///     let ticket = tickets.insert(number).unwrap();
///     tickets.remove(ticket);
/// }
/// let full = tickets.insert(8).unwrap_err();
/// assert_eq!((full.name(), full.retired()), (Some("tickets"), 4));
///
/// // In a small layout that starts again instead.
/// type Small = Handle32<u32, 24>;
/// const WRAPPING: StaticPool<u32, 4, Small> =
///     StaticPool::builder().handle::<Small>().wrap().build();
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct StaticPoolBuilder<T, const N: usize, H: HandleLayout = Handle<T>> {
    generations: GenerationSettings,
    types: PhantomData<fn() -> (T, H)>,
}

impl<T, const N: usize, H: HandleLayout> StaticPoolBuilder<T, N, H> {
    pub(super) const fn new() -> Self {
        Self { generations: GenerationSettings::PLAIN, types: PhantomData }
    }
}

impl<T, const N: usize, H: HandleLayout> StaticPoolBuilder<T, N, H> {
    generation_methods!(generations);

    /// Sets the layout of the pool's handles: [`Handle`] (the default),
    /// [`Handle32`](crate::Handle32) or a type of your own.
    pub const fn handle<H2: HandleLayout>(self) -> StaticPoolBuilder<T, N, H2> {
        StaticPoolBuilder { generations: self.generations, types: PhantomData }
    }

    /// Builds the pool. Does not compile if the handle layout cannot name `N` slots.
    pub const fn build(self) -> StaticPool<T, N, H> {
        StaticPool::of(&self.generations)
    }
}
