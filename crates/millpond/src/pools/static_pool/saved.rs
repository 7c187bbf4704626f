//! A static pool that is read.

use super::InPool;
use crate::handle::HandleLayout;
use crate::pools::slot_pool::Fixed;
use crate::pools::slot_pool::saved::{FromState, Unused};
use crate::slots::Ledger;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::InlineRoster;
use crate::slots::saved::Checked;
use crate::snapshot::format::Refused;
use crate::values::Storage;

impl<T, const N: usize, L: HandleLayout> FromState<T, InlineRoster, L, InPool<T, N, L>> for Fixed {
    const KIND: &'static str = "StaticPool";
    const REUSE: &'static str = "";

    fn unused(
        state: &Checked<L::Word>,
    ) -> Result<Unused<T, InlineRoster, L, InPool<T, N, L>, Self>, Refused> {
        let found = state.words.len();
        if found != N {
            return Err(Refused::new(alloc::format!(
                "a saved pool of {found} slots, expected {N}"
            )));
        }
        let ledger = Ledger::fresh(&GenerationSettings::PLAIN);
        Ok((Storage::fresh(state.cycle.start(), ledger), Fixed))
    }
}
