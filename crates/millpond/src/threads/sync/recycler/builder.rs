use alloc::boxed::Box;
use core::fmt;

use super::{Reset, SyncRecycler};
use crate::base::lines::Lines;
use crate::base::or_panic;
use crate::handle::Handle;
use crate::pools::settings::{BuildError, Settings};
use crate::threads::sync::atomics::{AtomicU32, Cell};
use crate::threads::sync::free::FreeSlots;
use crate::threads::sync::home;

/// Builds a [`SyncRecycler`] with a capacity, homes, a name, and a hook for released objects.
///
/// ```
/// use millpond::SyncRecycler;
///
/// let lines = SyncRecycler::builder()
///     .capacity(8)
///     .name("lines")
///     .on_release(String::clear)
///     .build_with(|_| String::with_capacity(80));
/// assert_eq!((lines.capacity(), lines.name()), (8, Some("lines")));
/// ```
#[must_use = "call `.build_with(make)` to get the recycler"]
pub struct SyncRecyclerBuilder<T> {
    settings: Settings<(), Handle<T>>,
    homes: usize,
    on_release: Option<Reset<T>>,
}

impl<T> SyncRecyclerBuilder<T> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), homes: home::default_number(), on_release: None }
    }

    /// Sets the number of objects. All of them are constructed when the recycler is built, and none
    /// later.
    pub fn capacity(mut self, objects: usize) -> Self {
        self.settings.capacity = Some(objects);
        self
    }

    /// Sets the number of homes, from which searches for free objects start; see
    /// [`SyncPoolBuilder::homes`](crate::SyncPoolBuilder::homes).
    pub fn homes(mut self, homes: usize) -> Self {
        self.homes = homes;
        self
    }

    /// Sets a name for error messages.
    pub fn name(mut self, name: &'static str) -> Self {
        self.settings.lifetimes.name = Some(name);
        self
    }

    /// Calls `reset` with an object when its guard is dropped, on that thread, before another
    /// thread can acquire the object. If `reset` panics, the object's slot retires.
    pub fn on_release(mut self, reset: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.on_release = Some(Box::new(reset));
        self
    }

    /// Builds the recycler; `make` constructs each object from its index.
    ///
    /// # Panics
    ///
    /// If [`try_build_with`](Self::try_build_with) returns an error.
    #[must_use]
    #[track_caller]
    pub fn build_with(self, make: impl FnMut(usize) -> T) -> SyncRecycler<T> {
        or_panic(self.try_build_with(make))
    }

    /// Builds the recycler; `make` constructs each object from its index.
    ///
    /// # Errors
    ///
    /// If no capacity was set, it is above 2^32 − 1, or there is not enough memory.
    pub fn try_build_with(
        self,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<SyncRecycler<T>, BuildError> {
        let Self { settings, homes, on_release } = self;
        settings.allocate(|capacity| {
            Ok(SyncRecycler {
                free: FreeSlots::try_new(capacity, homes)?,
                objects: Lines::from_fn(capacity, |index| Cell::new(make(index)))?,
                on_release,
                name: settings.lifetimes.name,
                retired: AtomicU32::new(0),
                line: super::Line::new(),
            })
        })
    }
}

impl<T> fmt::Debug for SyncRecyclerBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncRecyclerBuilder")
            .field("settings", &self.settings)
            .field("homes", &self.homes)
            .finish_non_exhaustive()
    }
}
