use super::Recycler;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};
use crate::slots::reuse::{Lifo, ReuseOrder};

impl<T> Recycler<T> {
    /// Creates a recycler of `capacity` objects; `make` constructs each from its index.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let connections = Recycler::from_fn(3, |index| format!("connection {index}"));
    /// assert_eq!(connections.as_slice()[2], "connection 2");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory, if `capacity` exceeds 4,294,967,295, or if `make` panics; the
    /// objects made so far are then dropped.
    #[must_use]
    #[track_caller]
    pub fn from_fn(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        Self::builder().capacity(capacity).build_with(make)
    }

    /// Creates a recycler of `capacity` default objects.
    ///
    /// # Panics
    ///
    /// As [`from_fn`](Self::from_fn), with `T::default` as `make`.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self
    where
        T: Default,
    {
        Self::from_fn(capacity, |_| T::default())
    }

    /// Returns a builder, to choose the reuse order, the handle layout, a hook for released
    /// objects, a name and more.
    pub fn builder() -> RecyclerBuilder<T> {
        RecyclerBuilder::new()
    }
}

/// Builds a [`Recycler`].
///
/// ```
/// use millpond::Recycler;
///
/// #[derive(Default)]
/// struct Voice {
///     sound: Option<std::rc::Rc<[i16]>>,
/// }
///
/// let mut voices = Recycler::builder()
///     .capacity(32)
///     .name("voices")
///     .on_release(|voice: &mut Voice| voice.sound = None) // a dead voice keeps no sound alive
///     .build();
/// let sound: std::rc::Rc<[i16]> = std::rc::Rc::new([1, 2, 3]);
/// let (handle, voice) = voices.acquire().unwrap();
/// voice.sound = Some(sound.clone());
/// voices.release(handle);
/// assert_eq!(std::rc::Rc::strong_count(&sound), 1);
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` or `.build_with(…)` to get the recycler"]
pub struct RecyclerBuilder<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    settings: Settings<R, H>,
    on_release: Option<fn(&mut T)>,
}

impl<T, R: ReuseOrder, H: HandleLayout> RecyclerBuilder<T, R, H> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), on_release: None }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> RecyclerBuilder<T, R, H> {
    settings_methods!();
    order_and_handle_methods!(RecyclerBuilder<T>, keeps on_release);

    /// Calls `hook` for each released object, to clear what it refers to: a dead object that still
    /// refers to others keeps them alive.
    pub fn on_release(mut self, hook: fn(&mut T)) -> Self {
        self.on_release = Some(hook);
        self
    }

    /// Builds the recycler, with default objects.
    ///
    /// # Panics
    ///
    /// If [`try_build_with`](Self::try_build_with) returns an error.
    #[track_caller]
    pub fn build(self) -> Recycler<T, R, H>
    where
        T: Default,
    {
        self.build_with(|_| T::default())
    }

    /// Builds the recycler; `make` constructs each object from its index.
    ///
    /// # Panics
    ///
    /// If [`try_build_with`](Self::try_build_with) returns an error.
    #[track_caller]
    pub fn build_with(self, make: impl FnMut(usize) -> T) -> Recycler<T, R, H> {
        or_panic(self.try_build_with(make))
    }

    /// Builds the recycler; `make` constructs each object from its index.
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name that many slots, or there is not
    /// enough memory.
    pub fn try_build_with(
        self,
        make: impl FnMut(usize) -> T,
    ) -> Result<Recycler<T, R, H>, BuildError> {
        Recycler::from_settings(&self.settings, self.on_release, make)
    }
}
