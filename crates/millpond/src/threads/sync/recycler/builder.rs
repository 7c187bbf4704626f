use alloc::boxed::Box;
use core::fmt;

use super::{Reset, SyncRecycler};
use crate::base::memory;
use crate::pools::settings::BuildError;
use crate::threads::sync::atomics::{AtomicU32, Cell};
use crate::threads::sync::free::FreeSlots;

/// The default number of homes.
const HOMES_DEFAULT: usize = 8;

/// More objects than this have no numbers.
const CAPACITY_MAX: usize = u32::MAX as usize;

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
    capacity: Option<usize>,
    homes: usize,
    name: Option<&'static str>,
    on_release: Option<Reset<T>>,
}

impl<T> SyncRecyclerBuilder<T> {
    pub(super) fn new() -> Self {
        Self { capacity: None, homes: HOMES_DEFAULT, name: None, on_release: None }
    }

    /// Sets the number of objects. All of them are constructed when the recycler is built, and none
    /// later.
    pub fn capacity(mut self, objects: usize) -> Self {
        self.capacity = Some(objects);
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
        self.name = Some(name);
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
        match self.try_build_with(make) {
            Ok(recycler) => recycler,
            Err(error) => panic!("{error}"),
        }
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
        let Self { capacity, homes, name, on_release } = self;
        let capacity = capacity.ok_or(BuildError::NoCapacity)?;
        if capacity > CAPACITY_MAX {
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max: CAPACITY_MAX });
        }
        let out_of_memory = |_| BuildError::OutOfMemory { capacity };
        Ok(SyncRecycler {
            free: FreeSlots::try_new(capacity, homes).map_err(out_of_memory)?,
            objects: memory::from_fn(capacity, |index| Cell::new(make(index)))
                .map_err(out_of_memory)?,
            on_release,
            name,
            retired: AtomicU32::new(0),
            line: super::Line::new(),
        })
    }
}

impl<T> fmt::Debug for SyncRecyclerBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncRecyclerBuilder")
            .field("capacity", &self.capacity)
            .field("homes", &self.homes)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
