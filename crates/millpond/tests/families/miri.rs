//! A suite that an interpreter gets through in minutes: each operation on each pool at sizes just
//! large enough for every branch of the unsafe code. Run by `ci/sanitizers` under Miri.

use std::any::Any;
use std::cell::Cell;

use millpond::debug::DebugAids;
use millpond::reuse::{Fifo, Lifo};
use millpond::snapshot::{Checksum, ToChecksum};
use millpond::{AnyPool, AnyValue, Handle, Handle32, PackedPool, Pool, Recycler, VecPool};
use millpond_classic::{BytemapPool, PoolAllocator, PoolBox};
use millpond_memory::{FrameMemory, FramePool, FrameRef};
use serde::{Deserialize, Serialize};

use crate::common::{Counted, Ledger, panics};
use crate::subject::{
    CLONED, KindToRun, Makes, Of, PackedKind, Plain, Plan, PoolKind, Rank, Run, Step, Subject,
    VecKind, for_every_pool, for_one_of_each,
};

/// With a large alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
struct Aligned(u8);

impl ToChecksum for Aligned {
    fn add_to(&self, sum: &mut Checksum) {
        sum.add(&self.0);
    }
}

/// What is done with values, where it depends on where they are kept and whether dead slots are filled and looked at.
fn every_operation<T: Plain>(make: fn(u8) -> T) {
    let kinds: [&dyn Makes<dyn Subject<T>>; 4] = [
        &Of::<PoolKind<Lifo, Handle<()>>>::KIND,
        &Of::<PoolKind<Fifo, Handle32<(), 16>>>::KIND,
        &Of::<PackedKind<Handle<()>>>::KIND,
        &Of::<VecKind<Lifo, Handle<()>>>::KIND,
    ];
    for kind in kinds {
        operations(kind, make, Plan { aids: DebugAids::all(), ..Plan::of(0) });
        operations(kind, make, Plan { aids: DebugAids::all(), ..Plan::of(6) });
        // More than one word of an occupancy.
        operations(kind, make, Plan::of(66));
    }
}

fn operations<T: Plain>(kind: &dyn Makes<dyn Subject<T>>, make: fn(u8) -> T, plan: Plan) {
    let fill = |pool: &mut dyn Subject<T>, id| while pool.insert(make(id)).is_ok() {};
    let mut pool = kind.make(plan);
    fill(&mut *pool, 1);
    let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
    for &handle in handles.iter().step_by(3) {
        assert!(pool.remove(handle).is_some() && pool.get(handle).is_none());
    }
    let with_holes = pool.take_snapshot().unwrap();
    let (_, mut copy) = pool.came_back(CLONED).unwrap();
    let mut plain = kind.make(Plan::of(plan.capacity));
    for pool in [&mut pool, &mut copy, &mut plain] {
        pool.restore(&*with_holes);
        fill(&mut **pool, 5);
    }
    // The dead slots of this one were never filled.
    plain.clear();
    drop(plain.insert(make(6)));
    pool.restore(&*plain.take_snapshot().unwrap());
    fill(&mut *pool, 7);

    let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
    if let [first, .., last] = handles[..] {
        let [a, b] = pool.disjoint([first, last]).unwrap().unwrap();
        std::mem::swap(a, b);
        *pool.get_mut(first).unwrap() = make(8);
        let index = pool.index_of(pool.get(first).unwrap()).unwrap();
        assert!(index.is_none_or(|index| index == first.index()));
    }
    let (mut front, mut back) =
        (pool.iter_both_ends().unwrap(), pool.iter_both_ends().unwrap().rev());
    assert_eq!(front.next().is_some(), back.next().is_some());
    drop((front, back));
    pool.iter_mut_both_ends().unwrap().rev().for_each(|(_, value)| *value = make(9));
    if plan.capacity > 0 {
        drop(pool.insert_or_evict(make(10), &mut |_| Rank::of(0)));
    }

    pool.retain(&mut |handle, _| handle.index() % 2 == 0);
    pool.extract_if(&mut |handle, _| handle.index() % 4 == 0).unwrap().for_each(drop);
    fill(&mut *pool, 11);
    let mut drain = pool.drain().unwrap();
    drop(drain.next());
    drain.forget();
    pool.validate().unwrap();
    drop(pool.drain().unwrap().next());
    fill(&mut *pool, 12);
    pool.clear();
    pool.restore(&*with_holes);
    drop(pool.insert(make(13)));
    pool.validate().unwrap();
    let mut rest = pool.into_iter().unwrap();
    assert_eq!(rest.next_back().is_some(), plan.capacity > 0);
}

/// Smaller than a link, without a size, with padding, with a large alignment, and with a drop. (For the other orders, which
/// have nothing to do with the values, see `every_step`.)
#[test]
fn values() {
    every_operation(|id| id);
    every_operation(|_| ());
    every_operation(|id| (id, 7_u64));
    every_operation(Aligned);
    every_operation(Box::new);
}

/// Two runs at once, from both ends.
#[test]
fn runs_to_change() {
    let mut pool: Pool<u8> = (0..67).collect();
    pool.remove_at(3).unwrap();
    let mut runs = pool.runs_mut();
    let (first, last) = (runs.next().unwrap().1, runs.last().unwrap().1);
    std::mem::swap(&mut first[0], &mut last[0]);
    pool.values_mut().for_each(|value| *value += 1);
    assert_eq!(pool.get_at(0), Some(&5));
}

/// What no step does.
#[test]
fn recyclers_and_classic_pools() {
    let mut recycler = Recycler::from_fn(3, |index| vec![index]);
    let (handle, object) = recycler.acquire().unwrap();
    object.push(7);
    assert!(recycler.release(handle));
    recycler.as_mut_slice().iter_mut().for_each(Vec::clear);
    recycler.validate().unwrap();

    let mut cars = BytemapPool::new(3);
    let car = cars.insert(String::from("car")).unwrap();
    assert_eq!(cars.handle_of(cars.get(car).unwrap()), Some(car));
    cars.flush();
    cars.validate().unwrap();
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
    let mut pool = VecPool::builder().capacity_max(16).build();
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
    steps_with(kind, DebugAids::none());
}

/// With dead slots that are filled and looked at.
fn every_step_with_aids(kind: &KindToRun) {
    steps_with(kind, DebugAids::none().fill_dead_slots().remember_origins());
}

fn steps_with(kind: &KindToRun, aids: DebugAids) {
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
        Step::Refused,
        Step::Revive(0, 0),
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
        Step::LeakDrainBack(1),
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
    let mut run = Run::new(kind, Plan { aids, ..Plan::of(5) });
    for step in STEPS {
        run.take(*step);
        run.check();
    }
    run.end();
}

/// What is left when a value's drop panics is as good as before, and nothing is left in the end.
fn drops_that_panic_with_aids(kind: &KindToRun) {
    let ledger = Ledger::default();
    let mut pool = kind.make(Plan { aids: DebugAids::all(), ..Plan::of(3) });
    let ways: [fn(&mut dyn Subject<Counted>) -> bool; 3] = [
        |pool| {
            pool.clear();
            true
        },
        |pool| pool.retain(&mut |_, _| false),
        |pool| pool.drain().map(drop).is_some(),
    ];
    for remove in ways {
        while pool.insert(ledger.value(1)).is_ok() {}
        ledger.panic_in_drop_of(1);
        let mut has_it = true;
        let panicked = panics(|| has_it = remove(&mut *pool));
        assert_eq!(panicked, has_it);
        ledger.panic_in_drop_of(None);
        pool.validate().unwrap();
    }
    while pool.insert(ledger.value(1)).is_ok() {}
    ledger.panic_in_drop_of(1);
    assert!(panics(|| drop(pool)));
    assert_eq!(ledger.alive(), 0);
}

for_every_pool! { every_step }
for_one_of_each! { every_step_with_aids, drops_that_panic_with_aids }

/// Of each, another part of the slot is in use.
#[test]
fn dead_slots_of_values_of_different_types_that_are_filled() {
    type Anything = AnyPool<dyn Any, 32>;
    let mut pool = Anything::builder().debug_aids(DebugAids::all()).capacity(3).build();
    let ways: [fn(&mut Anything); 3] = [
        |pool| pool.clear(),
        |pool| pool.retain(|_, value| value.is::<()>()),
        |pool| {
            let pair = pool.handles().find(|handle| pool[*handle].is::<(u8, u64)>()).unwrap();
            let pair = pool.remove(pair).unwrap().downcast::<(u8, u64)>().unwrap();
            assert_eq!(pair, (1, 7));
        },
    ];
    for remove in ways {
        let _ = pool.insert(AnyValue::new(Box::new(1_u8)));
        let _ = (pool.insert(AnyValue::new((1_u8, 7_u64))), pool.insert(AnyValue::new(())));
        assert!(pool.is_full());
        remove(&mut pool);
        let next = pool.vacant_entry().unwrap().handle();
        pool.insert_at(next, AnyValue::new([2_u8; 31])).unwrap();
        pool.validate().unwrap();
        pool.clear();
    }
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
