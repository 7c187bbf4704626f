use super::{SnapshotError, SnapshotOf, State};

/// A state that was saved, and can be saved again and restored: what a [`History`](super::History) keeps.
///
/// A [`SnapshotOf`] a pool or table is one, [`Kept`] is one of any other value, and a tuple of up to eight of them is
/// one. Implement it for a struct of snapshots, if a tuple becomes too long.
pub trait Saved: Clone {
    /// The state to save.
    type State<'a>: Copy
    where
        Self: 'a;
    /// The state to restore to.
    type StateMut<'a>
    where
        Self: 'a;

    /// Whether this state can be saved here.
    ///
    /// # Errors
    ///
    /// If it cannot: then [`save`](Self::save) returns the same error.
    fn check_save(&self, state: Self::State<'_>) -> Result<(), SnapshotError>;

    /// Writes the state over the one that was saved.
    ///
    /// # Errors
    ///
    /// If the state is of another shape: a pool of another capacity, say.
    fn save(&mut self, state: Self::State<'_>) -> Result<(), SnapshotError>;

    /// Whether this state can be made the saved one.
    ///
    /// # Errors
    ///
    /// If it cannot: then [`restore`](Self::restore) returns the same error.
    fn check_restore(&self, state: &mut Self::StateMut<'_>) -> Result<(), SnapshotError>;

    /// Makes the state the saved one.
    ///
    /// # Errors
    ///
    /// If the state is of another shape.
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
        SnapshotOf::save(self, pool)
    }

    fn check_restore(&self, pool: &mut &mut P) -> Result<(), SnapshotError> {
        self.check_complete(pool)
    }

    fn restore(&self, pool: &mut P) -> Result<(), SnapshotError> {
        self.restore_to(pool)
    }
}

/// Any value as a part of a saved state: a random number's seed, a score, the list of an
/// [`EvictOldest`](crate::overflow::EvictOldest). It is saved and restored by `clone_from`, which takes no memory where
/// that takes none. Should `clone_from` panic, the value is what it leaves; a [`History`](super::History) forgets the
/// frame then, while a tuple that is saved by hand does not.
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

    fn check_save(&self, _: &T) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn save(&mut self, value: &T) -> Result<(), SnapshotError> {
        self.0.clone_from(value);
        Ok(())
    }

    fn check_restore(&self, _: &mut &mut T) -> Result<(), SnapshotError> {
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
