//! The steps, and the migrations from each kind into each.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};
use millpond::{
    Handle32, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, StaticPool, SyncPool,
    VecPool,
};
use millpond_overflow::PolicyPool;

use crate::edits::edit;
use crate::kinds::{Key, Kind, Spilling};
use crate::{Counted, Random};

/// A pool of any kind, with the state that it was last saved in.
macro_rules! worlds {
    ($($variant:ident: $pool:ty;)*) => {
        #[allow(clippy::large_enum_variant, reason = "a test has one or two of them")]
        enum World {
            $($variant($pool, Vec<<$pool as Kind>::Past>),)*
        }

        const KINDS: &[&str] = &[$(<$pool as Kind>::NAME,)*];

        impl World {
            fn build(kind: usize, random: &mut Random) -> Self {
                let slots = [1, 3, 6, 9, 64, 70][random.below(6)];
                let lifetimes = [1, 2, 3, u32::MAX, u32::MAX][random.below(5)];
                let builders: &[fn(usize, u32, &mut Random) -> Self] = &[
                    $(|slots, lifetimes, random| {
                        Self::$variant(<$pool as Kind>::build(slots, lifetimes, random), Vec::new())
                    },)*
                ];
                builders[kind](slots, lifetimes, random)
            }

            fn step(&mut self, random: &mut Random) {
                match self {
                    $(Self::$variant(pool, pasts) => step(pool, pasts, random),)*
                }
            }
        }
    };
}

worlds! {
    Lifo: Pool<Counted>;
    Fifo: Pool<Counted, Fifo>;
    LowestFirst: Pool<Counted, LowestFirst>;
    Roster: Pool<Counted, Roster>;
    Short: Pool<Counted, Lifo, Handle32<Counted, 24>>;
    VecLifo: VecPool<Counted>;
    VecFifo: VecPool<Counted, Fifo>;
    VecRoster: VecPool<Counted, Roster>;
    Static: StaticPool<Counted, 70>;
    Packed: PackedPool<Counted>;
    PackedVec: PackedVecPool<Counted>;
    Recycler: Recycler<Counted>;
    Allocator: HandleAllocator;
    AllocatorOfRoster: HandleAllocator<Roster>;
    Spill: Spilling;
    Policy: PolicyPool<Counted>;
    Sync: SyncPool<Counted>;
}

/// A function for each kind of old pool and each kind of new one, which takes over what it can.
macro_rules! migrations {
    ($($old:ident)* => $new:tt) => {
        fn migrate(old: World, new: &mut World) {
            match old {
                $(World::$old(old, _) => migrations!(@into old, new, $new),)*
                World::Sync(mut old, _) => migrations!(@into old.snapshot(), new, $new),
                // Their objects are nothing, and become objects.
                World::Allocator(old, _) => migrations!(@convert old, new, $new),
                World::AllocatorOfRoster(old, _) => migrations!(@convert old, new, $new),
                World::Spill(old, _) => {
                    if let World::Spill(new, _) = new {
                        _ = new.migrate_from(old);
                    }
                }
            }
        }
    };
    (@into $old:expr, $world:ident, { $($new:ident)* }) => {
        match $world {
            $(World::$new(new, _) => _ = new.migrate_with($old, |_, value| value),)*
            World::Policy(new, _) => _ = new.migrate_from($old),
            World::Allocator(new, _) => _ = new.migrate_with($old, |_, _| ()),
            World::AllocatorOfRoster(new, _) => _ = new.migrate_with($old, |_, _| ()),
            World::Spill(..) => {}
        }
    };
    (@convert $old:expr, $world:ident, { $($new:ident)* }) => {
        match $world {
            $(World::$new(new, _) => _ = new.migrate_with($old, |_, ()| Counted::new(5)),)*
            World::Allocator(new, _) => _ = new.migrate_from($old),
            World::AllocatorOfRoster(new, _) => _ = new.migrate_from($old),
            World::Policy(..) | World::Spill(..) => {}
        }
    };
}

migrations! {
    Lifo Fifo LowestFirst Roster Short VecLifo VecFifo VecRoster Static Packed PackedVec Recycler Policy => {
        Lifo Fifo LowestFirst Roster Short VecLifo VecFifo VecRoster Static Packed PackedVec Recycler Sync
    }
}

/// What must hold after each step.
fn check<K: Kind>(pool: &mut K) -> Vec<Key> {
    pool.check();
    let live = pool.live();
    let stats = pool.stats();
    assert_eq!((stats.live, stats.inserted - stats.removed), (live.len(), live.len() as u64));
    assert!(stats.evicted <= stats.removed && stats.live <= stats.peak, "{stats:?}");
    live
}

/// What a pool writes, its like reads.
fn reads_its_own<K: Kind>(pool: &mut K) -> K {
    let text = pool.write();
    let mut read = K::read(&text).unwrap_or_else(|why| panic!("its own file: {why}: {text}"));
    assert_eq!(check(&mut read), pool.live());
    read
}

fn step<K: Kind>(pool: &mut K, pasts: &mut Vec<K::Past>, random: &mut Random) {
    match random.below(20) {
        0..6 => {
            let live: HashSet<Key> = pool.live().into_iter().collect();
            for _ in 0..1 + random.below(4) {
                let key = pool.insert(random.next());
                assert!(key.is_none_or(|key| !live.contains(&key)), "{key:?} is live");
            }
        }
        6..10 => {
            let live = pool.live();
            let key = live.get(random.below(live.len())).copied();
            assert!(key.is_none_or(|key| pool.remove(key) && !pool.remove(key)));
        }
        10 => pool.change_each(),
        11 => pool.resize(random),
        12 => {
            let past = pool.save();
            pasts.truncate(2);
            pasts.insert(0, past);
        }
        13 => {
            if let Some(past) = pasts.get(random.below(pasts.len())) {
                pool.restore(past);
            }
        }
        14 if random.below(4) == 0 => pool.clear(),
        14 | 15 => *pool = reads_its_own(pool),
        16 => {
            // Until it is full, and once more: refusals are counted.
            while pool.live().len() < 90 && pool.insert(1).is_some() {
                if random.below(60) == 0 {
                    break;
                }
            }
        }
        _ => {
            let text = edit(&pool.write(), random);
            let large = |text: &str| text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() > 6);
            // A capacity in a file is cheap; to look at each of its slots is not.
            let is_of_many_slots = |text: &str| {
                ["\"capacity\":", "\"capacity_max\":"].iter().any(|key| {
                    text.split(key)
                        .skip(1)
                        .any(|rest| large(rest.split([',', '}']).next().unwrap_or("")))
                })
            };
            if !is_of_many_slots(&text)
                && let Ok(read) = K::read(&text)
            {
                *pool = read;
                check(pool);
                *pool = reads_its_own(pool);
            }
        }
    }
    check(pool);
}

/// So many steps from this seed on; returns how many files were edited and migrations tried.
fn steps(seed: u64, count: u64) {
    let mut random = Random(seed);
    let mut world = World::build(random.below(KINDS.len()), &mut random);
    for at in 0..count {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if random.below(16) == 0 {
                let mut new = World::build(random.below(KINDS.len()), &mut random);
                for _ in 0..random.below(4) {
                    new.step(&mut random);
                }
                migrate(std::mem::replace(&mut world, World::build(0, &mut Random(1))), &mut new);
                world = new;
                world.step(&mut random);
            } else {
                world.step(&mut random);
            }
        }));
        if let Err(panic) = outcome {
            eprintln!("seed {seed}, step {at}");
            // What it left behind may not even be dropped.
            std::mem::forget(world);
            resume_unwind(panic);
        }
    }
    drop(world);
    assert_eq!(Counted::alive(), 0, "seed {seed}: values that were not dropped, or twice");
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// So many steps in each world.
const STEPS: u64 = 200;

#[test]
fn pools_are_sound_whatever_files_say() {
    let steps_in_all = 1000 * setting("MILLPOND_EDITED_STEPS", 20);
    let first = setting("MILLPOND_EDITED_SEED", 0);
    for seed in first..first + steps_in_all.div_ceil(STEPS) {
        steps(seed, STEPS);
    }
    println!("{steps_in_all} steps over {} kinds", KINDS.len());
}
