use core::fmt;

use super::objects::Objects;
use super::{Reset, SyncRecycler};
use crate::base::memory::{self, OutOfMemory};
use crate::base::or_panic;
use crate::handle::Handle;
use crate::pools::settings::{BuildError, Settings};
use crate::threads::sync::atomics::AtomicU32;
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
    settings: Settings,
    homes: usize,
    /// Without memory for it, the recycler is not built.
    on_release: Option<Result<Reset<T>, OutOfMemory>>,
}

impl<T> SyncRecyclerBuilder<T> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::NONE, homes: home::default_number(), on_release: None }
    }

    /// Sets the number of objects. All of them are constructed when the recycler is built, and none
    /// later, unless you [build it lazily](Self::build_lazily).
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
        self.settings.generations.name = Some(name);
        self
    }

    /// Calls `reset` with an object when its guard is dropped, on that thread, before another
    /// thread can acquire the object. If `reset` panics, the object's slot retires.
    pub fn on_release(mut self, reset: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.on_release = Some(memory::boxed(reset).map(|reset| reset as Reset<T>));
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
        make: impl FnMut(usize) -> T,
    ) -> Result<SyncRecycler<T>, BuildError> {
        self.try_build_of(|capacity, homes| {
            Ok((FreeSlots::try_new(capacity, homes)?, Objects::try_made(capacity, make)?))
        })
    }

    /// Builds a recycler whose objects are made when they are first needed: `make` constructs one from its index if an
    /// acquisition finds no free object and there are fewer than the capacity. So there are never more than were lent at
    /// once, and creation takes no longer than for the memory.
    ///
    /// `make` runs on the thread that acquires, without a lock: other threads acquire, release and make meanwhile.
    /// [`acquire_timeout`](SyncRecycler::acquire_timeout) waits for it, however long it takes. If it panics, so does the
    /// acquisition; the object is still to be made, and the next acquisition that needs one tries again, among them the
    /// first that waits in line.
    ///
    /// **Cost**: acquisitions and releases of objects that were made cost what they cost otherwise. An acquisition that makes
    /// one reads up to capacity / 64 words before.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let decoders = SyncRecycler::builder().capacity(64).build_lazily(|_| vec![0_u8; 4096]);
    /// assert_eq!((decoders.made(), decoders.available()), (0, 64));
    /// for _ in 0..10 {
    ///     let mut first = decoders.acquire().unwrap();
    ///     let second = decoders.acquire().unwrap();
    ///     first[0] = second[0];
    /// }
    /// assert_eq!(decoders.made(), 2); // there were never more at once
    /// ```
    ///
    /// # Panics
    ///
    /// If [`try_build_lazily`](Self::try_build_lazily) returns an error.
    #[must_use]
    #[track_caller]
    pub fn build_lazily(
        self,
        make: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> SyncRecycler<T> {
        or_panic(self.try_build_lazily(make))
    }

    /// Builds a recycler whose objects are made when they are first needed; see [`build_lazily`](Self::build_lazily).
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let builder = SyncRecycler::builder().capacity(8);
    /// let buffers = builder.try_build_lazily(|_| String::with_capacity(80))?;
    /// assert_eq!(buffers.acquire().unwrap().capacity(), 80);
    /// # Ok::<(), millpond::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no capacity was set, it is above 2^32 − 1, or there is not enough memory.
    pub fn try_build_lazily(
        self,
        make: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> Result<SyncRecycler<T>, BuildError> {
        self.try_build_of(|capacity, homes| {
            let objects = Objects::try_later(capacity, memory::boxed(make)?)?;
            Ok((FreeSlots::try_none(capacity, homes)?, objects))
        })
    }

    fn try_build_of(
        self,
        parts: impl FnOnce(usize, usize) -> Result<(FreeSlots, Objects<T>), OutOfMemory>,
    ) -> Result<SyncRecycler<T>, BuildError> {
        let Self { settings, homes, on_release } = self;
        settings.allocate::<Handle<T>, _>(|capacity| {
            let (free, objects) = parts(capacity, homes)?;
            Ok(SyncRecycler {
                free,
                objects,
                on_release: on_release.transpose()?,
                name: settings.generations.name,
                retired: AtomicU32::new(0),
                line: super::Line::try_new()?,
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
