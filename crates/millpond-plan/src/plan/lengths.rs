//! The lengths of lifetimes: a histogram in little memory.

/// Lengths below this are counted one by one.
const EXACT: u64 = 256;

/// Above it, each doubling is divided into this many bins, so lengths are accurate to 1 in 128.
const BINS_PER_DOUBLING: u64 = 128;

/// The length of a lifetime in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// The length.
    pub ticks: u64,
    /// Whether it may be longer, because it includes objects that were still alive at the end.
    pub at_least: bool,
}

/// The number of bins in a page. Only pages with counts are kept, because there may be very many classes with few
/// lifetimes each.
const PAGE_BINS: usize = 16;

/// A histogram of lengths: exact below 256, accurate to 0.8 % above.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lengths {
    /// By page of bins: 0 if it is empty, otherwise one more than its index in `pages`.
    page_of: Vec<u16>,
    pages: Vec<[u64; PAGE_BINS]>,
    total: u64,
    sum: u64,
}

impl Lengths {
    /// Counts one length.
    #[inline]
    pub fn add(&mut self, length: u32) {
        self.add_many(length, 1);
    }

    /// Counts one length `count` times.
    #[inline]
    pub fn add_many(&mut self, length: u32, count: u64) {
        let bin = bin_of(u64::from(length));
        let page = match self.page_of.get(bin / PAGE_BINS) {
            Some(&page) if page > 0 => page,
            _ => self.add_page(bin / PAGE_BINS),
        };
        let bin = &mut self.pages[page as usize - 1][bin % PAGE_BINS];
        *bin = bin.saturating_add(count);
        self.total = self.total.saturating_add(count);
        self.sum = self.sum.saturating_add(u64::from(length).saturating_mul(count));
    }

    #[cold]
    fn add_page(&mut self, place: usize) -> u16 {
        if place >= self.page_of.len() {
            self.page_of.resize(place + 1, 0);
        }
        self.pages.push([0; PAGE_BINS]);
        // All possible lengths need only a few thousand bins.
        self.page_of[place] = self.pages.len() as u16;
        self.page_of[place]
    }

    /// The number of counted lengths.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The mean of all lengths; `None` if there are none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum as f64 / self.total as f64)
    }

    /// The smallest length that at least this share of the lengths do not exceed, if those in `unfinished` may still
    /// grow; `None` if there are none.
    ///
    /// The quantile is computed twice: with the unfinished lengths as they are, and as if they had no end. If both
    /// agree, it is known; otherwise it is at least the first.
    #[must_use]
    pub fn quantile(&self, unfinished: &Self, share: f64) -> Option<Length> {
        let total = self.total.saturating_add(unfinished.total);
        if total == 0 {
            return None;
        }
        let rank = ((total as f64 * share).ceil() as u64).clamp(1, total);
        let (mut ended, mut all) = (0_u64, 0_u64);
        for bin in 0..self.bin_count().max(unfinished.bin_count()) {
            ended = ended.saturating_add(self.count(bin));
            all = all.saturating_add(self.count(bin)).saturating_add(unfinished.count(bin));
            if all >= rank {
                // Of a bin with several lengths, the end for which the statement is true.
                let (first, last) = range_of(bin);
                let at_least = ended < rank;
                let ticks = if at_least { first } else { last };
                return Some(Length { ticks, at_least });
            }
        }
        None
    }

    /// The bins with counts: first length, last length, count.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let counts = (0..self.bin_count()).map(|bin| (bin, self.count(bin)));
        counts.filter(|&(_, count)| count > 0).map(|(bin, count)| {
            let (first, last) = range_of(bin);
            (first, last, count)
        })
    }

    /// One more than the last bin that may have a count.
    fn bin_count(&self) -> usize {
        self.page_of.len() * PAGE_BINS
    }

    fn count(&self, bin: usize) -> u64 {
        match self.page_of.get(bin / PAGE_BINS) {
            Some(&page) if page > 0 => self.pages[page as usize - 1][bin % PAGE_BINS],
            _ => 0,
        }
    }
}

fn bin_of(length: u64) -> usize {
    if length < EXACT {
        return length as usize;
    }
    let doubling = u64::from(length.ilog2() - EXACT.ilog2());
    let within = (length >> (doubling + 1)) - BINS_PER_DOUBLING;
    (EXACT + doubling * BINS_PER_DOUBLING + within) as usize
}

/// The first and last length of a bin.
fn range_of(bin: usize) -> (u64, u64) {
    let bin = bin as u64;
    if bin < EXACT {
        return (bin, bin);
    }
    let doubling = (bin - EXACT) / BINS_PER_DOUBLING;
    let within = (bin - EXACT) % BINS_PER_DOUBLING;
    let first = (BINS_PER_DOUBLING + within) << (doubling + 1);
    (first, first + (1 << (doubling + 1)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bins_cover_every_length_once() {
        let mut next = 0;
        for bin in 0..bin_of(u64::from(u32::MAX)) + 1 {
            let (first, last) = range_of(bin);
            assert_eq!(first, next);
            assert!(last >= first && bin_of(first) == bin && bin_of(last) == bin);
            assert!((last - first) as f64 <= first as f64 / 128.0);
            next = last + 1;
        }
        assert_eq!(next, 1 << 32);
    }

    #[test]
    fn quantiles_agree_with_a_sorted_list() {
        let lengths: Vec<u32> = (0..1000_u32).map(|n| n * n % 251).collect();
        let (mut ended, mut left) = (Lengths::default(), Lengths::default());
        for (n, &length) in lengths.iter().enumerate() {
            if n % 3 == 0 { left.add(length) } else { ended.add(length) }
        }
        let mut shortest = lengths.clone();
        shortest.sort_unstable();
        let mut longest: Vec<u32> = lengths.clone();
        longest.iter_mut().step_by(3).for_each(|length| *length = u32::MAX);
        longest.sort_unstable();
        for share in [0.001, 0.01, 0.5, 0.95, 0.999, 1.0] {
            let rank = (1000.0_f64 * share).ceil() as usize;
            let (least, most) = (shortest[rank - 1], longest[rank - 1]);
            let expected = Length { ticks: u64::from(least), at_least: least != most };
            assert_eq!(ended.quantile(&left, share), Some(expected), "{share}");
        }
        assert_eq!(ended.total() + left.total(), 1000);
        assert_eq!(Lengths::default().quantile(&Lengths::default(), 0.5), None);
    }

    #[test]
    fn one_survivor_does_not_blur_the_median() {
        let (mut ended, mut left) = (Lengths::default(), Lengths::default());
        (0..100).for_each(|_| ended.add(13));
        left.add(2);
        let length = |ticks, at_least| Some(Length { ticks, at_least });
        assert_eq!(ended.quantile(&left, 0.5), length(13, false));
        assert_eq!(ended.quantile(&left, 1.0), length(13, true));
    }
}
