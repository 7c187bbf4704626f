//! Handles as plain data: their sizes, bits, printing, order and hash; and what pools make of bits
//! that nobody issued.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use millpond::reuse::Lifo;
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, Pool, Recycler, StaticPool,
    VecPool,
};
use millpond_overflow::{Overflow, PolicyPool};

/// The largest generation of a [`Handle`].
const GENERATION_MAX: u32 = (1 << 31) - 1;

#[test]
fn handle_has_8_bytes_and_so_has_an_option_of_it() {
    assert_eq!(size_of::<Handle<String>>(), 8);
    assert_eq!(size_of::<Option<Handle<String>>>(), 8);
    assert_eq!(size_of::<Handle<[u8]>>(), 8);
}

#[test]
fn handle32_has_4_bytes_and_so_has_an_option_of_it() {
    assert_eq!(size_of::<Handle32<String>>(), 4);
    assert_eq!(size_of::<Option<Handle32<String>>>(), 4);
    assert_eq!(size_of::<Option<Handle32<str, 1>>>(), 4);
    assert_eq!(size_of::<Option<Handle32<str, 31>>>(), 4);
}

#[test]
fn handle32_has_20_index_bits_unless_told_otherwise() {
    assert_eq!(<Handle32<()> as HandleLayout>::CAPACITY_MAX, 1 << 20);
    assert_eq!(<Handle32<()> as HandleLayout>::LIFETIMES_MAX, 4095);
}

#[test]
fn handles_print_as_index_v_generation() {
    let wide = Handle::<()>::from_parts(3, 7).unwrap();
    assert_eq!((format!("{wide}"), format!("{wide:?}")), ("3v7".into(), "3v7".into()));
    let narrow = Handle32::<(), 24>::from_parts(3, 7).unwrap();
    assert_eq!((format!("{narrow}"), format!("{narrow:?}")), ("3v7".into(), "3v7".into()));
    assert_eq!(("3v7".parse(), "3v7".parse()), (Ok(wide), Ok(narrow)));
    let longest = Handle::<()>::from_parts(u32::MAX - 1, GENERATION_MAX).unwrap();
    assert_eq!(longest.to_string(), "4294967294v2147483647");
}

#[test]
fn handles_print_padded_to_a_width() {
    let wide = Handle::<()>::from_parts(3, 7).unwrap();
    assert_eq!(format!("{wide:6}|{wide:>6}|{wide:^7}|{wide:*<5}"), "3v7   |   3v7|  3v7  |3v7**");
    assert_eq!(format!("{wide:>6?}"), "   3v7");
    let narrow = Handle32::<()>::from_parts(12, 345).unwrap();
    assert_eq!(format!("{narrow:>8}|{narrow:2}"), "  12v345|12v345");
}

#[test]
fn handles_order_by_index_then_generation() {
    let wide = |index, generation| Handle::<()>::from_parts(index, generation).unwrap();
    let narrow = |index, generation| Handle32::<(), 16>::from_parts(index, generation).unwrap();
    let parts = [(0, 1), (0, 2), (0, 32_767), (1, 1), (2, 300), (300, 1), (65_535, 32_767)];
    for a in parts {
        for b in parts {
            assert_eq!(wide(a.0, a.1).cmp(&wide(b.0, b.1)), a.cmp(&b));
            assert_eq!(narrow(a.0, a.1).cmp(&narrow(b.0, b.1)), a.cmp(&b));
            assert_eq!(wide(a.0, a.1).partial_cmp(&wide(b.0, b.1)), Some(a.cmp(&b)));
            assert_eq!(wide(a.0, a.1) == wide(b.0, b.1), a == b);
        }
    }
}

/// Writes down what a value gives to a hasher.
#[derive(Default)]
struct Recording(Vec<(&'static str, u64)>);

impl Hasher for Recording {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.push(("write", bytes.len() as u64));
    }
    fn write_u32(&mut self, value: u32) {
        self.0.push(("write_u32", value.into()));
    }
    fn write_u64(&mut self, value: u64) {
        self.0.push(("write_u64", value));
    }
}

fn hashed(value: impl Hash) -> Vec<(&'static str, u64)> {
    let mut hasher = Recording::default();
    value.hash(&mut hasher);
    hasher.0
}

#[test]
fn handles_hash_as_one_word_of_their_size() {
    let wide = Handle::<()>::from_parts(3, 7).unwrap();
    assert_eq!(hashed(wide), [("write_u64", wide.to_bits())]);
    let narrow = Handle32::<()>::from_parts(3, 7).unwrap();
    assert_eq!(hashed(narrow), [("write_u32", narrow.to_bits())]);
}

#[test]
fn handles_of_values_that_are_neither_send_nor_sync_nor_clone_are_plain_data() {
    fn is_plain<P: Copy + Send + Sync + Ord + Hash + 'static>() {}
    struct Neither(#[expect(dead_code, reason = "it is there for its type")] Rc<Cell<u8>>);
    is_plain::<Handle<Neither>>();
    is_plain::<Handle32<Neither>>();
    is_plain::<Handle<dyn Fn()>>();
    is_plain::<Handle32<[Neither], 3>>();
}

#[test]
fn relabelled_handles_are_the_same_handles_for_another_type() {
    struct Position;
    let wide = Handle::<u64>::from_parts(3, 7).unwrap();
    let relabelled: Handle<Position> = wide.relabel();
    assert_eq!(relabelled.to_bits(), wide.to_bits());
    assert_eq!(relabelled.relabel::<u64>(), wide);
    let narrow = Handle32::<u64, 12>::from_parts(3, 7).unwrap();
    let relabelled: Handle32<Position, 12> = narrow.relabel();
    assert_eq!(relabelled.to_bits(), narrow.to_bits());
}

/// Zero, one, both sides of every power of two, and the largest.
fn borders() -> Vec<u32> {
    let powers = (0..32).flat_map(|bit| {
        let power = 1u32 << bit;
        [power - 1, power, power + 1]
    });
    powers.chain([u32::MAX - 1, u32::MAX]).collect()
}

/// Every way from parts to bits and back, at all borders, against the layout in words: the index
/// above `generation_bits` of generation.
fn parts_and_bits<H: HandleLayout>(slots: u64, generation_max: u32, generation_bits: u32) {
    assert_eq!(H::CAPACITY_MAX as u64, slots);
    assert_eq!(H::LIFETIMES_MAX, generation_max);
    let dangling = (H::DANGLING.index(), H::DANGLING.generation());
    assert!(dangling.1 == 0 && u64::from(dangling.0) >= slots - 1);
    for index in borders() {
        for generation in borders() {
            let fits = u64::from(index) < slots && (1..=generation_max).contains(&generation);
            let fits = fits || (index, generation) == dangling;
            let handle = H::from_parts(index, generation);
            assert_eq!(handle.is_some(), fits, "{index} {generation}");
            let Some(handle) = handle else { continue };
            assert_eq!((handle.index(), handle.generation()), (index, generation));
            let bits = u64::from(index) << generation_bits | u64::from(generation);
            assert_eq!(handle.to_bits(), bits);
            assert_eq!(H::from_bits(bits), Some(handle));
        }
    }
}

/// Bits of any kind are no handle, or those of the handle's own parts.
fn any_bits<H: HandleLayout>() {
    for high in borders() {
        for low in borders() {
            let bits = u64::from(high) << 32 | u64::from(low);
            if let Some(handle) = H::from_bits(bits) {
                assert_eq!(handle.to_bits(), bits);
                assert_eq!(H::from_parts(handle.index(), handle.generation()), Some(handle));
            }
        }
    }
}

#[test]
fn handle_goes_from_parts_to_bits_and_back_at_all_borders() {
    parts_and_bits::<Handle<()>>(u64::from(u32::MAX), GENERATION_MAX, 32);
    any_bits::<Handle<()>>();
}

/// The same for each `INDEX_BITS`. Of 16 generation bits one is kept for "dead".
macro_rules! for_index_bits {
    ($($bits:literal)*) => {$(
        let generation_bits = 32 - $bits;
        let used_bits = if generation_bits == 16 { 15 } else { generation_bits };
        let generation_max = ((1u64 << used_bits) - 1) as u32;
        parts_and_bits::<Handle32<(), $bits>>(1 << $bits, generation_max, generation_bits);
        any_bits::<Handle32<(), $bits>>();
    )*};
}

#[test]
fn handle32_of_every_index_width_goes_from_parts_to_bits_and_back_at_all_borders() {
    for_index_bits!(
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    );
}

/// The inherent functions, which are `const`, say what the trait's say.
#[test]
fn handles_can_be_made_at_compile_time() {
    const WIDE: Handle<()> = Handle::from_parts(3, 7).unwrap();
    const NARROW: Handle32<(), 24> = Handle32::from_bits(3 << 8 | 7).unwrap();
    const LABEL: Handle<u64> = WIDE.relabel();
    assert_eq!((WIDE.index(), WIDE.generation(), WIDE.to_bits()), (3, 7, 3 << 32 | 7));
    assert_eq!((NARROW.index(), NARROW.generation(), NARROW.to_bits()), (3, 7, 3 << 8 | 7));
    assert_eq!(LABEL.to_bits(), WIDE.to_bits());
}

#[test]
fn bits_that_no_pool_can_issue_are_no_handle() {
    assert_eq!(Handle::<()>::from_bits(0), None);
    assert_eq!(Handle::<()>::from_bits(5 << 32), None, "generation 0");
    assert_eq!(Handle::<()>::from_bits(5 << 32 | 1 << 31), None, "the bit that means dead");
    assert_eq!(Handle::<()>::from_bits(5 << 32 | 1 << 31 | 7), None);
    assert_eq!(Handle::<()>::from_bits(u64::MAX), None);
    assert_eq!(Handle::<()>::from_bits(u64::from(u32::MAX) << 32 | 1), None, "no such slot");
    assert_eq!(Handle32::<(), 16>::from_bits(5 << 16 | 1 << 15), None, "the bit that means dead");
    assert_eq!(Handle32::<(), 16>::from_bits(1 << 32 | 1), None, "more than 32 bits");
    assert_eq!(Handle32::<(), 31>::from_bits(2), None, "generation 0");
    assert_eq!(Handle32::<(), 31>::from_bits(3).unwrap().to_string(), "1v1");
}

/// With every feature: a destructor that named the type of handles would make this an error (E0597).
#[test]
fn the_label_of_handles_may_end_before_their_pool() {
    type Label<'a> = Handle<&'a u64>;
    type Labelled<'a> = (
        Pool<u64, Lifo, Label<'a>>,
        PackedPool<u64, Label<'a>>,
        VecPool<u64, Lifo, Label<'a>>,
        StaticPool<u64, 1, Label<'a>>,
        Recycler<u64, Lifo, Label<'a>>,
        HandleAllocator<Lifo, Label<'a>>,
        PolicyPool<u64, Lifo, Label<'a>>,
    );
    fn labelled<'a>(_: &'a u64) -> Labelled<'a> {
        let builder = Pool::<u64>::builder().handle::<Label<'a>>().capacity(1);
        (
            builder.clone().build(),
            PackedPool::<u64>::builder().handle().capacity(1).build(),
            VecPool::<u64>::builder().handle().build(),
            StaticPool::<u64, 1>::builder().handle().build(),
            Recycler::<u64>::builder().handle().capacity(1).build(),
            HandleAllocator::builder().handle().capacity(1).build(),
            PolicyPool::new(Overflow::Refuse, builder, 0),
        )
    }

    let mut pools = None;
    let label = 5;
    let (pool, ..) = pools.insert(labelled(&label));
    assert!(pool.insert(label).is_ok());
}
