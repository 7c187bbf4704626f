//! What every pool offers beside insertions, lookups and removals.

use std::any::Any;

use millpond::{
    AnyPool, AnyValue, Handle, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, Refusal,
    SideTable, StaticPool, SyncPool, SyncRecycler, VecPool,
};
use millpond_memory::FramePool;
use millpond_overflow::{EvictOldest, Policy};

#[derive(Default)]
struct World {
    ships: Pool<String>,
    sparks: PackedPool<f32>,
    embers: PackedVecPool<f32>,
    nodes: VecPool<u8>,
    messages: StaticPool<u8, 4>,
    particles: Recycler<[f32; 4]>,
    things: AnyPool<dyn Any, 16>,
    handles: HandleAllocator,
    names: SideTable<Handle<String>, &'static str>,
    oldest: EvictOldest<Handle<String>>,
    frames: FramePool<u8>,
    jobs: SyncPool<u8>,
    buffers: SyncRecycler<NoDefault>,
}

/// Pools without slots need no values.
struct NoDefault;

#[test]
fn a_world_derives_default() {
    let mut world = World::default();
    assert!(world.ships.insert("tug".to_owned()).is_err() && world.sparks.insert(1.0).is_err());
    assert!(world.things.insert(AnyValue::new(1_u8)).is_err());
    assert!(world.particles.acquire().is_none() && world.handles.acquire().is_none());
    assert!(world.oldest.insert(&mut world.ships, "tug".to_owned()).is_err());
    assert!(world.frames.insert(1).is_err());
    assert!(world.jobs.insert(1).is_err() && world.buffers.acquire().is_none());
    assert_eq!((world.jobs.capacity(), world.buffers.capacity()), (0, 0));
    assert_eq!(world.nodes.push(3).index(), 0);
    assert_eq!(world.embers.push(3.0).index(), 0);
    assert_eq!(world.messages.insert(4).unwrap().index(), 0);
    for pool in [world.ships.stats(), world.sparks.stats(), world.particles.stats()] {
        assert_eq!((pool.capacity, pool.live), (0, 0));
    }
    world.ships = Pool::new(8);
    let tug = world.ships.insert("tug".to_owned()).unwrap();
    world.names.insert(tug, "the tug").unwrap();
    assert_eq!(world.names[tug], "the tug");
}

#[test]
fn a_pool_of_values_is_collected() {
    let words = ["a", "b", "c"];
    let pool: Pool<_> = words.into_iter().collect();
    let packed: PackedPool<_> = words.into_iter().collect();
    let growing: PackedVecPool<_> = words.into_iter().collect();
    assert_eq!(growing.as_slice(), words);
    let grown: VecPool<_> = words.into_iter().collect();
    assert!(pool.is_full() && packed.is_full());
    assert_eq!((pool.capacity(), packed.capacity(), grown.len()), (3, 3, 3));
    assert!(pool.values().eq(&words) && packed.as_slice() == words && grown.values().eq(&words));
    assert_eq!(Pool::<u8>::from_iter([]).capacity(), 0);
}

/// A handle of the second lifetime, in words.
macro_rules! explains {
    ($pool:expr, |$name:ident| $insert:expr, $remove:ident) => {{
        let mut $name = $pool;
        let first = $insert;
        let _ = $name.$remove(first);
        let second = $insert;
        assert_eq!($name.explain(second).to_string(), "slot 0, 2nd lifetime: valid");
        let stale = $name.explain(first);
        assert_eq!((stale.slot(), stale.lifetime()), (0, Some(1)));
        assert_eq!(stale.check(), Err(Refusal::Stale));
    }};
}

#[test]
fn handles_are_explained() {
    explains!(Pool::builder().capacity(1).name("a").build(), |p| p.insert(1).unwrap(), remove);
    explains!(
        PackedPool::builder().capacity(1).name("a").build(),
        |p| p.insert(1).unwrap(),
        remove
    );
    explains!(VecPool::builder().name("a").build(), |p| p.push(1), remove);
    explains!(StaticPool::<_, 1>::named("a"), |p| p.insert(1).unwrap(), remove);
    let recycler = Recycler::<u8>::builder().capacity(1).name("a").build();
    explains!(recycler, |p| p.acquire().unwrap().0, release);
    let handles = HandleAllocator::builder().capacity(1).name("a").build();
    explains!(handles, |p| p.acquire().unwrap(), release);
}

#[test]
fn a_panic_names_the_lifetime() {
    let mut pool = Pool::builder().capacity(1).name("a").build();
    let handle = pool.insert(1).unwrap();
    pool.remove(handle);
    let message = std::panic::catch_unwind(|| pool[handle]).unwrap_err();
    let message = message.downcast_ref::<String>().unwrap().clone();
    assert!(message.contains("slot 0, 1st lifetime: stale: its object was removed"), "{message}");
}
