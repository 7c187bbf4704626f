//! What a recycler does for its debug aids: its handles are watched.

use super::Recycler;
use crate::handle::HandleLayout;
use crate::reports::debug::{LiveReport, Removal};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Returns the live objects, grouped by the source line that acquired them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::Recycler;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut buffers = Recycler::<Vec<u8>>::builder().capacity(8).debug_aids(aids).build();
    /// let handles: Vec<_> = (0..5).map(|_| buffers.acquire().unwrap().0).collect();
    /// buffers.release(handles[0]);
    /// assert_eq!(buffers.live_report().unwrap().origins()[0].count(), 4);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.handles.live_report()
    }

    /// Returns the source line that released the handle's object, the tick, and what lives in its slot now; see
    /// [`Pool::removal_of`](crate::Pool::removal_of).
    ///
    /// ```
    /// use millpond::Recycler;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_removals();
    /// let mut buffers = Recycler::<Vec<u8>>::builder().capacity(8).debug_aids(aids).build();
    /// let (buffer, _) = buffers.acquire().unwrap();
    /// let line = line!() + 1;
    /// buffers.release(buffer);
    /// assert_eq!(buffers.removal_of(buffer).unwrap().location().line(), line);
    /// ```
    #[must_use]
    pub fn removal_of(&self, handle: H) -> Option<Removal> {
        self.handles.removal_of(handle)
    }

    /// Calls `scramble` for each object released from now on, after the builder's
    /// [`on_release`](crate::RecyclerBuilder::on_release). `scramble` overwrites every field that
    /// an initialiser must set with a value that is valid and looks wrong.
    ///
    /// A reused object still holds the values of its last lifetime, so an initialiser that forgets
    /// a field goes unnoticed. With `scramble`, the forgotten field shows, as a position of NaN or
    /// a health of `i32::MIN`. Objects that were never released are unchanged. If `scramble`
    /// panics, the object stays live.
    ///
    /// **Cost**: a call per release once set, otherwise one test of a pointer; nothing without the
    /// feature `debug-aids`.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// #[derive(Default)]
    /// struct Spark {
    ///     x: f32,
    ///     frames_left: u32,
    /// }
    ///
    /// let mut sparks = Recycler::<Spark>::new(1);
    /// sparks.scramble_released(|spark| *spark = Spark { x: f32::NAN, frames_left: u32::MAX });
    ///
    /// let (spark, object) = sparks.acquire().unwrap();
    /// (object.x, object.frames_left) = (5.0, 60);
    /// sparks.release(spark);
    ///
    /// let (_, object) = sparks.acquire().unwrap();
    /// object.frames_left = 60; // `x` is forgotten, and would be 5.0 from the spark before
    /// assert!(object.x.is_nan());
    /// ```
    pub fn scramble_released(&mut self, scramble: fn(&mut T)) {
        self.on_release[1] = Some(scramble);
    }
}
