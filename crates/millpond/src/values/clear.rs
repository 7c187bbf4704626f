use super::Storage;
use crate::handle::HandleLayout;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::{Core, Place};

/// Makes the reuse order match the words again when it is dropped.
struct ResetOrder<'a, P: Place, R: ReuseOrder, H: HandleLayout<Word = P::Word>>(
    &'a mut Storage<P>,
    &'a mut Core<R, H>,
)
where
    R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>;

impl<P: Place, R: ReuseOrder, H: HandleLayout<Word = P::Word>> Drop for ResetOrder<'_, P, R, H>
where
    R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
{
    fn drop(&mut self) {
        self.1.reset_order(self.0);
    }
}

impl<P: Place> Storage<P> {
    /// Removes and drops all values. If a drop panics, the values that were not yet dropped stay.
    pub(crate) fn clear<R: ReuseOrder, H: HandleLayout<Word = P::Word>>(
        &mut self,
        core: &mut Core<R, H>,
    ) where
        R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
    {
        let mut guard = ResetOrder(self, core);
        let ResetOrder(storage, core) = &mut guard;
        let circle = core.circle();
        if !core::mem::needs_drop::<P::Value>() {
            storage.forget_all(&circle);
            return;
        }
        for index in 0..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, circle.word_after(generation));
        }
    }
}
