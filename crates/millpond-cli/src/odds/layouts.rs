//! The handle layouts that millpond offers, each with a real pool to try it on.

use millpond::{Handle, Handle32, HandleLayout, Pool, reuse::Lifo};

use super::{byte_map::ByteMap, simulation::Issuer};

/// How many uses of a slot the byte-map pool tells apart: its seed has seven bits.
const BYTE_MAP_LIFETIMES: u64 = 128;
/// Slots that the byte-map pool can name: the handle is a signed 32-bit number, 8 bits of it byte.
const BYTE_MAP_SLOTS_MAX: u64 = 1 << 23;

/// Builds a pool of so many slots.
type Build = fn(slots: usize) -> Box<dyn Issuer>;

/// One handle layout.
pub(super) struct Layout {
    pub(super) name: String,
    /// How many slots a pool with this layout can have.
    pub(super) slots_max: u64,
    /// After how many lifetimes a slot's handles begin again, or the slot retires.
    pub(super) lifetimes_per_slot: u64,
    /// A pool whose slots begin again.
    pub(super) wrapping: Build,
    /// A pool whose slots retire, where the layout's pools can.
    pub(super) retiring: Option<Build>,
}

/// The byte-map pool first, then millpond's own from the widest handle to the fewest lifetimes.
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
        slots_max: BYTE_MAP_SLOTS_MAX,
        lifetimes_per_slot: BYTE_MAP_LIFETIMES,
        wrapping: |slots| Box::new(ByteMap::new(slots)),
        retiring: None,
    }
}

fn of<H: HandleLayout + 'static>(name: String) -> Layout {
    Layout {
        name,
        slots_max: H::CAPACITY_MAX as u64,
        lifetimes_per_slot: u64::from(H::LIFETIMES_MAX),
        wrapping: |slots| {
            Box::new(
                Pool::<()>::builder()
                    .capacity(slots)
                    .handle::<H>()
                    .wrap()
                    .build(),
            )
        },
        retiring: Some(|slots| {
            Box::new(
                Pool::<()>::builder()
                    .capacity(slots)
                    .handle::<H>()
                    .retire()
                    .build(),
            )
        }),
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
