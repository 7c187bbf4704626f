//! The past of a pool whose fields are a `core` and a `storage`.

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
        fn copy_state_from(&mut self, other: &Self)
        where
            $value: Copy,
        {
            use crate::snapshot::state::sealed::State;

            let used = State::used(self).max(State::used(other));
            self.storage.copy_state_from(&other.storage, used);
            let entries = other.storage.words().entries();
            self.core.copy_state_from(&other.core, entries, used, &mut self.storage);
        }

        fn clone_state_from(&mut self, other: &Self)
        where
            $value: Clone,
        {
            use crate::snapshot::state::sealed::State;

            let used = State::used(self).max(State::used(other));
            self.storage.clone_state_from(&other.storage, used);
            let entries = other.storage.words().entries();
            self.core.copy_state_from(&other.core, entries, used, &mut self.storage);
        }
    };
}
pub(crate) use stored_restore;
