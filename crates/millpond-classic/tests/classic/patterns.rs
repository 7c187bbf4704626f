//! Design 4 beyond its particles: what the patterns for game programming ask of any object pool, each by
//! its name. (When the pool is full: `overflow.rs`. Pools of a level: `budget.rs`. Filling dead slots:
//! `debug_aids`.)

use std::cell::Cell;
use std::rc::Rc;

use millpond::{
    AnyPool, AnyValue, Handle, HandleAllocator, PackedPool, Pool, Recycler, SideTable, VecPool,
};
use millpond_classic::{PoolAllocator, PoolBox};

/// "A dead object that still refers to others keeps them alive: clear such references on release."
#[test]
fn a_dead_object_lets_go_of_what_it_referred_to() {
    let target = Rc::new("target");
    let mut pool = Pool::new(2);
    let rocket = pool.insert(Some(Rc::clone(&target))).unwrap();
    pool.remove(rocket);
    assert_eq!(Rc::strong_count(&target), 1, "a pool drops what it removes");

    // Objects that stay constructed are cleared by whoever releases them, and stay cleared.
    let mut rockets = Recycler::<Option<Rc<&str>>>::new(2);
    let (rocket, object) = rockets.acquire().unwrap();
    *object = Some(Rc::clone(&target));
    rockets[rocket].take();
    rockets.release(rocket);
    assert_eq!(Rc::strong_count(&target), 1);
    assert!(rockets.as_slice().iter().all(Option::is_none));
}

/// "Resources that are expensive to acquire, such as a database or network connection."
#[test]
fn connections_are_opened_once_and_used_again_and_again() {
    struct Connection {
        number: usize,
        requests: u32,
    }
    let opened = Cell::new(0);
    let mut connections = Recycler::from_fn(3, |number| {
        opened.set(opened.get() + 1);
        Connection { number, requests: 0 }
    });
    for _ in 0..100 {
        let all = [(); 3].map(|()| connections.acquire().unwrap().0);
        assert!(connections.acquire().is_none(), "whoever comes now has to wait");
        for handle in all {
            connections[handle].requests += 1;
            connections.release(handle);
        }
    }
    assert_eq!(opened.get(), 3);
    let requests = connections.as_slice().iter().map(|connection| connection.requests);
    assert_eq!(requests.collect::<Vec<_>>(), [100; 3]);
    assert!(connections.as_slice().iter().map(|connection| connection.number).eq(0..3));
}

/// "Either the pool initialises the object, or the caller does with what `create()` returned, and then
/// the caller handles the failure."
#[test]
fn the_pool_or_the_caller_initialises_the_object() {
    let mut pool = Pool::new(2);
    let by_the_pool = pool.insert_with(|me| (me.index(), "made in its slot")).unwrap();
    assert_eq!(pool[by_the_pool], (0, "made in its slot"));
    let entry = pool.vacant_entry().expect("the caller looks whether there is one");
    let by_the_caller = entry.insert((9, "made by the caller"));
    assert_eq!(pool[by_the_caller].0, 9);
    assert!(pool.vacant_entry().is_none(), "and handles the failure");
}

/// "Packing live objects together in memory keeps the cache full while the game iterates."
#[test]
fn live_objects_are_packed() {
    let mut pool = PackedPool::new(1000);
    let handles: Vec<_> = (0..1000).map(|i| pool.insert(i).unwrap()).collect();
    for handle in handles.iter().filter(|handle| handle.index() % 10 != 0) {
        pool.remove(*handle);
    }
    let mut packed = pool.as_slice().to_vec();
    packed.sort_unstable();
    assert!(packed.into_iter().eq((0..1000).step_by(10)));
}

/// "Grow at run time, and shrink again when the extra room is no longer needed."
#[test]
fn a_pool_grows_and_shrinks_again() {
    let mut pool = VecPool::builder().capacity_max(640).build();
    let handles: Vec<_> = (0..640).map(|i| pool.insert(i).unwrap()).collect();
    assert!(pool.insert(640).is_err(), "the limit is hard");
    assert_eq!(pool.capacity(), 640);
    for handle in &handles[1..] {
        pool.remove(*handle);
    }
    assert_eq!(pool.shrink_to_fit(), 639);
    assert_eq!((pool.capacity(), pool[handles[0]]), (1, 0));
}

/// "Slots have one size. For objects of different types: a slot as large as the largest."
#[test]
fn objects_of_different_types_share_slots_as_large_as_the_largest() {
    use std::any::Any;

    let mut pool = AnyPool::<dyn Any, { size_of::<[u64; 4]>() }>::new(2);
    let large = pool.insert(AnyValue::new([7_u64; 4])).unwrap();
    assert!(pool.remove(large).is_some());
    let small = pool.insert(AnyValue::new(b'x')).unwrap();
    assert_eq!((small.index(), pool[small].downcast_ref()), (large.index(), Some(&b'x')));
}

/// "Free lists may be chained from several chunks": what is freed comes back newest first, whichever chunk it is of.
#[test]
fn slots_of_several_chunks_are_on_one_free_list() {
    let pool = PoolAllocator::with_chunk_slots(2);
    let mut guards: Vec<_> = (0..6_u64).map(|i| Some(pool.alloc(i))).collect();
    assert_eq!(pool.chunks(), 3);
    let address = |guard: &Option<PoolBox<u64>>| (&raw const **guard.as_ref().unwrap()).addr();
    let places: Vec<usize> = guards.iter().map(address).collect();
    for freed in [0, 5, 2] {
        guards[freed] = None;
    }
    for expected in [2, 5, 0] {
        guards.push(Some(pool.alloc(9)));
        assert_eq!(address(guards.last().unwrap()), places[expected]);
    }
    assert_eq!(pool.chunks(), 3);
}

/// "They may have several initialisers", and "where objects know their pool, only the pool may make them": the module
/// is the border.
#[test]
fn a_pool_has_several_initialisers() {
    let made = |(health, speed): (i32, i32)| move || (health, speed);
    let (orc, wolf) = (made((30, 1)), made((8, 3)));
    let mut pool = Pool::new(3);
    let handles = [
        pool.insert_with(|_| orc()).unwrap(),
        pool.insert_with(|_| wolf()).unwrap(),
        pool.insert_with(|me| (me.index() as i32, 0)).unwrap(),
    ];
    assert_eq!(handles.map(|handle| pool[handle]), [(30, 1), (8, 3), (2, 0)]);
}

/// "Too large a pool wastes memory that others need; separate pools isolate (a burst of explosions must not starve the
/// enemies)."
#[test]
fn a_burst_of_explosions_does_not_starve_the_enemies() {
    let (mut sparks, mut enemies) = (Pool::new(100), Pool::new(10));
    let refused = (0..1000).filter(|spark| sparks.insert(*spark).is_err()).count();
    assert_eq!((refused, sparks.stats().refused), (900, 900));
    assert!((0..10).all(|enemy| enemies.insert(enemy).is_ok()));
    // What it has wasted, the pool says itself.
    let mut large = Pool::<u8>::new(1000);
    (0..20).for_each(|value| assert!(large.insert(value).is_ok()));
    large.clear();
    assert_eq!(large.capacity() - large.stats().peak, 980);
}

/// "A component architecture keeps each kind of component in such a pool": a pass over one kind, which finds the
/// entity's other components, and none of an entity that is gone.
#[test]
fn each_kind_of_component_is_in_a_pool_of_its_own() {
    struct Speed {
        entity: Handle<()>,
        steps: i32,
    }
    let mut entities = HandleAllocator::new(100);
    let mut places: SideTable<Handle<()>, i32> = SideTable::with_capacity(100);
    let mut speeds = Pool::new(50);
    let all: Vec<Handle<()>> = (0..100).map(|_| entities.acquire().unwrap()).collect();
    for (number, &entity) in (0..).zip(&all) {
        places.insert(entity, number).unwrap();
        if number % 2 == 0 {
            speeds.insert(Speed { entity, steps: 1000 }).unwrap();
        }
    }
    for &entity in all.iter().step_by(10) {
        entities.release(entity);
        places.remove(entity);
    }
    speeds.retain(|_, speed| match places.get_mut(speed.entity) {
        Some(place) => {
            *place += speed.steps;
            true
        }
        None => false,
    });
    assert_eq!(speeds.len(), 40, "components of the ten that are gone went");
    for (number, &entity) in (0..).zip(&all) {
        let expected =
            (number % 10 != 0).then_some(number + if number % 2 == 0 { 1000 } else { 0 });
        assert_eq!(places.get(entity).copied(), expected);
    }
    let reused = entities.acquire().unwrap();
    assert!(places.get(reused).is_none(), "not the place of the one before");
}

/// "Worked example to reproduce exactly", for each text in one program, which a reader of the texts can follow; it
/// checks itself.
#[test]
fn worked_examples_of_all_texts_run_as_one_program() {
    crate::designs::main();
}
