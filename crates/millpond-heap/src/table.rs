//! Sets of a fixed size that live in a `static`: they never allocate.

/// How far from its home an entry may lie.
const PROBES_MAX: usize = 32;

/// A set of non-zero keys, numbered from 1 in order of insertion.
pub(crate) struct Table<const N: usize> {
    keys: [u64; N],
    numbers: [u32; N],
    entries: u32,
}

/// The result of inserting a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The key was in the table.
    Known(u32),
    /// The key was inserted.
    New(u32),
    /// The table has no room for the key.
    Full,
}

impl<const N: usize> Table<N> {
    pub(crate) const fn new() -> Self {
        assert!(N.is_power_of_two(), "places are found by a mask");
        Self { keys: [0; N], numbers: [0; N], entries: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.keys.fill(0);
        self.entries = 0;
    }

    #[inline]
    pub(crate) fn enter(&mut self, key: u64) -> Entry {
        let key = key.max(1);
        let home = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        for probe in 0..PROBES_MAX {
            let at = (home + probe) & (N - 1);
            if self.keys[at] == key {
                return Entry::Known(self.numbers[at]);
            }
            if self.keys[at] == 0 {
                self.entries += 1;
                self.keys[at] = key;
                self.numbers[at] = self.entries;
                return Entry::New(self.entries);
            }
        }
        Entry::Full
    }

    /// All keys, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.keys.iter().copied().filter(|key| *key != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_own_number_until_there_is_no_room() {
        let mut table = Table::<64>::new();
        let mut numbers = std::collections::HashMap::new();
        let mut full = 0;
        for key in (1..200_u64).map(|n| n * n) {
            match table.enter(key) {
                Entry::New(number) => assert_eq!(numbers.insert(key, number), None),
                Entry::Known(_) => panic!("{key} is new"),
                Entry::Full => full += 1,
            }
        }
        assert!(full >= 199 - 64, "{full}");
        for (&key, &number) in &numbers {
            assert_eq!(table.enter(key), Entry::Known(number));
        }
        let mut keys: Vec<u64> = table.keys().collect();
        keys.sort_unstable();
        let mut expected: Vec<u64> = numbers.into_keys().collect();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        table.clear();
        assert_eq!(table.keys().count(), 0);
    }
}
