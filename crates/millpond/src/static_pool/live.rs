use core::iter::FusedIterator;
use core::ops::Range;

use crate::handle::Word;

/// Slots looked at in one go.
const GROUP_SLOTS: usize = u64::BITS as usize;

/// Whether a slot is live, from what the roster keeps of it: there the top bit means "live".
#[inline]
fn is_live<W: Word>(kept: &W) -> bool {
    kept.is_dead()
}

/// The live slots in index order, from both ends. 64 slots at a time are gathered into a bitmap.
#[derive(Clone, Debug)]
pub(super) struct LiveSlots<'a, W> {
    liveness: &'a [W],
    front: Cursor,
    back: Cursor,
    /// How many live slots neither end has handed out: the two cursors stop when it is 0, and so
    /// they never cross.
    remaining: usize,
}

/// What one end still has of the group that it stands in.
#[derive(Clone, Debug)]
struct Cursor {
    group: usize,
    bits: u64,
}

impl Cursor {
    #[inline]
    fn at<W: Word>(group: usize, liveness: &[W]) -> Self {
        let from = (group * GROUP_SLOTS).min(liveness.len());
        let until = (from + GROUP_SLOTS).min(liveness.len());
        let slots = liveness[from..until].iter().rev();
        let bits = slots.fold(0, |bits, word| bits << 1 | u64::from(is_live(word)));
        Self { group, bits }
    }
}

impl<'a, W: Word> LiveSlots<'a, W> {
    /// The slots whose word has its top bit set: there are `live` of them.
    #[inline]
    pub(super) fn new(liveness: &'a [W], live: usize) -> Self {
        let last = liveness.len().saturating_sub(1) / GROUP_SLOTS;
        let (front, back) = (Cursor::at(0, liveness), Cursor::at(last, liveness));
        Self { liveness, front, back, remaining: live }
    }
}

impl<W: Word> Iterator for LiveSlots<'_, W> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        while self.front.bits == 0 {
            self.front = Cursor::at(self.front.group + 1, self.liveness);
        }
        let bit = self.front.bits.trailing_zeros() as usize;
        self.front.bits &= self.front.bits - 1;
        Some(self.front.group * GROUP_SLOTS + bit)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<W: Word> DoubleEndedIterator for LiveSlots<'_, W> {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        while self.back.bits == 0 {
            self.back = Cursor::at(self.back.group - 1, self.liveness);
        }
        let bit = GROUP_SLOTS - 1 - self.back.bits.leading_zeros() as usize;
        self.back.bits &= !(1 << bit);
        Some(self.back.group * GROUP_SLOTS + bit)
    }
}

impl<W: Word> ExactSizeIterator for LiveSlots<'_, W> {}
impl<W: Word> FusedIterator for LiveSlots<'_, W> {}

/// The runs of live slots in index order, from both ends.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a, W> {
    liveness: &'a [W],
    /// What neither end has passed.
    left: Range<usize>,
}

impl<'a, W: Word> Runs<'a, W> {
    #[inline]
    pub(super) fn new(liveness: &'a [W]) -> Self {
        Self { liveness, left: 0..liveness.len() }
    }
}

impl<W: Word> Iterator for Runs<'_, W> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let left = &self.liveness[self.left.clone()];
        let Some(passed) = left.iter().position(is_live) else {
            self.left.start = self.left.end;
            return None;
        };
        let start = self.left.start + passed;
        let run = &self.liveness[start..self.left.end];
        let len = run.iter().position(|kept| !is_live(kept)).unwrap_or(run.len());
        self.left.start = start + len;
        Some(start..start + len)
    }
}

impl<W: Word> DoubleEndedIterator for Runs<'_, W> {
    #[inline]
    fn next_back(&mut self) -> Option<Range<usize>> {
        let left = &self.liveness[self.left.clone()];
        let Some(last) = left.iter().rposition(is_live) else {
            self.left.end = self.left.start;
            return None;
        };
        let end = self.left.start + last + 1;
        let run = &self.liveness[self.left.start..end];
        let dead = run.iter().rposition(|kept| !is_live(kept));
        let start = dead.map_or(self.left.start, |dead| self.left.start + dead + 1);
        self.left.end = start;
        Some(start..end)
    }
}

impl<W: Word> FusedIterator for Runs<'_, W> {}
