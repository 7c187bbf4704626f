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

/// The methods of `sealed::Restore`, but for `empty`.
macro_rules! stored_restore {
    ($value:ty) => {
        crate::pools::shell::stored_restore!(copy_state_from, $value: Copy);
        crate::pools::shell::stored_restore!(clone_state_from, $value: Clone);
    };
    ($state_from:ident, $value:ty: $bound:path) => {
        fn $state_from(&mut self, other: &Self)
        where
            $value: $bound,
        {
            use crate::snapshot::state::sealed::State;

            let used = State::used(self).max(State::used(other));
            self.storage.$state_from(&other.storage, used);
            let entries = other.storage.words().entries();
            self.core.copy_state_from(&other.core, entries, used, &mut self.storage);
        }
    };
}
pub(crate) use stored_restore;
