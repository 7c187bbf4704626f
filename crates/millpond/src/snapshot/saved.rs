mod saved_struct;

use core::fmt;
use core::marker::PhantomData;

use super::{SnapshotError, SnapshotOf, State};

/// A saved state, which can be overwritten and restored: what a [`History`](super::History) stores.
///
/// Needs the feature `history`.
///
/// Implemented by [`SnapshotOf`] for pools and tables, by [`Kept`] for any other value, by tuples of
/// up to eight of them, and by the structs that
/// [`saved_struct!`](crate::saved_struct) declares. [`History`](super::History) has examples.
pub trait Saved: Clone {
    /// The state to save.
    type State<'a>: Copy
    where
        Self: 'a;
    /// The state to overwrite when restoring.
    type StateMut<'a>
    where
        Self: 'a;

    /// Checks that `state` can be saved here; by default, any can.
    ///
    /// # Errors
    ///
    /// The error that [`save`](Self::save) would return.
    fn check_save(&self, _state: Self::State<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Overwrites the saved state with `state`.
    ///
    /// # Errors
    ///
    /// If `state` has another shape, such as a pool with another capacity.
    fn save(&mut self, state: Self::State<'_>) -> Result<(), SnapshotError>;

    /// Checks that `state` can be restored from here; by default, any can.
    ///
    /// # Errors
    ///
    /// The error that [`restore`](Self::restore) would return.
    fn check_restore(&self, _state: &mut Self::StateMut<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Overwrites `state` with the saved state.
    ///
    /// # Errors
    ///
    /// If `state` has another shape, or what is saved is incomplete.
    fn restore(&self, state: Self::StateMut<'_>) -> Result<(), SnapshotError>;
}

impl<P: State + Clone> Saved for SnapshotOf<P> {
    type State<'a>
        = &'a P
    where
        P: 'a;
    type StateMut<'a>
        = &'a mut P
    where
        P: 'a;

    fn check_save(&self, pool: &P) -> Result<(), SnapshotError> {
        self.pool.check_shape(pool)
    }

    fn save(&mut self, pool: &P) -> Result<(), SnapshotError> {
        self.save_from(pool)
    }

    fn check_restore(&self, pool: &mut &mut P) -> Result<(), SnapshotError> {
        self.check_complete(pool)
    }

    fn restore(&self, pool: &mut P) -> Result<(), SnapshotError> {
        self.restore_to(pool)
    }
}

/// A field that is neither saved nor restored: see [`saved_struct!`](crate::saved_struct).
///
/// ```
/// use millpond::snapshot::{Saved, Unsaved};
///
/// let mut drawn = 5;
/// let unsaved = Unsaved::of(&drawn);
/// drawn = 7;
/// unsaved.restore(&mut drawn).unwrap();
/// assert_eq!(drawn, 7);
/// ```
pub struct Unsaved<T>(PhantomData<fn() -> T>);

impl<T> Unsaved<T> {
    /// Of any value.
    #[must_use]
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

impl<T> Clone for Unsaved<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<T> fmt::Debug for Unsaved<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unsaved")
    }
}

impl<T> Saved for Unsaved<T> {
    type State<'a>
        = &'a T
    where
        T: 'a;
    type StateMut<'a>
        = &'a mut T
    where
        T: 'a;

    fn save(&mut self, _: &T) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn restore(&self, _: &mut T) -> Result<(), SnapshotError> {
        Ok(())
    }
}

/// Any value as part of a saved state: a random seed, a score, the list of an
/// [`EvictOldest`](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.EvictOldest.html).
///
/// ```
/// use millpond::snapshot::{Kept, Saved};
///
/// let mut score = 5;
/// let mut kept = Kept(score);
/// score = 7;
/// kept.restore(&mut score).unwrap();
/// assert_eq!(score, 5);
/// ```
///
/// It is saved and restored by `clone_from`, and allocates only if `clone_from` does. If
/// `clone_from` panics, the value is left as `clone_from` leaves it; a [`History`](super::History)
/// then forgets the frame, but a tuple that you save yourself is not marked as incomplete.
///
/// With the feature `serde`, it is written as the value.
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept<T>(pub T);

impl<T: Clone> Saved for Kept<T> {
    type State<'a>
        = &'a T
    where
        T: 'a;
    type StateMut<'a>
        = &'a mut T
    where
        T: 'a;

    fn save(&mut self, value: &T) -> Result<(), SnapshotError> {
        self.0.clone_from(value);
        Ok(())
    }

    fn restore(&self, value: &mut T) -> Result<(), SnapshotError> {
        value.clone_from(&self.0);
        Ok(())
    }
}

macro_rules! tuples {
    ($(($($saved:ident $at:tt),+))*) => {$(
        impl<$($saved: Saved),+> Saved for ($($saved,)+) {
            type State<'a>
                = ($($saved::State<'a>,)+)
            where
                Self: 'a;
            type StateMut<'a>
                = ($($saved::StateMut<'a>,)+)
            where
                Self: 'a;

            fn check_save(&self, state: Self::State<'_>) -> Result<(), SnapshotError> {
                $(self.$at.check_save(state.$at)?;)+
                Ok(())
            }

            fn save(&mut self, state: Self::State<'_>) -> Result<(), SnapshotError> {
                self.check_save(state)?;
                $(self.$at.save(state.$at)?;)+
                Ok(())
            }

            fn check_restore(&self, state: &mut Self::StateMut<'_>) -> Result<(), SnapshotError> {
                $(self.$at.check_restore(&mut state.$at)?;)+
                Ok(())
            }

            fn restore(&self, mut state: Self::StateMut<'_>) -> Result<(), SnapshotError> {
                self.check_restore(&mut state)?;
                $(self.$at.restore(state.$at)?;)+
                Ok(())
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
