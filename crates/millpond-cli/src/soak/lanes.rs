//! Every pool type and reuse order, each in a lane of its own.

use millpond::classic::{BytemapPool, RosterPool};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{Handle32, HandleAllocator, Pool, Recycler};

use super::boxes::Boxes;
use super::lane::{Lane, Work};
use super::payload::Payload;
use super::pools::{Beside, Issued};
use super::subject::Subject;

/// Collects lanes.
pub(super) struct Lanes<'a> {
    pub(super) capacity: usize,
    pub(super) seed: u64,
    pub(super) keys: usize,
    /// Only lanes whose name has this in it.
    pub(super) only: Option<&'a str>,
    pub(super) lanes: Vec<Box<dyn Work>>,
}

impl Lanes<'_> {
    fn add<S: Subject + 'static, const WORDS: usize>(
        &mut self,
        name: String,
        make: impl Fn(usize) -> S + 'static,
    ) {
        if self.only.is_none_or(|only| name.contains(only)) {
            let bytes = size_of::<Payload<WORDS>>();
            let lane = Lane::new(name, self.capacity, bytes, self.seed, self.keys, make);
            self.lanes.push(Box::new(lane));
        }
    }

    /// Every pool of the library.
    pub(super) fn pools(&mut self) {
        // Objects of several sizes, from 8 to 512 bytes.
        self.order::<Lifo, 3>();
        self.order::<Fifo, 7>();
        self.order::<LowestFirst, 0>();
        self.order::<Roster, 15>();
        self.order::<NextFit, 31>();
        self.order::<Intrusive, 63>();
        self.add::<_, 5>("RosterPool".to_owned(), |capacity| {
            Issued::new(RosterPool::<Payload<5>>::new(capacity))
        });
        self.add::<_, 5>("BytemapPool".to_owned(), |capacity| {
            BytemapPool::<Payload<5>>::new(capacity)
        });
        self.add::<_, 5>("BytemapPool, retiring".to_owned(), |capacity| {
            BytemapPool::<Payload<5>>::retiring(capacity)
        });
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
        self.add::<_, WORDS>(format!("Recycler, {name}"), |capacity| {
            Recycler::<Payload<WORDS>>::builder().reuse(R::default()).capacity(capacity).build()
        });
        self.add::<_, WORDS>(format!("HandleAllocator, {name}"), |capacity| {
            let builder = HandleAllocator::builder().reuse(R::default());
            Beside::<_, _, WORDS>::new(builder.capacity(capacity).build())
        });
    }

    /// The same work on the system's allocator, with objects of the same sizes.
    pub(super) fn boxes(&mut self) {
        self.boxes_of::<3>();
        self.boxes_of::<7>();
        self.boxes_of::<0>();
        self.boxes_of::<15>();
        self.boxes_of::<31>();
        self.boxes_of::<63>();
    }

    fn boxes_of<const WORDS: usize>(&mut self) {
        let bytes = size_of::<Payload<WORDS>>();
        for copy in 1..=5 {
            self.add::<_, WORDS>(format!("Box, {bytes} bytes, {copy}"), |capacity| {
                Boxes::<WORDS>::new(capacity)
            });
        }
    }
}

/// The most slots that each pool can have: what the narrowest handle can name.
pub(crate) const CAPACITY_MAX: u64 = 1 << 20;

const _: () = assert!(CAPACITY_MAX as usize <= BytemapPool::<()>::CAPACITY_MAX);
