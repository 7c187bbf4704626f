//! The settings of a pool's builder for the generations of its slots.

use crate::handle::HandleLayout;

/// How the generations of a pool's slots begin and end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GenerationSettings {
    pub(crate) name: Option<&'static str>,
    pub(crate) salt: Option<u64>,
    /// How many lifetimes each slot has at most.
    pub(crate) count: u32,
    pub(crate) wraps: bool,
    /// The largest generation, unless the handle layout's is smaller.
    pub(crate) generation_max: u32,
}

impl GenerationSettings {
    /// No name, no salt, no limit, and slots retire.
    pub(crate) const PLAIN: Self =
        Self { name: None, salt: None, count: u32::MAX, wraps: false, generation_max: u32::MAX };

    /// The largest generation with handles of this layout.
    pub(crate) const fn generation_max<H: HandleLayout>(&self) -> u32 {
        if self.generation_max < H::LIFETIMES_MAX { self.generation_max } else { H::LIFETIMES_MAX }
    }

    /// The first generation, from 1 to `max`: 1, or a number computed from the name and the salt.
    pub(crate) const fn start(&self, max: u32) -> u32 {
        if self.name.is_none() && self.salt.is_none() {
            return 1;
        }
        // A mark before each, so that no name or salt equals a missing one.
        let mut hash = 0xcbf2_9ce4_8422_2325;
        if let Some(name) = self.name {
            hash = fnv_1a(name.as_bytes(), fnv_1a(&[1], hash));
        }
        if let Some(salt) = self.salt {
            hash = fnv_1a(&salt.to_le_bytes(), fnv_1a(&[2], hash));
        }
        (mixed(hash) % max as u64) as u32 + 1
    }

    /// How many lifetimes each slot has, from 1 to `max`.
    #[inline]
    pub(crate) const fn count_up_to(&self, max: u32) -> u32 {
        match self.count {
            0 => 1,
            count if count > max => max,
            count => count,
        }
    }
}

/// The FNV-1a hash, 64 bits (Fowler, Noll, Vo): short names in, no table, the same on every platform.
#[inline]
const fn fnv_1a(bytes: &[u8], basis: u64) -> u64 {
    let mut hash = basis;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): spreads every bit over the whole word, so
/// that names which differ in one letter start far apart.
#[inline]
const fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The methods that set the [`GenerationSettings`] in a field of a builder.
macro_rules! generation_methods {
    ($($field:ident).+) => {
        /// Sets a name for error messages. Pools with different names start their generations at
        /// different points, so that each refuses the other's handles: with eight-byte handles, the
        /// probability that two pools with up to `n` uses per slot overlap is about 2 × `n` / 2^31.
        /// (With [`Handle32`](crate::Handle32), there are only as many points as lifetimes per
        /// slot, and two names may well share one.) The points depend only on the name, and are the
        /// same on every machine.
        pub const fn name(mut self, name: &'static str) -> Self {
            self.$($field).+.name = Some(name);
            self
        }

        /// Sets a number that distinguishes this pool from others with the same name, or without
        /// one. It works like [`name`](Self::name), and together with it.
        pub const fn salt(mut self, salt: u64) -> Self {
            self.$($field).+.salt = Some(salt);
            self
        }

        /// Makes a slot whose generations are used up start again at its first, instead of
        /// retiring. A handle that was kept for that many lifetimes of its slot then names another
        /// object: 2^31 − 1 with [`Handle`](crate::Handle), 255 with a `Handle32` of 24 index bits,
        /// fewer with more index bits or a [limit](Self::lifetimes).
        pub const fn wrap(mut self) -> Self {
            self.$($field).+.wraps = true;
            self
        }

        /// Makes a slot whose generations are used up retire: it is never reused, and no handle
        /// ever names two objects. This is the default.
        pub const fn retire(mut self) -> Self {
            self.$($field).+.wraps = false;
            self
        }

        /// Limits the lifetimes of each slot to `per_slot`; 0 counts as 1, and the handle layout's
        /// own limit also applies. With 1, no slot is ever used twice.
        pub const fn lifetimes(mut self, per_slot: u32) -> Self {
            self.$($field).+.count = per_slot;
            self
        }
    };
}
pub(crate) use generation_methods;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_is_1_until_pools_can_be_told_apart() {
        let plain = GenerationSettings::PLAIN;
        let named = |name, salt| GenerationSettings { name, salt, ..GenerationSettings::PLAIN };
        assert_eq!(plain.start(100), 1);
        assert_ne!(named(Some("a"), None).start(1 << 30), named(Some("b"), None).start(1 << 30));
        assert_ne!(named(Some("a"), None).start(1 << 30), named(Some("a"), Some(1)).start(1 << 30));
        assert_ne!(named(None, Some(0)).start(1 << 30), named(None, Some(1)).start(1 << 30));
        assert_ne!(named(Some("a"), None).start(1 << 30), named(Some("a"), Some(0)).start(1 << 30));
        assert_ne!(named(Some(""), None).start(1 << 30), named(None, Some(0)).start(1 << 30));
    }

    #[test]
    fn start_is_the_same_on_every_platform_and_within_range() {
        let named = GenerationSettings {
            name: Some("bullets"),
            salt: Some(7),
            ..GenerationSettings::PLAIN
        };
        assert_eq!(named.start(u32::MAX >> 1), START_OF_BULLETS_7);
        for max in 1..200 {
            assert!((1..=max).contains(&named.start(max)));
        }
    }

    /// Recorded: a change of it would change the handles of every named pool.
    const START_OF_BULLETS_7: u32 = 432_073_660;

    #[test]
    fn the_count_is_at_least_1_and_no_more_than_there_are() {
        let counts = [0, 1, 2, 99, 100, 101, u32::MAX];
        let limited = counts.map(|count| {
            GenerationSettings { count, ..GenerationSettings::PLAIN }.count_up_to(100)
        });
        assert_eq!(limited, [1, 1, 2, 99, 100, 100, 100]);
    }
}
