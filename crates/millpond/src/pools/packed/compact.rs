//! Giving the values the lowest slots.

use super::PackedVecPool;
use crate::handle::HandleLayout;
use crate::pools::doubling::next_move;

impl<T, H: HandleLayout> PackedVecPool<T, H> {
    /// Gives values in the last slots the first free ones, until no free slot comes before a live one, and frees the slots
    /// behind them as [`shrink_to_fit`](Self::shrink_to_fit) does; returns how many. Each value whose slot changes gets
    /// a new handle, and its old one is stale from then on: `moved` is called before with both and with the value, so that
    /// whatever holds the handle can follow. The values keep their order, which is that of [`as_slice`](Self::as_slice).
    ///
    /// At most as many values change their slots as there are free ones below the last live one, each once. For the
    /// slots, that is a removal and an insertion: both are counted and recorded, and a value in the last
    /// [lifetime](crate::PoolBuilder::lifetimes) of its slot leaves a retired slot. Slots of [detached](Self::detach) values and
    /// retired slots stay.
    ///
    /// If `moved` panics, the value of that call and all others keep the handles that they have then, and no slot is freed.
    ///
    /// **Time**: O(capacity), plus `moved` for each value whose slot changes; no value is copied for that. **Memory**: while
    /// it frees, the smaller arrays beside the larger ones. Afterwards, each freed slot that was ever used still takes 4
    /// bytes, as after `shrink_to_fit`.
    ///
    /// ```
    /// use millpond::{PackedVecPool, SideTable};
    ///
    /// let mut sparks = PackedVecPool::new();
    /// let handles: Vec<_> = (0..100).map(|i| sparks.push(i)).collect();
    /// let mut colours = SideTable::new();
    /// colours.insert(handles[99], "red").unwrap();
    /// sparks.retain(|_, spark| *spark >= 98);
    /// assert_eq!(sparks.shrink_to_fit(), 28); // of 128: a live slot keeps all before it
    ///
    /// sparks.compact(|old, new, _| {
    ///     if let Some(colour) = colours.remove(old) {
    ///         colours.insert(new, colour).unwrap();
    ///     }
    /// });
    /// assert_eq!((sparks.capacity(), sparks.as_slice()), (2, &[99, 98][..]));
    /// assert!(!sparks.contains(handles[99]));
    /// assert_eq!(colours[sparks.as_handle_slice()[0]], "red");
    /// ```
    #[track_caller]
    pub fn compact(&mut self, mut moved: impl FnMut(H, H, &mut T)) -> usize {
        let mut between = 0..self.capacity();
        while let Some((from, new)) =
            next_move::<H>(&mut between, |index| self.roster.slots().word(index))
        {
            let position = self.roster.position_at(from).expect("a live slot");
            let old = self.as_handle_slice()[position];
            moved(old, new, &mut self.values[position]);
            self.note_removal(old);
            self.roster.rename(position, new.erase());
            let to = new.index() as usize;
            self.watched().into_iter().for_each(|watch| watch.moved(from, to));
        }
        self.shrink_to_fit()
    }
}
