//! User code that panics, at every moment at which a pool runs it: no value is dropped twice, nothing
//! is half done, and the pool goes on as if only what was finished had happened.

mod common;

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use common::in_every_order;
use millpond::classic::BytemapPool;
use millpond::reuse::ReuseOrder;
use millpond::{Handle, Pool, Recycler};

const SLOTS: usize = 70;
/// As many values as each pool starts with: more than one word of the occupancy, with holes.
const VALUES: u64 = 66;

/// What happened to the values of one test, and which of them panic.
#[derive(Clone, Default)]
struct Fate(Rc<FateCells>);

#[derive(Default)]
struct FateCells {
    /// How many values by this id have been made and not dropped.
    alive: RefCell<HashMap<u64, u32>>,
    drop_panics_at: Cell<Option<u64>>,
    clone_panics_at: Cell<Option<u64>>,
}

/// A value of a certain id.
struct Fateful {
    id: u64,
    fate: Fate,
    /// Enough for the links of an intrusive list to overwrite something.
    check: u64,
}

const INTACT: u64 = 0x1234_5678_9abc_def0;

impl Fate {
    fn value(&self, id: u64) -> Fateful {
        *self.0.alive.borrow_mut().entry(id).or_default() += 1;
        Fateful { id, fate: self.clone(), check: INTACT ^ id }
    }

    fn alive(&self) -> usize {
        self.0.alive.borrow().values().map(|count| *count as usize).sum()
    }
}

impl Clone for Fateful {
    fn clone(&self) -> Self {
        if self.fate.0.clone_panics_at.get() == Some(self.id) {
            quiet_panic();
        }
        self.fate.value(self.id)
    }
}

impl Drop for Fateful {
    fn drop(&mut self) {
        assert_eq!(self.check, INTACT ^ self.id, "the value was overwritten");
        let mut alive = self.fate.0.alive.borrow_mut();
        let count = alive.get_mut(&self.id).filter(|count| **count > 0);
        // A second panic while unwinding aborts the test, which is as good as failing.
        *count.expect("a value was dropped twice") -= 1;
        drop(alive);
        if self.fate.0.drop_panics_at.get() == Some(self.id) {
            self.fate.0.drop_panics_at.set(None);
            quiet_panic();
        }
    }
}

/// Panics without a message on the terminal.
fn quiet_panic() -> ! {
    resume_unwind(Box::new("on purpose"))
}

/// Whether the work panicked on purpose; any other panic goes on.
fn panics(work: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(()) => false,
        Err(panic) if panic.downcast_ref::<&str>() == Some(&"on purpose") => true,
        Err(panic) => resume_unwind(panic),
    }
}

type FatefulPool<R> = Pool<Fateful, R>;

/// A pool with holes, and the handles of its values by id.
fn pool_of<R: ReuseOrder>(fate: &Fate) -> (FatefulPool<R>, HashMap<u64, Handle<Fateful>>) {
    let mut pool = FatefulPool::<R>::with_capacity(SLOTS);
    let mut handles = HashMap::new();
    for id in 0..VALUES {
        handles.insert(id, pool.insert(fate.value(id)).unwrap());
    }
    for hole in [3, 4, 20, 63] {
        pool.remove(handles.remove(&hole).unwrap());
    }
    assert_eq!(fate.alive(), handles.len());
    (pool, handles)
}

/// Whether all that the pool says of itself agrees, and agrees with what is alive; then whether it
/// still does all that it must.
fn check<R: ReuseOrder>(
    mut pool: FatefulPool<R>,
    handles: &HashMap<u64, Handle<Fateful>>,
    fate: &Fate,
) {
    let live: Vec<_> = pool.iter().map(|(handle, value)| (handle, value.id)).collect();
    assert_eq!(live.len(), pool.len());
    assert_eq!(fate.alive(), pool.len(), "alive are those in the pool");
    for &(handle, id) in &live {
        assert_eq!(pool[handle].check, INTACT ^ id);
        assert!(pool.occupancy().is_live(handle.index() as usize));
        assert_eq!(pool.handle_at(handle.index() as usize), Some(handle));
    }
    for (id, handle) in handles {
        let is_live = live.contains(&(*handle, *id));
        assert_eq!(pool.get(*handle).map(|value| value.id), is_live.then_some(*id));
    }
    let stats = pool.stats();
    assert_eq!(stats.removed, stats.inserted - stats.live as u64);

    let old_handles: Vec<_> = handles.values().copied().filter(|h| !pool.contains(*h)).collect();
    let mut new_handles = Vec::new();
    while !pool.is_full() {
        new_handles.push(pool.insert(fate.value(1_000)).unwrap());
    }
    assert_eq!((pool.len(), fate.alive()), (SLOTS, SLOTS));
    assert!(old_handles.iter().all(|handle| !pool.contains(*handle)));
    for handle in new_handles {
        assert_eq!(pool.remove(handle).unwrap().id, 1_000);
    }
    assert!(pool.iter().map(|(handle, value)| (handle, value.id)).eq(live));
    drop(pool);
    assert_eq!(fate.alive(), 0);
}

/// Runs the work once for each value whose drop may panic, and checks what is left.
fn each_drop_panics<R: ReuseOrder>(mut work: impl FnMut(&mut FatefulPool<R>)) {
    for victim in 0..VALUES {
        let fate = Fate::default();
        let (mut pool, handles) = pool_of::<R>(&fate);
        fate.0.drop_panics_at.set(Some(victim));
        let panicked = panics(|| work(&mut pool));
        let was_dropped = handles.get(&victim).is_some_and(|handle| !pool.contains(*handle));
        assert_eq!(panicked, was_dropped, "value {victim}");
        fate.0.drop_panics_at.set(None);
        check(pool, &handles, &fate);
    }
}

fn drop_in_clear<R: ReuseOrder>() {
    each_drop_panics::<R>(|pool| pool.clear());
}

#[test]
fn drop_that_panics_in_clear_leaves_the_rest_in_the_pool() {
    in_every_order!(drop_in_clear());
    let fate = Fate::default();
    let (mut pool, _) = pool_of::<millpond::reuse::Lifo>(&fate);
    fate.0.drop_panics_at.set(Some(10));
    assert!(panics(|| pool.clear()));
    assert!(
        pool.values().map(|value| value.id).eq((11..VALUES).filter(|id| ![20, 63].contains(id)))
    );
}

fn drop_in_retain<R: ReuseOrder>() {
    each_drop_panics::<R>(|pool| pool.retain(|_, value| value.id % 3 == 1));
    each_drop_panics::<R>(|pool| pool.retain(|_, _| false));
}

#[test]
fn drop_that_panics_in_retain_leaves_the_rest_in_the_pool() {
    in_every_order!(drop_in_retain());
}

fn drop_in_drain<R: ReuseOrder>() {
    each_drop_panics::<R>(|pool| pool.drain().for_each(drop));
    each_drop_panics::<R>(|pool| pool.drain().rev().for_each(drop));
    each_drop_panics::<R>(|pool| drop(pool.drain()));
    // Taken half-way from both ends, then dropped: the rest go, even if one of them panics.
    each_drop_panics::<R>(|pool| {
        let mut drain = pool.drain();
        for _ in 0..10 {
            drain.next();
            drain.next_back();
        }
    });
}

#[test]
fn drop_that_panics_in_drain_leaves_or_removes_whole_values() {
    in_every_order!(drop_in_drain());
}

fn dropped_drain<R: ReuseOrder>() {
    for taken in [0, 1, 7, 62] {
        let fate = Fate::default();
        let (mut pool, handles) = pool_of::<R>(&fate);
        let kept: Vec<_> = pool.drain().take(taken).collect();
        assert_eq!((kept.len(), fate.alive(), pool.len()), (taken, taken, 0));
        drop(kept);
        check(pool, &handles, &fate);
    }
}

#[test]
fn drain_that_is_dropped_half_way_removes_the_rest() {
    in_every_order!(dropped_drain());
}

fn leaked_drain<R: ReuseOrder>() {
    for taken in [0, 1, 7, 30] {
        let fate = Fate::default();
        let (mut pool, handles) = pool_of::<R>(&fate);
        let mut drain = pool.drain();
        for _ in 0..taken {
            drain.next();
            drain.next_back();
        }
        std::mem::forget(drain);
        assert_eq!(pool.len(), 62 - 2 * taken);
        check(pool, &handles, &fate);
    }
}

#[test]
fn drain_that_is_leaked_leaves_what_it_has_not_handed_out() {
    in_every_order!(leaked_drain());
}

fn drop_in_extract_if<R: ReuseOrder>() {
    each_drop_panics::<R>(|pool| pool.extract_if(|_, value| value.id % 2 == 0).for_each(drop));
    each_drop_panics::<R>(|pool| drop(pool.extract_if(|_, _| true).nth(5)));
    each_drop_panics::<R>(|pool| drop(pool.extract_if(|_, _| true).next()));
}

#[test]
fn drop_that_panics_in_extract_if_leaves_the_rest_in_the_pool() {
    in_every_order!(drop_in_extract_if());
}

fn drop_of_evicted<R: ReuseOrder>() {
    each_drop_panics::<R>(|pool| {
        let fate = pool.values().next().unwrap().fate.clone();
        while !pool.is_full() {
            pool.insert(fate.value(500)).unwrap();
        }
        for _ in 0..20 {
            pool.insert_or_evict(fate.value(501), |_, value| value.id);
        }
    });
}

#[test]
fn drop_that_panics_of_an_evicted_value_leaves_the_new_one_in() {
    in_every_order!(drop_of_evicted());
}

fn drop_of_all<R: ReuseOrder>() {
    for victim in 0..VALUES {
        let fate = Fate::default();
        let (pool, handles) = pool_of::<R>(&fate);
        fate.0.drop_panics_at.set(Some(victim));
        assert_eq!(panics(|| drop(pool)), handles.contains_key(&victim));
        assert_eq!(fate.alive(), 0, "the rest are dropped while unwinding");
    }
}

#[test]
fn drop_that_panics_in_the_drop_of_a_pool_does_not_keep_the_rest() {
    in_every_order!(drop_of_all());
}

fn drop_in_into_iter<R: ReuseOrder>() {
    for victim in 0..VALUES {
        for taken in [0, 1, 9, 62] {
            let fate = Fate::default();
            let (pool, handles) = pool_of::<R>(&fate);
            let mut into_iter = pool.into_iter();
            let front: Vec<_> = into_iter.by_ref().take(taken).collect();
            let back: Vec<_> = into_iter.by_ref().rev().take(taken / 3).collect();
            fate.0.drop_panics_at.set(Some(victim));
            let is_held = front.iter().chain(&back).any(|(_, value)| value.id == victim);
            let panicked = panics(|| drop(into_iter));
            assert_eq!(panicked, handles.contains_key(&victim) && !is_held);
            assert_eq!(fate.alive(), front.len() + back.len());
            fate.0.drop_panics_at.set(None);
        }
    }
}

#[test]
fn drop_that_panics_in_an_owning_iterator_does_not_keep_the_rest() {
    in_every_order!(drop_in_into_iter());
}

fn insert_with<R: ReuseOrder>() {
    let fate = Fate::default();
    let (mut pool, handles) = pool_of::<R>(&fate);
    let stats = pool.stats();
    let mut promised = None;
    assert!(panics(|| {
        let _ = pool.insert_with(|handle| {
            promised = Some(handle);
            quiet_panic()
        });
    }));
    assert_eq!(pool.stats(), stats, "nothing has happened");
    assert!(!pool.contains(promised.unwrap()));
    assert_eq!(pool.insert(fate.value(900)).ok(), promised);
    pool.remove(promised.unwrap());
    check(pool, &handles, &fate);
}

#[test]
fn closure_that_panics_in_insert_with_has_inserted_nothing() {
    in_every_order!(insert_with());
}

fn clone<R: ReuseOrder>() {
    for victim in 0..VALUES {
        let fate = Fate::default();
        let (pool, handles) = pool_of::<R>(&fate);
        fate.0.clone_panics_at.set(Some(victim));
        let mut copy = None;
        let panicked = panics(|| copy = Some(pool.clone()));
        assert_eq!(panicked, handles.contains_key(&victim));
        if panicked {
            assert_eq!(fate.alive(), pool.len(), "what was copied is dropped");
        }
        drop(copy);
        check(pool, &handles, &fate);
    }
}

#[test]
fn clone_that_panics_leaves_no_half_copied_pool() {
    in_every_order!(clone());
}

/// Values as they were cloned: the copy must hold its own links and values.
fn clone_then_both_go_on<R: ReuseOrder>() {
    let fate = Fate::default();
    let (mut pool, handles) = pool_of::<R>(&fate);
    let mut copy = pool.clone();
    assert_eq!(fate.alive(), 2 * handles.len());
    for _ in 0..4 {
        let next = pool.insert(fate.value(800)).unwrap();
        assert_eq!(copy.insert(fate.value(801)).unwrap(), next, "the same comes next");
    }
    copy.clear();
    assert!(handles.iter().all(|(id, handle)| pool[*handle].id == *id));
    drop(copy);
    check(pool, &handles, &fate);
}

#[test]
fn clone_and_original_do_not_share_anything() {
    in_every_order!(clone_then_both_go_on());
}

/// Runs work whose own code panics when it comes to a certain value.
fn each_closure_panics<R: ReuseOrder>(mut work: impl FnMut(&mut FatefulPool<R>, u64)) {
    for victim in 0..VALUES {
        let fate = Fate::default();
        let (mut pool, handles) = pool_of::<R>(&fate);
        let panicked = panics(|| work(&mut pool, victim));
        assert_eq!(panicked, handles.contains_key(&victim));
        if let Some(handle) = handles.get(&victim) {
            assert!(pool.contains(*handle), "the value that it was looking at stays");
        }
        check(pool, &handles, &fate);
    }
}

/// The choice of a closure that removes every other value, and panics at one.
fn every_other_but(victim: u64) -> impl FnMut(Handle<Fateful>, &mut Fateful) -> bool {
    move |_, value| if value.id == victim { quiet_panic() } else { value.id % 2 == 0 }
}

fn predicates<R: ReuseOrder>() {
    each_closure_panics::<R>(|pool, victim| pool.retain(every_other_but(victim)));
    each_closure_panics::<R>(|pool, victim| {
        pool.extract_if(every_other_but(victim)).for_each(drop);
    });
}

#[test]
fn predicate_that_panics_leaves_its_value_and_those_after_it() {
    in_every_order!(predicates());
}

/// A pool that is full of the values with the ids from 0.
fn full_pool<R: ReuseOrder>(fate: &Fate) -> FatefulPool<R> {
    let mut pool = FatefulPool::<R>::with_capacity(SLOTS);
    for id in 0..SLOTS as u64 {
        pool.insert(fate.value(id)).unwrap();
    }
    pool
}

/// Keys that panic when they are compared, or lie.
struct BadKey(u64, fn(u64, u64) -> Ordering);

impl PartialEq for BadKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for BadKey {}
impl PartialOrd for BadKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for BadKey {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.1)(self.0, other.0)
    }
}

fn evict_keys<R: ReuseOrder>() {
    for victim in [0, 1, 35, SLOTS as u64 - 1] {
        let fate = Fate::default();
        let mut pool = full_pool::<R>(&fate);
        let stats = pool.stats();
        assert!(panics(|| {
            pool.insert_or_evict(fate.value(700), |_, value| {
                if value.id == victim { quiet_panic() } else { value.id }
            });
        }));
        assert_eq!((pool.stats(), fate.alive()), (stats, SLOTS), "nothing has happened");
        check(pool, &HashMap::new(), &fate);
    }
    let fate = Fate::default();
    let mut pool = full_pool::<R>(&fate);
    let stats = pool.stats();
    let compare = |a: u64, b: u64| if a + b == 35 { quiet_panic() } else { a.cmp(&b) };
    assert!(panics(|| {
        pool.insert_or_evict(fate.value(700), |_, value| BadKey(value.id, compare));
    }));
    assert_eq!((pool.stats(), fate.alive()), (stats, SLOTS), "nothing has happened");
    check(pool, &HashMap::new(), &fate);
}

#[test]
fn key_that_panics_in_insert_or_evict_has_evicted_nothing() {
    in_every_order!(evict_keys());
}

fn evict_lies<R: ReuseOrder>() {
    let lies: [fn(u64, u64) -> Ordering; 4] = [
        |_, _| Ordering::Less,
        |_, _| Ordering::Greater,
        |_, _| Ordering::Equal,
        |a, b| (a ^ b).cmp(&37),
    ];
    for lie in lies {
        let fate = Fate::default();
        let mut pool = full_pool::<R>(&fate);
        for id in 700..720 {
            let (handle, evicted) =
                pool.insert_or_evict(fate.value(id), |_, value| BadKey(value.id, lie));
            let (old, value) = evicted.unwrap();
            assert!(!pool.contains(old) && pool[handle].id == id && value.id != id);
            drop(value);
            assert_eq!((pool.len(), fate.alive()), (SLOTS, SLOTS));
        }
        check(pool, &HashMap::new(), &fate);
    }
}

#[test]
fn order_that_lies_evicts_some_live_value() {
    in_every_order!(evict_lies());
}

#[test]
fn drop_that_panics_of_the_value_that_a_full_pool_refuses_changes_nothing() {
    let fate = Fate::default();
    let mut pool = full_pool::<millpond::reuse::Lifo>(&fate);
    fate.0.drop_panics_at.set(Some(700));
    assert!(panics(|| drop(pool.insert(fate.value(700)))));
    assert_eq!(pool.stats().refused, 1);
    check(pool, &HashMap::new(), &fate);
}

#[test]
fn function_that_panics_in_from_fn_drops_what_it_has_made() {
    for made in 0..20 {
        let fate = Fate::default();
        assert!(panics(|| {
            let make = |index| if index == made { quiet_panic() } else { fate.value(index as u64) };
            drop(Recycler::from_fn(20, make));
        }));
        assert_eq!(fate.alive(), 0);
    }
}

thread_local! {
    static DEFAULTS_LEFT: Cell<usize> = const { Cell::new(0) };
    static DEFAULTS_ALIVE: Cell<usize> = const { Cell::new(0) };
}

/// Its `Default` panics after so many.
struct Defaulted;

impl Default for Defaulted {
    fn default() -> Self {
        match DEFAULTS_LEFT.get().checked_sub(1) {
            None => quiet_panic(),
            Some(left) => DEFAULTS_LEFT.set(left),
        }
        DEFAULTS_ALIVE.set(DEFAULTS_ALIVE.get() + 1);
        Self
    }
}

impl Drop for Defaulted {
    fn drop(&mut self) {
        DEFAULTS_ALIVE.set(DEFAULTS_ALIVE.get() - 1);
    }
}

#[test]
fn default_that_panics_in_the_making_of_a_recycler_drops_what_was_made() {
    DEFAULTS_LEFT.set(7);
    assert!(panics(|| drop(Recycler::<Defaulted>::new(10))));
    assert_eq!(DEFAULTS_ALIVE.get(), 0);
    DEFAULTS_LEFT.set(10);
    drop(Recycler::<Defaulted>::new(10));
    assert_eq!(DEFAULTS_ALIVE.get(), 0);
}

/// What the hook of the recyclers below panics at.
const BAD_OBJECT: u64 = 1_000_000;

fn panics_at_bad_object(object: &mut u64) {
    if *object == BAD_OBJECT {
        quiet_panic();
    }
    *object = 0;
}

fn on_release<R: ReuseOrder>() {
    for bad in 0..6 {
        let builder = Recycler::<u64>::builder().reuse(R::default()).capacity(6);
        let mut recycler = builder.on_release(panics_at_bad_object).build();
        let mut handles = Vec::new();
        while let Some((handle, object)) = recycler.acquire() {
            *object = if handles.len() == bad { BAD_OBJECT } else { 5 };
            handles.push(handle);
        }
        assert!(panics(|| {
            recycler.release(handles[bad]);
        }));
        assert!(recycler.contains(handles[bad]), "the object stays live");
        assert_eq!((recycler.len(), recycler[handles[bad]]), (6, BAD_OBJECT));

        assert!(panics(|| recycler.clear()));
        let left: Vec<_> = recycler.handles().collect();
        assert_eq!(left, handles[bad..], "and so do those that the hook has not come to");
        assert!(handles[..bad].iter().all(|handle| !recycler.contains(*handle)));

        recycler[handles[bad]] = 1;
        recycler.clear();
        assert!(recycler.is_empty() && recycler.as_slice() == [0; 6]);
        let again: Vec<_> = std::iter::from_fn(|| recycler.acquire().map(|pair| pair.0)).collect();
        assert_eq!(again.len(), 6);
        assert!(again.iter().all(|handle| !handles.contains(handle)));
    }
}

#[test]
fn hook_that_panics_on_release_leaves_the_object_live() {
    in_every_order!(on_release());
}

fn recycler_clone<R: ReuseOrder>() {
    for victim in [0, 5, 9] {
        let fate = Fate::default();
        let builder = Recycler::<Fateful>::builder().reuse(R::default()).capacity(10);
        let recycler = builder.build_with(|index| fate.value(index as u64));
        fate.0.clone_panics_at.set(Some(victim));
        assert!(panics(|| drop(recycler.clone())));
        assert_eq!(fate.alive(), 10);
        fate.0.drop_panics_at.set(Some(victim));
        assert!(panics(|| drop(recycler)));
        assert_eq!(fate.alive(), 0);
    }
}

#[test]
fn objects_of_a_recycler_are_dropped_once_whatever_panics() {
    in_every_order!(recycler_clone());
}

#[test]
fn drop_that_panics_in_a_bytemap_pool_leaves_whole_values() {
    for retires in [false, true] {
        for victim in 0..10 {
            let fate = Fate::default();
            let mut pool = if retires { BytemapPool::retiring(10) } else { BytemapPool::new(10) };
            for id in 0..10 {
                assert!(pool.insert(fate.value(id)).is_ok());
            }
            fate.0.drop_panics_at.set(Some(victim));
            assert!(panics(|| pool.clear()));
            assert_eq!((pool.len(), fate.alive()), (9 - victim as usize, 9 - victim as usize));
            assert!(pool.iter().all(|(handle, value)| {
                pool.get(handle).is_some_and(|same| same.id == value.id)
            }));
            pool.clear();
            assert_eq!((pool.len(), fate.alive()), (0, 0));
            for id in 0..10 {
                assert!(pool.insert(fate.value(id)).is_ok());
            }
            fate.0.drop_panics_at.set(Some(victim));
            assert!(panics(|| pool.flush()));
            assert_eq!((pool.capacity(), pool.len(), fate.alive()), (0, 0, 0));
        }
    }
}
