use alloc::boxed::Box;
use core::alloc::Layout;

use super::block::{ALIGN_MAX, GRANULE};
use millpond::__parts::OutOfMemory;
use millpond::__parts::memory;

/// Maps a layout to its class: the smallest whose slots are large enough and aligned enough.
///
/// ```text
///               size in granules of 8 bytes
///             0     1     2     3     4    …
/// align ≤ 8   none  0     1     2     3          classes of 8, 16, 24, 32 bytes
/// align 16    none  1     1     3     3          a slot of 24 bytes is not aligned to 16
/// align 32    none  3     3     3     3
/// align 64    none  …
/// ```
#[derive(Debug)]
pub(super) struct ClassTable {
    rows: Box<[u8]>,
    row_len: usize,
}

const NO_CLASS: u8 = u8::MAX;
/// There are at most this many classes.
pub(super) const CLASSES_MAX: usize = NO_CLASS as usize;
/// One for each power of two from the granule to the largest alignment.
const ROWS: usize = (ALIGN_MAX / GRANULE).ilog2() as usize + 1;

impl ClassTable {
    /// The table of classes of these sizes, which rise, and are multiples of the granule. (What comes with each is not
    /// used.)
    #[inline]
    pub(super) fn try_new(sizes: &[(usize, usize)]) -> Result<Self, OutOfMemory> {
        let row_len = sizes.last().map_or(0, |(largest, _)| largest / GRANULE + 1);
        let mut rows = memory::filled(row_len * ROWS, NO_CLASS)?;
        for row in 0..ROWS {
            let align = GRANULE << row;
            let mut from = 1;
            let fits = |(_, class): &(usize, &(usize, usize))| class.0 % align == 0;
            for (class, (size, _)) in sizes.iter().enumerate().filter(fits) {
                let until = size / GRANULE + 1;
                rows[row * row_len + from..row * row_len + until].fill(class as u8);
                from = until;
            }
        }
        Ok(Self { rows, row_len })
    }

    /// The class of a layout, or a number that no class has. None fits a layout without a size.
    #[inline]
    #[allow(clippy::manual_div_ceil, reason = "which takes care of an overflow that cannot be")]
    pub(super) fn class_of(&self, layout: Layout) -> usize {
        let row = (layout.align() / GRANULE).max(1).trailing_zeros() as usize;
        // The size is at most `isize::MAX`, so that there is room for the sum.
        let column = (layout.size() + (GRANULE - 1)) / GRANULE;
        if column >= self.row_len {
            return NO_CLASS.into();
        }
        self.rows.get(row * self.row_len + column).copied().unwrap_or(NO_CLASS).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_class_that_fits() {
        let sizes = [8, 16, 24, 48, 64, 128, 1000];
        let table = ClassTable::try_new(&sizes.map(|size| (size, 0))).unwrap();
        for size in 0..1100 {
            for align_bits in 0..20 {
                let align = 1_usize << align_bits;
                let fits = |slot: usize| slot >= size && slot % align == 0;
                let expected = sizes
                    .iter()
                    .position(|&slot| fits(slot))
                    .filter(|_| size > 0 && align <= ALIGN_MAX)
                    .unwrap_or(CLASSES_MAX);
                let layout = Layout::from_size_align(size, align).unwrap();
                assert_eq!(table.class_of(layout), expected, "{layout:?}");
            }
        }
        let largest = Layout::from_size_align(isize::MAX as usize, 1).unwrap();
        assert_eq!(table.class_of(largest), CLASSES_MAX);
        let most_aligned = Layout::from_size_align(8, 1 << 62).unwrap();
        assert_eq!(table.class_of(most_aligned), CLASSES_MAX);
    }

    #[test]
    fn without_classes_nothing_fits() {
        let table = ClassTable::try_new(&[]).unwrap();
        assert_eq!(table.class_of(Layout::new::<u8>()), CLASSES_MAX);
        assert_eq!(table.class_of(Layout::new::<()>()), CLASSES_MAX);
    }
}
