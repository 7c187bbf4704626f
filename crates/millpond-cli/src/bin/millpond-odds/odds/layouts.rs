//! The handle layouts that millpond offers, each with real pools to try it on.

use millpond::{Handle, Handle32, HandleLayout, Pool, reuse::Lifo};
use millpond_classic::BytemapPool;

use super::simulation::Issuer;

/// The number of uses of a slot that the byte-map pool distinguishes: its seed has seven bits.
const BYTE_MAP_LIFETIMES: u64 = 128;

/// Builds a pool of this many slots.
type Build = fn(slots: usize) -> Box<dyn Issuer>;

/// One handle layout.
pub(super) struct Layout {
    pub(super) name: String,
    /// How many slots a pool with this layout can have.
    pub(super) slots_max: u64,
    /// After how many lifetimes a slot's handles begin again.
    pub(super) lifetimes_per_slot: u64,
    /// After how many lifetimes a slot retires instead.
    pub(super) lifetimes_until_retired: u64,
    /// A pool whose slots begin again.
    pub(super) wrapping: Build,
    /// A pool whose slots retire.
    pub(super) retiring: Build,
}

/// The byte-map pool first, then millpond's own layouts, the fewest index bits first.
pub(super) fn all() -> Vec<Layout> {
    let mut layouts = vec![byte_map(), of::<Handle<()>>("Handle<T>".to_owned())];
    macro_rules! handle32 {
        ($($bits:literal)*) => {
            $(layouts.push(of::<Handle32<(), $bits>>(format!("Handle32<T, {}>", $bits)));)*
        };
    }
    handle32!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    handle32!(17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    layouts
}

fn byte_map() -> Layout {
    Layout {
        name: "byte-map pool".to_owned(),
        slots_max: BytemapPool::<()>::CAPACITY_MAX as u64,
        lifetimes_per_slot: BYTE_MAP_LIFETIMES,
        // Seeds start with 1, and the pool gives a slot up when the next seed would be 0.
        lifetimes_until_retired: BYTE_MAP_LIFETIMES - 1,
        wrapping: |slots| Box::new(BytemapPool::new(slots)),
        retiring: |slots| Box::new(BytemapPool::retiring(slots)),
    }
}

fn of<H: HandleLayout + 'static>(name: String) -> Layout {
    Layout {
        name,
        slots_max: H::CAPACITY_MAX as u64,
        lifetimes_per_slot: u64::from(H::LIFETIMES_MAX),
        lifetimes_until_retired: u64::from(H::LIFETIMES_MAX),
        wrapping: |slots| {
            Box::new(Pool::<()>::builder().capacity(slots).handle::<H>().wrap().build())
        },
        retiring: |slots| {
            Box::new(Pool::<()>::builder().capacity(slots).handle::<H>().retire().build())
        },
    }
}

impl<H: HandleLayout> Issuer for Pool<(), Lifo, H> {
    fn take(&mut self) -> Option<u64> {
        self.insert(()).ok().map(H::to_bits)
    }

    fn release(&mut self, handle: u64) {
        H::from_bits(handle).and_then(|handle| self.remove(handle));
    }
}

impl Issuer for BytemapPool<()> {
    fn take(&mut self) -> Option<u64> {
        self.insert(()).ok().and_then(|handle| u64::try_from(handle).ok())
    }

    fn release(&mut self, handle: u64) {
        i32::try_from(handle).ok().and_then(|handle| self.remove(handle));
    }
}
