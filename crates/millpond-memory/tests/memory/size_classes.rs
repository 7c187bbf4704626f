//! `SizeClasses`: no two allocations overlap, none loses its contents, each is aligned, and everything
//! is counted, whatever is asked in whatever order.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::NonNull;

use crate::allocations::{Allocations, during, refusing};
use crate::common::Random;
use millpond_memory::SizeClasses;
use millpond_memory::size_classes::{Overflow, Refused, SizeClassesBuilder, SizeClassesError};

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).unwrap()
}

/// Gives memory back that no test uses any more.
fn free(memory: &SizeClasses, slot: NonNull<[u8]>, layout: Layout) {
    // SAFETY: it was allocated there with this layout, once.
    unsafe { memory.deallocate(slot.cast(), layout) };
}

/// Memory that the test holds, filled with a pattern of its own.
#[derive(Clone, Copy, Debug)]
struct Held {
    memory: NonNull<u8>,
    layout: Layout,
    seed: u8,
}

impl Held {
    fn new(memory: NonNull<[u8]>, layout: Layout, seed: u8) -> Self {
        assert_eq!(memory.len(), layout.size());
        let memory = memory.cast::<u8>();
        assert_eq!(memory.as_ptr().addr() % layout.align(), 0, "{layout:?}");
        Self { memory, layout, seed }
    }

    fn fill(&self) {
        for at in 0..self.layout.size() {
            // SAFETY: the memory has so many bytes.
            let byte = unsafe { self.memory.add(at) };
            // SAFETY: this test alone uses it.
            unsafe { byte.write(self.seed.wrapping_add(at as u8)) };
        }
    }

    /// Checks the first bytes.
    fn check(&self, bytes: usize) {
        for at in 0..bytes {
            // SAFETY: the memory has so many bytes.
            let byte = unsafe { self.memory.add(at) };
            // SAFETY: `fill` has written it.
            let found = unsafe { byte.read() };
            assert_eq!(found, self.seed.wrapping_add(at as u8), "{self:?} was overwritten");
        }
    }
}

/// An allocator and all that it must know.
struct Tester {
    memory: SizeClasses,
    held: Vec<Held>,
    /// The ranges of addresses in use: first to last byte.
    ranges: BTreeMap<usize, usize>,
    next_seed: u8,
}

impl Tester {
    fn new(builder: SizeClassesBuilder) -> Self {
        Self { memory: builder.build(), held: Vec::new(), ranges: BTreeMap::new(), next_seed: 1 }
    }

    fn hold(&mut self, held: Held) {
        held.fill();
        self.enter(held);
    }

    fn enter(&mut self, held: Held) {
        if held.layout.size() > 0 {
            let first = held.memory.as_ptr().addr();
            let last = first + held.layout.size() - 1;
            let before = self.ranges.range(..=last).next_back();
            assert!(before.is_none_or(|(_, end)| *end < first), "two allocations overlap");
            self.ranges.insert(first, last);
        }
        self.held.push(held);
    }

    fn let_go(&mut self, at: usize) -> Held {
        let held = self.held.swap_remove(at);
        self.ranges.remove(&held.memory.as_ptr().addr());
        held
    }

    fn allocate(&mut self, layout: Layout, zeroed: bool) -> Result<(), Refused> {
        self.next_seed = self.next_seed.wrapping_mul(5).wrapping_add(1);
        let memory = match zeroed {
            true => self.memory.allocate_zeroed(layout)?,
            false => self.memory.allocate(layout)?,
        };
        let held = Held::new(memory, layout, self.next_seed);
        if zeroed {
            // SAFETY: the memory has so many bytes, all of them written.
            assert!(unsafe { memory.as_ref() }.iter().all(|byte| *byte == 0));
        }
        self.hold(held);
        Ok(())
    }

    fn deallocate(&mut self, at: usize) {
        let held = self.let_go(at);
        held.check(held.layout.size());
        // SAFETY: the memory was allocated here with this layout, and is not held any more.
        unsafe { self.memory.deallocate(held.memory, held.layout) };
    }

    fn resize(&mut self, at: usize, new: Layout) {
        let held = self.let_go(at);
        held.check(held.layout.size());
        let grows = new.size() >= held.layout.size();
        let moved = match grows {
            // SAFETY: as in `deallocate`, and the size does not fall.
            true => unsafe { self.memory.grow(held.memory, held.layout, new) },
            // SAFETY: as in `deallocate`, and the size falls.
            false => unsafe { self.memory.shrink(held.memory, held.layout, new) },
        };
        match moved {
            Ok(moved) => {
                let moved = Held::new(moved, new, held.seed);
                moved.check(held.layout.size().min(new.size()));
                self.hold(moved);
            }
            Err(_) => {
                held.check(held.layout.size());
                self.enter(held);
            }
        }
    }

    fn check(&self) {
        self.held.iter().for_each(|held| held.check(held.layout.size()));
        let stats = self.memory.stats();
        let mut live = 0;
        for (class, stats) in self.memory.class_stats().enumerate() {
            let of_class =
                || self.held.iter().filter(|held| self.memory.class_of(held.layout) == Some(class));
            assert!(stats.live <= of_class().count() && stats.live <= stats.peak);
            if stats.overflows == 0 {
                assert_eq!(stats.live, of_class().count());
                let asked: usize = of_class().map(|held| held.layout.size()).sum();
                assert_eq!(stats.bytes_asked, asked);
                assert_eq!(stats.bytes_wasted, stats.live * stats.slot_bytes - asked);
            }
            assert!(stats.live <= stats.slots);
            live += stats.live;
        }
        let with_size = self.held.iter().filter(|held| held.layout.size() > 0).count();
        assert_eq!(live + stats.fallen_back, with_size);
        let blocks: usize = self.memory.class_stats().map(|class| class.blocks).sum();
        assert_eq!(blocks + stats.blocks_spare, stats.blocks);
        assert!(stats.blocks <= stats.blocks_peak);
        assert!(stats.fallen_back_bytes <= stats.fallen_back_bytes_peak);
    }
}

fn any_layout(random: &mut Random) -> Layout {
    let bytes = match random.below(10) {
        0 => 0,
        1..6 => random.below(70),
        6..9 => random.below(400),
        _ => random.below(3000),
    };
    let aligns = if random.below(10) == 0 { 9 } else { 5 };
    layout(bytes, 1 << random.below(aligns))
}

fn random_requests(builder: SizeClassesBuilder, steps: usize, seed: u64) {
    let mut tester = Tester::new(builder);
    let mut random = Random(seed);
    for step in 0..steps {
        let grows = step / 400 % 2 == 0;
        match random.below(100) {
            0..45 if grows || random.below(3) == 0 => {
                let _ = tester.allocate(any_layout(&mut random), step % 5 == 0);
            }
            0..75 if !tester.held.is_empty() => {
                let at = random.below(tester.held.len());
                tester.deallocate(at);
            }
            75..95 if !tester.held.is_empty() => {
                let at = random.below(tester.held.len());
                let old = tester.held[at].layout;
                let new = match random.below(3) {
                    0 => any_layout(&mut random),
                    1 => layout(old.size() + random.below(20), old.align()),
                    _ => layout(old.size() - random.below(20).min(old.size()), old.align()),
                };
                tester.resize(at, new);
            }
            95 => {
                let before = tester.memory.stats().blocks;
                let given_back = tester.memory.shrink_to_fit();
                assert_eq!(tester.memory.stats().blocks, before - given_back);
            }
            _ => {}
        }
        if step % 32 == 0 {
            tester.check();
        }
    }
    while !tester.held.is_empty() {
        tester.deallocate(0);
    }
    tester.check();
    let reserved: usize = tester.memory.class_stats().map(|class| class.slots_reserved).sum();
    tester.memory.shrink_to_fit();
    let stats = tester.memory.stats();
    assert_eq!((stats.fallen_back, stats.fallen_back_bytes), (0, 0));
    if reserved == 0 {
        assert_eq!(stats.blocks, 0);
    }
    assert_eq!(stats.blocks_spare, stats.blocks);
}

/// "Several pools of different block sizes behind one manager that picks the right one."
#[test]
fn no_two_allocations_overlap_under_any_policy() {
    let steps = if cfg!(miri) { 120 } else { 6000 };
    let policies = [Overflow::Refuse, Overflow::FallBack, Overflow::Grow];
    for (seed, overflow) in policies.into_iter().enumerate() {
        let builder = || SizeClasses::builder().block_bytes(1024).overflow(overflow);
        let seed = seed as u64 + 1;
        let reserved = [(8, 20), (16, 30), (24, 30), (48, 10), (64, 40), (200, 9), (504, 3)];
        random_requests(builder().classes(reserved), steps, seed);
        random_requests(builder().classes_up_to(960), steps, seed + 100);
        random_requests(builder().class(40, 10).max_blocks(5), steps, seed + 200);
        random_requests(SizeClasses::builder().classes_up_to(2048), steps, seed + 300);
    }
}

#[test]
fn hostile_layouts() {
    for overflow in [Overflow::Refuse, Overflow::FallBack, Overflow::Grow] {
        let memory = SizeClasses::builder().class(64, 3).overflow(overflow).build();
        for align_bits in [0, 3, 6, 12, 20, 62] {
            // Without a size: an aligned address, and nothing behind it.
            let nothing = layout(0, 1 << align_bits);
            let nowhere = memory.allocate(nothing).unwrap();
            assert_eq!(
                (nowhere.len(), nowhere.cast::<u8>().addr().get() % nothing.align()),
                (0, 0)
            );
            free(&memory, nowhere, nothing);
        }
        let refuses = overflow == Overflow::Refuse;
        // An interpreter gives up itself when it is asked for that much.
        if !cfg!(miri) {
            let huge = layout(isize::MAX as usize - 4095, 1);
            let refused = memory.allocate(huge).unwrap_err();
            assert_eq!(refused, if refuses { Refused::NoClass } else { Refused::OutOfMemory });
            assert_eq!(memory.stats().refused, 1);
        }
        for aligned in [layout(8, 128), layout(64, 4096), layout(1, 1 << 16)] {
            assert_eq!(memory.class_of(aligned), None);
            match memory.allocate(aligned) {
                Ok(given) => {
                    assert!(!refuses);
                    assert_eq!(given.cast::<u8>().addr().get() % aligned.align(), 0);
                    free(&memory, given, aligned);
                }
                Err(reason) => assert!(refuses && reason == Refused::NoClass),
            }
        }
        // Growing beyond everything fails, and the contents stay.
        let small = layout(8, 8);
        let slot = memory.allocate(small).unwrap();
        let mut held = Held::new(slot, small, 7);
        held.fill();
        if !cfg!(miri) {
            let beyond = layout(isize::MAX as usize - 7, 8);
            // SAFETY: it was allocated with the old layout.
            let grown = unsafe { memory.grow(held.memory, small, beyond) };
            assert!(grown.is_err());
        }
        held.check(8);
        // From a size to none and back.
        let nothing = layout(0, 8);
        // SAFETY: as above.
        held.memory = unsafe { memory.shrink(held.memory, small, nothing) }.unwrap().cast();
        assert_eq!(memory.class_stats().next().unwrap().live, 0);
        // SAFETY: as above.
        let back = unsafe { memory.grow(held.memory, nothing, small) }.unwrap();
        // SAFETY: as above.
        unsafe { memory.deallocate(back.cast(), small) };
        assert_eq!(memory.stats().fallen_back, 0);
    }
}

#[test]
fn what_is_reserved_for_a_class_no_other_can_use_up() {
    let builder = SizeClasses::builder().block_bytes(1024).overflow(Overflow::Refuse);
    // 60 slots of 16 bytes to a block, 30 of 32, 15 of 64.
    let memory = builder.classes([(16, 100), (32, 30), (64, 0)]).build();
    assert_eq!(memory.stats().blocks, 3);
    let take_all = |bytes: usize| {
        std::iter::from_fn(|| memory.allocate(layout(bytes, 8)).ok()).collect::<Vec<_>>()
    };
    // All blocks are promised, so that a class without a reserve gets none.
    assert_eq!(take_all(64).len(), 0);
    let small = take_all(16);
    assert_eq!(small.len(), 120);
    assert_eq!(take_all(32).len(), 30);
    let stats: Vec<_> =
        memory.class_stats().map(|class| (class.live, class.slots, class.overflows)).collect();
    assert_eq!(stats, [(120, 120, 1), (30, 30, 1), (0, 0, 1)]);
    for slot in small {
        free(&memory, slot, layout(16, 8));
    }
    // Empty, and yet kept for the class that it was promised to.
    assert_eq!(take_all(64).len(), 0);
    assert_eq!(take_all(16).len(), 120);
}

/// The block that was reserved serves another class, and the one that was taken since is kept for the
/// promise.
#[test]
fn what_is_promised_is_not_given_back() {
    let builder = SizeClasses::builder().classes([(64, 15), (32, 0)]).block_bytes(1024);
    let memory = builder.blocks_per_chunk(1).build();
    let take = |bytes: usize| memory.allocate(layout(bytes, 8)).unwrap().cast::<u8>();
    let give_back = |slot| {
        // SAFETY: it was allocated with this layout.
        unsafe { memory.deallocate(slot, layout(64, 8)) };
    };
    let reserved: Vec<_> = (0..15).map(|_| take(64)).collect();
    let more = take(64);
    reserved.into_iter().for_each(give_back);
    take(32);
    assert_eq!(memory.stats().blocks, 2);
    give_back(more);
    assert_eq!(memory.shrink_to_fit(), 0);
    (0..15).for_each(|_| _ = take(64));
    assert_eq!(memory.stats().blocks, 2);
    // Beyond what is reserved, one more is taken, and given back.
    let more = take(64);
    assert_eq!(memory.stats().blocks, 3);
    give_back(more);
    assert_eq!((memory.shrink_to_fit(), memory.stats().blocks), (1, 2));
}

#[test]
fn a_block_that_runs_empty_serves_another_class() {
    let builder = SizeClasses::builder().classes([(16, 0), (64, 0)]);
    let memory = builder.block_bytes(1024).blocks_per_chunk(1).build();
    let small: Vec<_> = (0..600).map(|_| memory.allocate(layout(16, 8)).unwrap()).collect();
    assert_eq!(memory.stats().blocks, 10);
    for slot in small {
        free(&memory, slot, layout(16, 8));
    }
    assert_eq!(memory.stats().blocks_spare, 9);
    (0..9 * 15).for_each(|_| assert!(memory.allocate(layout(64, 8)).is_ok()));
    assert_eq!((memory.stats().blocks, memory.stats().blocks_peak), (10, 10));
}

#[test]
fn growth_stops_at_the_limit_and_falling_back_never_grows() {
    let grows = SizeClasses::builder().class(64, 0).block_bytes(1024).max_blocks(2).build();
    (0..30).for_each(|_| assert!(grows.allocate(layout(64, 8)).is_ok()));
    assert_eq!(grows.allocate(layout(64, 8)), Err(Refused::NoSlot));
    assert_eq!(grows.stats().blocks, 2);

    let builder = SizeClasses::builder().class(64, 15).block_bytes(1024);
    let falls_back = builder.overflow(Overflow::FallBack).build();
    let all: Vec<_> = (0..40).map(|_| falls_back.allocate(layout(64, 8)).unwrap()).collect();
    let stats = falls_back.stats();
    assert_eq!((stats.blocks, stats.fallen_back, stats.fallen_back_bytes), (1, 25, 25 * 64));
    for slot in all.into_iter().rev() {
        free(&falls_back, slot, layout(64, 8));
    }
    assert_eq!(
        (falls_back.stats().fallen_back, falls_back.class_stats().next().unwrap().live),
        (0, 0)
    );
}

#[test]
fn slots_are_taken_without_any_memory_of_the_system() {
    let memory = SizeClasses::builder().class(32, 1000).overflow(Overflow::Refuse).build();
    let mut slots = Vec::with_capacity(1000);
    let ((), asked) = during(|| {
        for _ in 0..3 {
            slots.extend((0..1000).map(|_| memory.allocate(layout(30, 2)).unwrap()));
            for slot in slots.drain(..) {
                free(&memory, slot, layout(30, 2));
            }
        }
        assert_eq!(memory.shrink_to_fit(), 0);
    });
    assert_eq!(asked, Allocations::default());
    assert_eq!(memory.class_stats().next().unwrap().peak, 1000);
}

#[test]
fn all_of_it_goes_back_to_the_system() {
    let (_, asked) = during(|| {
        let memory = SizeClasses::builder().class(32, 1000).classes_up_to(512).build();
        for bytes in [8, 32, 100, 500] {
            (0..1000).for_each(|_| assert!(memory.allocate(layout(bytes, 8)).is_ok()));
        }
        memory.allocate(layout(10, 8)).unwrap();
    });
    assert_eq!(asked.taken, asked.freed);
}

#[test]
fn a_drop_frees_every_slot_and_nothing_of_the_global_allocator() {
    for overflow in [Overflow::Grow, Overflow::FallBack] {
        let (outside, counts) = during(|| {
            let memory = SizeClasses::builder().class(32, 1).overflow(overflow).build();
            let slot = memory.allocate(layout(32, 8)).unwrap();
            let too_large = memory.allocate(layout(100, 8)).unwrap();
            assert_eq!((slot.len(), too_large.len()), (32, 100));
            let mut outside = vec![too_large];
            if overflow == Overflow::FallBack {
                let more = memory.class_stats().next().unwrap().slots;
                outside.extend((0..more).map(|_| memory.allocate(layout(32, 8)).unwrap()).last());
                assert_eq!(memory.stats().fallen_back, 2);
            }
            for memory in &outside {
                // SAFETY: the bytes were allocated, and nothing else uses them.
                unsafe { memory.cast::<u8>().write_bytes(0xa5, memory.len()) };
            }
            outside
        });
        // The vector and its elements live on.
        assert_eq!(counts.taken - counts.freed, 1 + outside.len(), "{overflow:?}: {counts:?}");
        for memory in outside {
            // SAFETY: it was not deallocated, so it is still valid, and its bytes are initialised.
            let bytes = unsafe { memory.as_ref() };
            assert!(bytes.iter().all(|byte| *byte == 0xa5));
            // SAFETY: the global allocator provided it for this layout, and nothing uses it any more.
            unsafe { std::alloc::dealloc(memory.cast().as_ptr(), layout(memory.len(), 8)) };
        }
    }
}

#[test]
fn without_memory_a_request_is_refused() {
    let memory = SizeClasses::builder().class(64, 0).block_bytes(4096).build();
    refusing(1024, || {
        assert_eq!(memory.allocate(layout(64, 8)), Err(Refused::OutOfMemory));
        assert_eq!(memory.allocate(layout(2000, 8)), Err(Refused::OutOfMemory));
    });
    assert_eq!((memory.stats().refused, memory.stats().blocks), (2, 0));
    memory.allocate(layout(64, 8)).unwrap();
    let error = refusing(1024, || SizeClasses::builder().class(64, 100).try_build().unwrap_err());
    assert_eq!(error, SizeClassesError::OutOfMemory { blocks: 1 });
    // Nor has it room for the list of classes.
    let builder = refusing(1, || SizeClasses::builder().class(64, 100));
    assert!(matches!(builder.try_build(), Err(SizeClassesError::OutOfMemory { .. })));
}

#[test]
fn builders_that_cannot_be_say_why() {
    let builder = || SizeClasses::builder().block_bytes(1024);
    let classes = |count: usize| SizeClasses::builder().classes((1..=count).map(|n| (n * 8, 0)));
    for (builder, error, told) in [
        (
            builder(),
            SizeClassesError::NoClass,
            "size classes need a class: call `.class(bytes, slots)` or `.classes_up_to(bytes)`",
        ),
        (
            classes(256),
            SizeClassesError::TooManyClasses { classes: 256 },
            "256 classes are more than 255: merge some",
        ),
        (
            builder().class(961, 0),
            SizeClassesError::ClassTooLarge { bytes: 961, bytes_max: 960 },
            "a class of 961 bytes does not fit into a block, which has room for 960: raise \
             `block_bytes`, or leave such requests to the global allocator",
        ),
        (
            builder().class(8, 0).block_bytes(1000),
            SizeClassesError::BlockBytes { block_bytes: 1000 },
            "blocks of 1000 bytes: their size must be a power of two from 1024 to 1073741824",
        ),
        (
            builder().class(960, 6).max_blocks(5),
            SizeClassesError::ReservedTooMuch { blocks: 6, max_blocks: 5 },
            "the reserved slots need 6 blocks, more than the limit of 5: raise `max_blocks`",
        ),
    ] {
        let refused = builder.try_build().unwrap_err();
        assert_eq!((&*refused.to_string(), refused), (told, error));
    }
    assert!(classes(255).try_build().is_ok());
    assert!(builder().class(960, 5).max_blocks(5).try_build().is_ok());
    for block_bytes in [0, 512, 3000, 1 << 31, usize::MAX] {
        let error = builder().class(8, 0).block_bytes(block_bytes).try_build().unwrap_err();
        assert_eq!(error, SizeClassesError::BlockBytes { block_bytes });
    }
    let up_to = |bytes: usize| SizeClasses::builder().classes_up_to(bytes).try_build();
    for bytes in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, usize::MAX >> 24, 16_321] {
        let error = up_to(bytes).unwrap_err();
        assert!(matches!(error, SizeClassesError::ClassTooLarge { bytes_max: 16_320, .. }));
    }
    assert_eq!(up_to(16_320).unwrap().class_stats().last().unwrap().slot_bytes, 16_320);
    let endless = builder().class(8, usize::MAX).class(16, usize::MAX).try_build();
    assert!(matches!(endless.unwrap_err(), SizeClassesError::OutOfMemory { .. }));
    let much = refusing(2048, || builder().class(960, 7).try_build().unwrap_err().to_string());
    assert_eq!(much, "no memory for 7 blocks of size classes");
    // Sizes that are one class, with the slots of both; and a class of no bytes.
    let merged = builder().class(0, 1).class(9, 5).class(16, 7).build();
    let classes = merged.class_stats().map(|class| (class.slot_bytes, class.slots_reserved));
    assert!(classes.eq([(8, 1), (16, 12)]));
    assert!(std::panic::catch_unwind(|| SizeClasses::builder().build()).is_err());
}

#[test]
fn what_is_told_of_a_refused_request() {
    for (refused, told) in [
        (Refused::NoClass, "no class fits the layout: add one, or let requests fall back"),
        (
            Refused::NoSlot,
            "the class has no slot left: reserve more, let requests fall back, or raise the limit",
        ),
        (Refused::OutOfMemory, "the global allocator has no memory"),
    ] {
        assert_eq!(refused.to_string(), told);
    }
}

#[test]
fn an_allocator_tells_its_name_and_its_policy() {
    let builder = || SizeClasses::builder().class(8, 1);
    assert_eq!((builder().build().name(), builder().build().overflow()), (None, Overflow::Grow));
    for overflow in [Overflow::Refuse, Overflow::FallBack, Overflow::Grow] {
        let memory = builder().overflow(overflow).name("strings").build();
        assert_eq!((memory.name(), memory.overflow()), (Some("strings"), overflow));
    }
}

/// What the documentation of `classes_up_to` promises.
#[test]
fn classes_up_to_a_size_waste_a_fifth_at_most() {
    let memory = SizeClasses::builder().classes_up_to(4096).build();
    let sizes: Vec<_> = memory.class_stats().map(|class| class.slot_bytes).collect();
    assert!(sizes[..16].iter().copied().eq((1..=16).map(|granules| granules * 8)));
    // Four to each doubling.
    assert_eq!(sizes.len(), 16 + 4 * 5);
    assert!(sizes[15..].windows(5).all(|five| five[4] == 2 * five[0]));
    for bytes in 33..=4096 {
        let slot = sizes[memory.class_of(layout(bytes, 8)).unwrap()];
        assert!(bytes <= slot && (slot - bytes) * 5 <= slot, "{bytes} in {slot}");
    }
    assert_eq!(memory.class_of(layout(4097, 8)), None);
    // Also if there are as many as there can be.
    let most = SizeClasses::builder().classes((1..=255).map(|class| (class * 8, 0))).build();
    assert_eq!(most.class_of(layout(255 * 8, 8)), Some(254));
    assert_eq!(most.class_of(layout(255 * 8 + 1, 8)), None);
}

#[test]
fn takes_exactly_the_documented_bytes() {
    let sizes = [8, 16, 48, 1024];
    let builder = SizeClasses::builder().classes(sizes.map(|bytes| (bytes, 0)));
    let (_memory, asked) = during(|| builder.build());
    // A column of the table for a size of 0 as well.
    let table = 4 * (1024 / 8 + 1);
    let class = if cfg!(target_pointer_width = "64") { 128 } else { 64 };
    assert_eq!((asked.taken, asked.bytes_taken), (2, table + sizes.len() * class));
}

#[cfg(feature = "allocator-api2")]
mod containers {
    use super::{Overflow, Random, SizeClasses};
    use allocator_api2::{alloc::Allocator, boxed::Box, vec::Vec as VecIn};
    use hashbrown::{DefaultHashBuilder, HashMap};
    use std::collections::HashMap as StdMap;

    #[test]
    fn maps_vectors_and_boxes_live_in_it() {
        for overflow in [Overflow::FallBack, Overflow::Grow] {
            let builder = SizeClasses::builder().classes_up_to(512).class(32, 50);
            let memory = builder.overflow(overflow).build();
            let mut random = Random(9);
            let mut map: HashMap<u64, VecIn<Box<u64, _>, _>, _, _> =
                HashMap::with_hasher_in(DefaultHashBuilder::default(), &memory);
            let mut model: StdMap<u64, Vec<u64>> = StdMap::new();
            for step in 0..if cfg!(miri) { 100 } else { 20_000 } {
                let key = random.next() % 200;
                match random.below(10) {
                    0..7 => {
                        let list = map.entry(key).or_insert_with(|| VecIn::new_in(&memory));
                        list.push(Box::new_in(step, &memory));
                        model.entry(key).or_default().push(step);
                    }
                    7 => assert_eq!(
                        map.remove(&key).map(|list| list.iter().map(|v| **v).collect::<Vec<_>>()),
                        model.remove(&key)
                    ),
                    8 => {
                        map.values_mut().for_each(VecIn::shrink_to_fit);
                        map.shrink_to_fit();
                    }
                    _ => assert_eq!(
                        map.get(&key).and_then(|list| list.last()).map(|value| **value),
                        model.get(&key).and_then(|list| list.last()).copied()
                    ),
                }
            }
            assert_eq!(map.len(), model.len());
            drop(map);
            assert_eq!(memory.stats().fallen_back, 0);
            assert!(memory.class_stats().all(|class| class.live == 0 && class.bytes_asked == 0));
        }
    }

    #[test]
    fn growing_zeroed_zeroes_the_rest() {
        let memory = &SizeClasses::new();
        let layouts = [8, 12, 100, 2000].map(|bytes| super::layout(bytes, 4));
        let mut held = Allocator::allocate_zeroed(&memory, layouts[0]).unwrap().cast::<u8>();
        for pair in layouts.windows(2) {
            // SAFETY: it was allocated with the old layout, and the new one is larger.
            let grown = unsafe { memory.grow_zeroed(held, pair[0], pair[1]) }.unwrap();
            // SAFETY: all of it was written.
            assert!(unsafe { grown.as_ref() }.iter().all(|byte| *byte == 0));
            held = grown.cast();
        }
        // SAFETY: it was allocated with this layout.
        unsafe { memory.deallocate(held, layouts[3]) };
    }
}
