//! Every pool type and reuse order, each in a lane of its own.

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, Pool, Recycler, VecPool,
};
use millpond_classic::{BytemapPool, PoolAllocator, RosterPool};
use millpond_overflow::Spill;

use super::frame_memory::LentFrames;
use super::guards::{Guards, Malloc};
use super::lane::{Lane, Make, Work};
use super::mixed::{Mixed, SLOT_BYTES};
use super::payload::Payload;
use super::pools::{Beside, Issued, STATIC_SLOTS, Static};
use super::subject::{Subject, any};
use super::together::{WithTable, spilling};
use super::trials::{Frames, Sizes, TrialLane, particles, voices};

/// Collects lanes.
pub(super) struct Lanes<'a> {
    pub(super) capacity: usize,
    pub(super) seed: u64,
    pub(super) keys: usize,
    /// Only lanes whose names contain this.
    pub(super) only: Option<&'a str>,
    /// Whether boxes of the system's allocator replace the pools.
    pub(super) system_allocator: bool,
    pub(super) lanes: Vec<Box<dyn Work>>,
}

impl Lanes<'_> {
    fn add<S: Subject + 'static, const WORDS: usize>(
        &mut self,
        name: String,
        make: impl Fn(usize) -> S + 'static,
    ) {
        self.add_with::<S, WORDS>(name, self.capacity, make);
    }

    fn add_with<S: Subject + 'static, const WORDS: usize>(
        &mut self,
        name: String,
        capacity: usize,
        make: impl Fn(usize) -> S + 'static,
    ) {
        if self.only.is_some_and(|only| !name.contains(only)) {
            return;
        }
        let bytes = size_of::<Payload<WORDS>>();
        let (seed, keys) = (self.seed, self.keys);
        let (name, make): (_, Make) = if self.system_allocator {
            let make = |capacity| any(Guards::<Malloc, WORDS>::new(capacity));
            (format!("{name}: Box"), Box::new(make))
        } else {
            (name, Box::new(move |capacity| any(make(capacity))))
        };
        self.lanes.push(Box::new(Lane::new(name, capacity, bytes, seed, keys, make)));
    }

    /// Every pool of the library, with objects of several sizes, from 8 to 512 bytes.
    pub(super) fn add_all(&mut self) {
        self.order::<Lifo, 3>();
        self.order::<Fifo, 7>();
        self.order::<LowestFirst, 0>();
        self.order::<Roster, 31>();
        self.packed::<3>();
        self.growing::<7>();
        self.fixed::<1>();
        self.beside_and_together::<5>();
        self.by_policy::<3>();
        self.mixed();
        self.classic::<5>();
        self.trials();
    }

    /// The pools that do not fit a model of slots and handles. They are not subjects, so a soak of the system's
    /// allocator, or one that follows a trace, leaves them out.
    fn trials(&mut self) {
        let (capacity, seed) = (self.capacity, self.seed);
        if self.system_allocator || self.keys > 0 {
            return;
        }
        self.trial("ParticlePool", |name| Box::new(TrialLane::new(name, seed, particles())));
        self.trial("ObjectPool", |name| Box::new(TrialLane::new(name, seed, voices())));
        self.trial("FramePool", |name| Box::new(TrialLane::new(name, seed, Frames::new(capacity))));
        self.trial("FrameMemory", |name| {
            Box::new(TrialLane::new(name, seed, LentFrames::new(capacity)))
        });
        self.trial("SizeClasses", |name| {
            Box::new(TrialLane::new(name, seed, Sizes::new(capacity)))
        });
    }

    fn trial(&mut self, name: &str, make: impl FnOnce(&str) -> Box<dyn Work>) {
        if self.only.is_none_or(|only| name.contains(only)) {
            self.lanes.push(make(name));
        }
    }

    fn order<R: ReuseOrder, const WORDS: usize>(&mut self) {
        let name = R::NAME;
        self.add::<_, WORDS>(format!("Pool, {name}"), |capacity| {
            Pool::<Payload<WORDS>>::builder().reuse(R::default()).capacity(capacity).build()
        });
        self.add::<_, WORDS>(format!("Pool, {name}, 255 lifetimes, retires"), |capacity| {
            let builder = Pool::<Payload<WORDS>>::builder().reuse(R::default());
            builder.handle::<Handle32<Payload<WORDS>, 24>>().capacity(capacity).build()
        });
        self.add::<_, WORDS>(format!("Pool, {name}, 4095 lifetimes, wraps"), |capacity| {
            let builder = Pool::<Payload<WORDS>>::builder().reuse(R::default());
            builder.handle::<Handle32<Payload<WORDS>, 20>>().wrap().capacity(capacity).build()
        });
        if self.fits_16_bits() {
            self.add::<_, WORDS>(format!("Pool, {name}, 16-bit slots"), |capacity| {
                let builder = Pool::<Payload<WORDS>>::builder().reuse(R::default());
                builder.handle::<Handle32<Payload<WORDS>, 16>>().capacity(capacity).build()
            });
        }
        self.add::<_, WORDS>(format!("Recycler, {name}"), |capacity| {
            Recycler::<Payload<WORDS>>::builder().reuse(R::default()).capacity(capacity).build()
        });
        self.add::<_, WORDS>(format!("HandleAllocator, {name}"), |capacity| {
            let builder = HandleAllocator::builder().reuse(R::default());
            Beside::<_, _, WORDS>::new(builder.capacity(capacity).build())
        });
    }

    fn packed<const WORDS: usize>(&mut self) {
        let builder = PackedPool::<Payload<WORDS>>::builder;
        self.add::<_, WORDS>("PackedPool".to_owned(), move |capacity| {
            builder().capacity(capacity).build()
        });
        self.add::<_, WORDS>("PackedPool, 255 lifetimes, retires".to_owned(), move |capacity| {
            builder().handle::<Handle32<Payload<WORDS>, 24>>().capacity(capacity).build()
        });
        self.add::<_, WORDS>("PackedPool, 4095 lifetimes, wraps".to_owned(), move |capacity| {
            builder().handle::<Handle32<Payload<WORDS>, 20>>().wrap().capacity(capacity).build()
        });
        if self.fits_16_bits() {
            self.add::<_, WORDS>("PackedPool, 16-bit slots".to_owned(), move |capacity| {
                builder().handle::<Handle32<Payload<WORDS>, 16>>().capacity(capacity).build()
            });
        }
    }

    /// All slots are allocated at the start, so that nothing may be allocated later.
    fn growing<const WORDS: usize>(&mut self) {
        let builder =
            |slots| VecPool::<Payload<WORDS>>::builder().capacity(slots).capacity_max(slots);
        self.add::<_, WORDS>("VecPool".to_owned(), move |slots| builder(slots).build());
        let name = "VecPool, LowestFirst, 255 lifetimes, retires".to_owned();
        self.add::<_, WORDS>(name, move |slots| {
            let builder = builder(slots).reuse(LowestFirst);
            builder.handle::<Handle32<Payload<WORDS>, 24>>().build()
        });
    }

    fn fixed<const WORDS: usize>(&mut self) {
        self.add_with::<_, WORDS>("StaticPool".to_owned(), STATIC_SLOTS, |_| {
            Static::<Handle<Payload<WORDS>>, WORDS>::new()
        });
        let name = "StaticPool, 255 lifetimes, retires".to_owned();
        self.add_with::<_, WORDS>(name, STATIC_SLOTS, |_| {
            Static::<Handle32<Payload<WORDS>, 24>, WORDS>::new()
        });
        self.add_with::<_, WORDS>("StaticPool, 16-bit slots".to_owned(), STATIC_SLOTS, |_| {
            Static::<Handle32<Payload<WORDS>, 16>, WORDS>::new()
        });
    }

    fn beside_and_together<const WORDS: usize>(&mut self) {
        self.add::<_, WORDS>("SideTable beside a Pool".to_owned(), |capacity| {
            WithTable::<_, WORDS>::new(Pool::builder().capacity(capacity).build())
        });
        let name = "SideTable beside a Pool, 4095 lifetimes, wraps".to_owned();
        self.add::<_, WORDS>(name, |capacity| {
            let builder = Pool::builder().handle::<Handle32<Payload<WORDS>, 20>>().wrap();
            WithTable::<_, WORDS>::new(builder.capacity(capacity).build())
        });
        self.add::<_, WORDS>("Spill of a Pool into a PackedPool".to_owned(), |capacity| {
            let first = capacity / 2;
            Spill::new(
                Pool::<Payload<WORDS>>::new(first),
                PackedPool::<Payload<WORDS>>::new(capacity - first),
            )
        });
    }

    fn by_policy<const WORDS: usize>(&mut self) {
        self.add::<_, WORDS>("PolicyPool that spills".to_owned(), spilling::<WORDS>);
    }

    /// Objects of different types, each counted with the size of a slot.
    fn mixed(&mut self) {
        const WORDS: usize = SLOT_BYTES / size_of::<u64>() - 1;
        self.add::<_, WORDS>("AnyPool".to_owned(), Mixed::new);
    }

    fn classic<const WORDS: usize>(&mut self) {
        self.add::<_, WORDS>(
            "PoolAllocator".to_owned(),
            Guards::<PoolAllocator<Payload<WORDS>>, WORDS>::new,
        );
        self.add::<_, WORDS>("RosterPool".to_owned(), |capacity| {
            Issued::new(RosterPool::<Payload<WORDS>>::new(capacity))
        });
        self.add::<_, WORDS>("BytemapPool".to_owned(), BytemapPool::<Payload<WORDS>>::new);
        self.add::<_, WORDS>(
            "BytemapPool, retiring".to_owned(),
            BytemapPool::<Payload<WORDS>>::retiring,
        );
    }

    /// Whether handles with 16 bits for the slot can name all slots.
    fn fits_16_bits(&self) -> bool {
        self.capacity <= Handle32::<(), 16>::CAPACITY_MAX
    }
}
