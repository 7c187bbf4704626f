//! A suite that an interpreter gets through in minutes: each operation on each pool at sizes just
//! large enough for every branch of the unsafe code. Run by `ci/sanitizers` under Miri.

use std::any::Any;
use std::cell::Cell;

use millpond::classic::{BytemapPool, PoolAllocator, PoolBox, RosterPool};
use millpond::debug::DebugAids;
use millpond::reuse::{Intrusive, Lifo, ReuseOrder};
use millpond::{
    AnyPool, AnyValue, BlockPool, FrameMemory, FramePool, FrameRef, Handle, Handle32, HandleLayout,
    PackedPool, Pool, Recycler, VecPool,
};

use crate::common::{Counted, Ledger, panics};
use crate::subject::{KindToRun, Plan, Run, Step, for_every_pool};

/// Values of every kind that matters: smaller than a link, as large, larger, without a size, with
/// padding, with a large alignment, and with a drop.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
struct Aligned(u8);

fn every_operation<T: Clone, R: ReuseOrder, H: HandleLayout>(make: impl Fn(u8) -> T) {
    let capacity = 67;
    let mut pool =
        Pool::<T>::builder().reuse(R::default()).handle::<H>().capacity(capacity).build();
    let handles: Vec<H> = (0..capacity).map(|id| pool.insert(make(id as u8)).unwrap()).collect();
    assert!(pool.insert(make(0)).is_err());
    for handle in handles.iter().step_by(3) {
        assert!(pool.remove(*handle).is_some());
        assert!(pool.remove(*handle).is_none() && pool.get(*handle).is_none());
    }
    let next = H::from_parts(0, handles[0].generation() + 1).unwrap();
    pool.insert_at(next, make(1)).unwrap();
    pool.validate().unwrap();
    let mut copy = pool.clone();
    copy.validate().unwrap();
    assert_eq!(copy.iter().count(), pool.len());

    let [a, b] = pool.get_disjoint_mut([handles[1], handles[65]]).unwrap();
    std::mem::swap(a, b);
    *pool.get_mut(handles[2]).unwrap() = make(9);
    let index = pool.index_of(&pool[handles[2]]);
    assert!(index.is_none_or(|index| index == 2));
    let (mut front, mut back) = (pool.iter(), pool.iter().rev());
    assert!(front.next().is_some() && back.next().is_some());
    pool.iter_mut().rev().for_each(|(_, value)| *value = make(3));
    pool.values_mut().for_each(|value| *value = make(4));
    for (_, run) in pool.runs_mut() {
        run.iter_mut().for_each(|value| *value = make(5));
    }
    // Two mutable runs at once.
    let mut runs = pool.runs_mut();
    let (first, last) = (runs.next().unwrap().1, runs.last().unwrap().1);
    std::mem::swap(&mut first[0], &mut last[0]);

    pool.retain(|handle, _| handle.index() % 2 == 0);
    assert!(pool.extract_if(|handle, _| handle.index() % 4 == 0).count() > 0);
    let _ = pool.insert_or_evict(make(1), |handle, _| handle.index());
    let mut drain = pool.drain();
    assert!(drain.next().is_some() && drain.next_back().is_some());
    std::mem::forget(drain);
    pool.validate().unwrap();
    drop(pool.drain());
    pool.insert_with(|_| make(2)).unwrap();
    pool.clear();
    pool.vacant_entry().unwrap().insert(make(2));
    pool.validate().unwrap();
    copy.clear();
    let mut rest = pool.into_iter();
    assert!(rest.next_back().is_some() && rest.next().is_none());
}

fn every_value<R: ReuseOrder>() {
    every_operation::<u8, R, Handle<u8>>(|id| id);
    every_operation::<(), R, Handle32<(), 16>>(|_| ());
    every_operation::<(u8, u64), R, Handle<(u8, u64)>>(|id| (id, 7));
    every_operation::<Aligned, R, Handle32<Aligned>>(Aligned);
    every_operation::<Box<u8>, R, Handle<Box<u8>>>(Box::new);
    let ledger = Ledger::default();
    every_operation::<Counted, R, Handle<Counted>>(|id| ledger.value(u64::from(id)));
    assert_eq!(ledger.alive(), 0);
}

/// (For the other orders, which have nothing to do with the values, see `every_step`.)
#[test]
fn pools() {
    every_value::<Lifo>();
    every_value::<Intrusive>();
}

#[test]
fn recyclers_and_classic_pools() {
    let mut recycler = Recycler::from_fn(3, |index| vec![index]);
    let (handle, object) = recycler.acquire().unwrap();
    object.push(7);
    assert!(recycler.release(handle) && !recycler.release(handle));
    recycler.as_mut_slice().iter_mut().for_each(Vec::clear);
    recycler.validate().unwrap();

    let mut cars = BytemapPool::new(3);
    let car = cars.insert(String::from("car")).unwrap();
    assert_eq!(cars.handle_of(cars.get(car).unwrap()), Some(car));
    cars.insert_at(1 << 8 | 5, String::from("bus")).unwrap();
    assert_eq!(cars.remove(car).as_deref(), Some("car"));
    cars.validate().unwrap();
    cars.clear();
    cars.flush();

    let mut roster = RosterPool::<u32>::new(3);
    let one = roster.allocate().unwrap();
    *roster.get_mut(one).unwrap() = 1;
    assert!(roster.free(one) && roster.validate().is_ok());
}

#[test]
fn guards_that_put_themselves_back() {
    struct Node {
        name: Counted,
        children: Vec<PoolBox<Node>>,
    }

    let ledger = Ledger::default();
    let pool = PoolAllocator::with_chunk_slots(2);
    let leaf = |id| pool.alloc(Node { name: ledger.value(id), children: Vec::new() });
    let mut root = leaf(1);
    root.children.extend([leaf(2), leaf(3), leaf(4)]);
    let taken = PoolBox::into_inner(root.children.swap_remove(0));
    assert_eq!((taken.name.id(), pool.len()), (2, 3));
    root.children[1].children.push(leaf(5));
    let pinned = pool.alloc_pin(Node { name: ledger.value(6), children: Vec::new() });
    drop(root);
    drop(pool);
    assert_eq!((pinned.name.id(), ledger.alive()), (6, 2));
    drop((pinned, taken));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn values_of_different_types() {
    let ledger = Ledger::default();
    let mut pool = AnyPool::<dyn Any, 32>::new(5);
    let noted = pool.insert(AnyValue::new(ledger.value(1))).unwrap();
    let text = pool.insert(AnyValue::new(String::from("a"))).unwrap();
    let nothing = pool.insert_with(|_| AnyValue::new(())).unwrap();
    pool.insert(AnyValue::new([0_u8; 31])).unwrap();
    let cell = pool.insert(AnyValue::new(Cell::new(1_u8))).unwrap();
    assert!(pool.insert(AnyValue::new(ledger.value(3))).is_err());
    // Written through what is shared, by its own type and as a trait object.
    let shared: [&AnyValue<_, 32>; 2] = [&pool[cell], &pool[cell]];
    shared[0].downcast_ref::<Cell<u8>>().unwrap().set(2);
    let whole: &dyn Any = &**shared[1];
    whole.downcast_ref::<Cell<u8>>().unwrap().set(whole.is::<Cell<u8>>().into());
    assert_eq!(shared[0].downcast_ref(), Some(&Cell::new(1_u8)));
    pool[text].downcast_mut::<String>().unwrap().push('b');
    let [a, b] = pool.get_disjoint_mut([noted, text]).unwrap();
    std::mem::swap(a, b);
    assert!(b.is::<Counted>() && (**a).downcast_mut::<String>().is_some());
    let all: Vec<&mut dyn Any> = pool.values_mut().map(|value| &mut **value).collect();
    assert_eq!(all.iter().filter(|value| value.is::<Counted>()).count(), 1);
    assert!(pool.remove(nothing).is_some() && pool.remove(nothing).is_none());
    let value = pool.remove(noted).unwrap().downcast::<u8>().unwrap_err();
    assert_eq!(value.downcast::<String>().unwrap(), "ab");
    // Moved together with a table that grows, and by a last value that takes the place of another.
    let mut moved: VecPool<_> = pool.into_iter().map(|(_, value)| value).collect();
    moved.extend((4..9).map(|id| AnyValue::new(ledger.value(id))));
    let mut packed: PackedPool<_> = moved.into_iter().map(|(_, value)| value).collect();
    packed.retain(|_, value| value.downcast_ref::<Counted>().is_none_or(|it| it.id() % 2 == 0));
    assert_eq!((packed.len(), ledger.alive()), (5, 3));
    packed.validate().unwrap();
    ledger.panic_in_drop_of(4);
    assert!(panics(|| drop(packed)));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn pools_that_grow() {
    let ledger = Ledger::default();
    let builder = BlockPool::builder().slots_per_block(4).max_blocks(4).give_back_beyond(1);
    let mut pool = builder.build();
    let handles: Vec<_> = (0..14).map(|id| pool.insert(ledger.value(id)).unwrap()).collect();
    let [a, b, c] = pool.get_disjoint_mut([handles[9], handles[2], handles[8]]).unwrap();
    std::mem::swap(a, b);
    std::mem::swap(b, c);
    // SAFETY: the value is there.
    assert_eq!(unsafe { pool.get_unchecked(handles[13]) }.id(), 13);
    // SAFETY: as above.
    unsafe { *pool.get_unchecked_mut(handles[13]) = ledger.value(20) };
    pool.retain(|handle, _| handle.index() % 4 == 1);
    let copy = pool.clone();
    let mut runs = pool.runs_mut();
    let (first, last) = (runs.next().unwrap().1, runs.last().unwrap().1);
    std::mem::swap(&mut first[0], &mut last[0]);
    pool.validate().unwrap();
    let mut drain = pool.drain();
    assert!(drain.next().is_some() && drain.next_back().is_some());
    std::mem::forget(drain);
    pool.clear();
    pool.shrink_to_fit();
    assert!(handles.iter().all(|handle| !pool.contains(*handle)));
    let again = pool.insert(ledger.value(30)).unwrap();
    assert_eq!((again.index(), again.generation()), (0, 2));
    let mut rest = copy.into_iter();
    assert!(rest.next().is_some() && rest.next_back().is_some());
    drop((rest, pool));
    assert_eq!(ledger.alive(), 0);
}

/// Every step that the model has, panics among them, on every kind of pool.
fn every_step(kind: &KindToRun) {
    const STEPS: &[Step] = &[
        Step::Insert,
        Step::Insert,
        Step::InsertWith,
        Step::Promise,
        Step::Insert,
        Step::Insert,
        Step::Remove(1),
        Step::InsertAt(1, 1),
        Step::Copy(0),
        Step::Save(0),
        Step::InsertWithPanics,
        Step::RemovePanics(0),
        Step::RemoveStale,
        Step::Overwrite(0),
        Step::BorrowTwo(0, 1),
        Step::Save(1),
        Step::Restore(0),
        Step::Copy(1),
        Step::Restore(1),
        Step::Save(0),
        Step::Evict(0),
        Step::Insert,
        Step::Insert,
        Step::EvictPanics(1),
        Step::Evict(1),
        Step::Retain(0b1011),
        Step::RetainPanics(1),
        Step::Insert,
        Step::Extract(0b10),
        Step::LeakDrain(1),
        Step::Restore(0),
        Step::Copy(3),
        Step::Insert,
        Step::DrainBack(1),
        Step::Insert,
        Step::Insert,
        Step::Drain(1),
        Step::Insert,
        Step::Insert,
        Step::ClearPanics(0),
        Step::Insert,
        Step::Clear,
        Step::Insert,
    ];
    let mut run = Run::new(kind, Plan::of(5));
    for step in STEPS {
        run.take(*step);
        run.check();
    }
    run.end();
}

for_every_pool! { every_step }

/// A pool with all aids, and those that it is copied to, with and without aids, through all that fills dead
/// slots and looks at them.
macro_rules! through_dead_slots {
    ($capacity:expr, $make:expr, $build:expr) => {{
        let (capacity, make, build) = ($capacity, $make, $build);
        let mut pool = build(DebugAids::all());
        let handles: Vec<_> = (0..capacity).map(|id| pool.insert(make(id)).unwrap()).collect();
        assert!(pool.insert(make(9)).is_err());
        for handle in handles.iter().step_by(2) {
            assert!(pool.remove(*handle).is_some());
        }
        let with_holes = pool.snapshot_cloned();
        if let Some(next) = pool.vacant_entry().map(|entry| entry.handle()) {
            pool.insert_at(next, make(7)).unwrap();
        }
        let (mut copy, mut plain) = (pool.clone(), build(DebugAids::none()));
        for pool in [&mut pool, &mut copy, &mut plain] {
            pool.restore(&with_holes).unwrap();
            while pool.insert(make(5)).is_ok() {}
        }
        // The dead slots of this one were never filled.
        plain.clear();
        let _ = plain.insert(make(6));
        pool.restore(&plain.snapshot_cloned()).unwrap();
        copy.clone_from(&plain);
        while copy.insert(make(6)).is_ok() {}
        copy.validate().unwrap();

        while pool.insert(make(7)).is_ok() {}
        pool.retain(|handle, _| handle.index() % 2 == 0);
        while pool.insert(make(7)).is_ok() {}
        drop(pool.drain().next());
        assert!(pool.is_empty());
        while pool.insert(make(8)).is_ok() {}
        pool.clear();
        pool.restore(&with_holes).unwrap();
        let _ = pool.insert(make(9));
        pool.validate().unwrap();
        let mut rest = pool.into_iter();
        assert_eq!(rest.next().is_some(), capacity > 0);
    }};
}

/// What is left when a value's drop panics is as good as before, and nothing is left in the end.
macro_rules! through_drops_that_panic {
    ($pool:ty, $build:expr) => {{
        let ledger = Ledger::default();
        let mut pool: $pool = $build(DebugAids::all());
        let ways: [fn(&mut $pool); 3] =
            [|pool| pool.clear(), |pool| pool.retain(|_, _| false), |pool| drop(pool.drain())];
        for remove in ways {
            while pool.insert(ledger.value(1)).is_ok() {}
            ledger.panic_in_drop_of(1);
            assert!(panics(|| remove(&mut pool)));
            pool.validate().unwrap();
        }
        while pool.insert(ledger.value(1)).is_ok() {}
        ledger.panic_in_drop_of(1);
        assert!(panics(|| drop(pool)));
        assert_eq!(ledger.alive(), 0);
    }};
}

fn dead_slots_of<T: Clone>(make: impl Fn(u8) -> T) {
    for capacity in [0, 3] {
        let slots = usize::from(capacity);
        let pool = || Pool::builder().capacity(slots);
        through_dead_slots!(capacity, &make, |aids| pool().debug_aids(aids).build());
        through_dead_slots!(capacity, &make, |aids| {
            pool().reuse(Intrusive).debug_aids(aids).build()
        });
        through_dead_slots!(capacity, &make, |aids| {
            PackedPool::builder().capacity(slots).debug_aids(aids).build()
        });
        through_dead_slots!(capacity.next_multiple_of(2), &make, |aids| {
            let builder = BlockPool::builder().slots_per_block(2).max_blocks(slots.div_ceil(2));
            builder.give_back_beyond(1).debug_aids(aids).build()
        });
    }
}

#[test]
fn dead_slots_that_are_filled() {
    // With padding, without a size, and with a drop.
    dead_slots_of(|id| (id, 7_u64));
    dead_slots_of(|_| ());
    dead_slots_of(Box::new);

    through_drops_that_panic!(Pool<Counted>, |aids| {
        Pool::builder().capacity(3).debug_aids(aids).build()
    });
    through_drops_that_panic!(Pool<Counted, Intrusive>, |aids| {
        Pool::builder().capacity(3).reuse(Intrusive).debug_aids(aids).build()
    });
    through_drops_that_panic!(PackedPool<Counted>, |aids| {
        PackedPool::builder().capacity(3).debug_aids(aids).build()
    });
    through_drops_that_panic!(BlockPool<Counted>, |aids| {
        BlockPool::builder().slots_per_block(2).max_blocks(2).debug_aids(aids).build()
    });
}

#[test]
fn dead_slots_that_are_filled_in_a_pool_of_different_types() {
    type Anything = AnyPool<dyn Any, 32>;
    let ledger = Ledger::default();
    let fill = |pool: &mut Anything| {
        let _ = pool.insert(AnyValue::new(ledger.value(1)));
        let _ = (pool.insert(AnyValue::new((1_u8, 7_u64))), pool.insert(AnyValue::new(())));
        assert!(pool.is_full());
    };
    let mut pool = Anything::builder().debug_aids(DebugAids::all()).capacity(3).build();
    fill(&mut pool);
    let handles: Vec<_> = pool.handles().collect();
    let pair = pool.remove(handles[1]).unwrap();
    assert_eq!(pair.downcast::<(u8, u64)>().unwrap(), (1, 7));
    assert!(pool.remove(handles[0]).is_some());
    let next = pool.vacant_entry().unwrap().handle();
    pool.insert_at(next, AnyValue::new((2_u8, 8_u64))).unwrap();
    pool.validate().unwrap();
    fill(&mut pool);
    let ways: [fn(&mut Anything); 2] = [|pool| pool.clear(), |pool| pool.retain(|_, _| false)];
    for remove in ways {
        pool.clear();
        fill(&mut pool);
        ledger.panic_in_drop_of(1);
        assert!(panics(|| remove(&mut pool)));
        pool.validate().unwrap();
    }
    pool.clear();
    fill(&mut pool);
    ledger.panic_in_drop_of(1);
    assert!(panics(|| drop(pool)));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn values_that_go_with_their_frame() {
    let ledger = Ledger::default();
    let mut pool = FramePool::new(3);
    for _ in 0..2 {
        pool.reset();
        let links = [1, 2, 3].map(|id| pool.insert(ledger.value(id)).ok().unwrap());
        assert!(pool.insert(ledger.value(4)).is_err());
        let copy = pool.clone();
        assert!(links.iter().all(|&link| copy.get(link).is_some() && pool.get_mut(link).is_some()));
        assert_eq!(pool.iter().count() + pool.as_mut_slice().len(), 6);
    }
    ledger.panic_in_drop_of(2);
    assert!(panics(|| pool.reset()));
    assert_eq!((pool.len(), ledger.alive()), (0, 0));
}

#[test]
fn values_in_memory_that_is_lent_for_a_frame() {
    struct Node<'frame> {
        number: Cell<u64>,
        next: Option<FrameRef<'frame, Node<'frame>>>,
    }
    let mut memory = FrameMemory::new(320);
    for number in 0..2 {
        let sum = memory.frame(|frame| {
            let first = frame.insert(Node { number: Cell::new(number), next: None }).unwrap();
            let byte = frame.insert(5_u8).unwrap();
            let aligned = frame.insert(Aligned(6)).unwrap();
            let second = frame.insert(Node { number: Cell::new(7), next: Some(first) }).unwrap();
            frame[first].next = Some(second);
            *frame.get_mut(byte) += 1;
            let (one, two) = (frame.get(first), frame.get(second));
            one.number.set(two.number.get() + 1);
            let around = frame[frame[second].next.unwrap()].next == Some(second);
            while frame.insert([1_u8; 7]).is_ok() {}
            assert!(around && frame.free() < 7 && frame[aligned] == Aligned(6));
            u64::from(frame[byte]) + frame[first].number.get()
        });
        assert_eq!(sum, 14);
    }
    FrameMemory::new(0).frame(|frame| {
        assert!(frame.insert(1_u8).is_err());
        let nothing = frame.insert([0_u64; 0]).unwrap();
        assert!(frame[nothing].is_empty());
    });
}
