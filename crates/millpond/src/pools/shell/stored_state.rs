//! Snapshots of a pool whose fields are a `core` and a `storage`.

/// The methods of `sealed::State` about slots and values.
macro_rules! stored_state {
    ($value:ty, $handle:ty) => {
        fn used(&self) -> usize {
            self.core.used(self.storage.words())
        }

        #[inline]
        fn word(&self, index: usize) -> <$handle as crate::handle::HandleLayout>::Word {
            self.storage.words().get(index).unwrap_or(crate::handle::Word::RETIRED)
        }

        #[inline]
        fn value(&self, index: usize) -> Option<&$value> {
            self.storage.get(index)
        }
    };
}
pub(crate) use stored_state;

/// The methods of `sealed::Restore`, but for `empty`. `$copy` copies the values of the slots below a number.
macro_rules! stored_restore {
    ($value:ty) => {
        crate::pools::shell::stored_restore!($value, |own, other, copy| {
            use crate::snapshot::state::sealed::State;

            let used = State::used(own).max(State::used(other));
            copy(own, other, used);
            let entries = other.storage.words().entries();
            own.core.copy_state_from(&other.core, entries, used, &mut own.storage);
        });
    };
    ($value:ty, |$own:ident, $other:ident, $copy:ident| $become:expr) => {
        crate::pools::shell::stored_restore!(
            copy_state_from, $value: Copy, |$own, $other, $copy| $become
        );
        crate::pools::shell::stored_restore!(
            clone_state_from, $value: Clone, |$own, $other, $copy| $become
        );
    };
    (
        $state_from:ident, $value:ty: $bound:path,
        |$own:ident, $other:ident, $copy:ident| $become:expr
    ) => {
        fn $state_from(&mut self, $other: &Self)
        where
            $value: $bound,
        {
            let ($own, $copy) = (self, |own: &mut Self, other: &Self, used| {
                own.storage.$state_from(&other.storage, used);
            });
            $become
        }
    };
}
pub(crate) use stored_restore;
