use super::Recycler;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::settings::{BuildError, Settings};
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
        Self::typed_builder()
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
pub type RecyclerBuilder<T, R = Lifo, H = Handle<T>> = Builder<T, OfRecycler<T>, Ordered<R>, H>;

/// The kind of a [`Recycler`].
#[derive(Clone, Debug)]
pub struct OfRecycler<T> {
    on_release: Option<fn(&mut T)>,
}

/// With default objects.
impl<T: Default, R: ReuseOrder, H: HandleLayout> Kind<T, Ordered<R>, H> for OfRecycler<T> {
    type Pool = Recycler<T, R, H>;

    fn build(builder: RecyclerBuilder<T, R, H>) -> Result<Self::Pool, BuildError> {
        builder.try_build_with(|_| T::default())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Returns a builder for recyclers of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = Recycler<u8, reuse::Fifo, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").capacity(8).build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> RecyclerBuilder<T, R, H> {
        Builder::of(Settings::NONE, OfRecycler { on_release: None })
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> RecyclerBuilder<T, R, H> {
    /// Calls `hook` for each released object, to clear what it refers to: a dead object that still
    /// refers to others keeps them alive.
    pub fn on_release(mut self, hook: fn(&mut T)) -> Self {
        self.kind.on_release = Some(hook);
        self
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
        Recycler::from_settings(&self.settings, self.kind.on_release, make)
    }
}
