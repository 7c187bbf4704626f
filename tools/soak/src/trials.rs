//! The pools that do not fit a model of slots and handles, each with a model of its own: the particle pool, objects
//! that know that they are pooled, the pool that is reset as a whole, and raw memory in size classes.

use std::alloc::Layout;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use hdrhistogram::Histogram;
use millpond_classic::{ObjectPool, ParticlePool, Pooled};
use millpond_memory::size_classes::Overflow;
use millpond_memory::{FrameLink, FramePool, SizeClasses};

use super::checkpoint::PoolState;
use super::lane::{LATENCY_MAX_NS, Tally, Work};
use super::payload::Payload;
use super::random::Random;
use super::shape::Shape;
use crate::allocations;

/// A pool, and a model of it.
pub(super) trait Trial {
    /// One operation on both, whose answers are compared.
    fn step(&mut self, random: &mut Random) -> Result<(), String>;
    /// Compares the whole pool with the model.
    fn check(&self) -> Result<(), String>;
    /// The number of live objects, and the size of one.
    fn live(&self) -> (usize, usize);
    /// The number of insertions that a full pool rightly refused.
    fn refused(&self) -> u64;
}

/// A lane of a trial.
pub(super) struct TrialLane<T> {
    name: String,
    trial: T,
    random: Random,
    step: u64,
    tally: Tally,
    /// Empty: most of what it measured here would be the clock.
    latency: Histogram<u64>,
}

impl<T: Trial> TrialLane<T> {
    pub(super) fn new(name: &str, seed: u64, trial: T) -> Self {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_NS, 2);
        Self {
            name: name.to_owned(),
            trial,
            random: Random::of(seed, name),
            step: 0,
            tally: Tally::default(),
            latency: latency.expect("the bounds are in order and two digits can be had"),
        }
    }

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        for _ in 0..steps {
            self.step += 1;
            self.tally.operations += 1;
            self.trial.step(&mut self.random)?;
            let (live, bytes) = self.trial.live();
            self.tally.live = live as u64;
            self.tally.bytes_live = (live * bytes) as u64;
            self.tally.peak = self.tally.peak.max(self.tally.live);
            self.tally.bytes_peak = self.tally.bytes_peak.max(self.tally.bytes_live);
        }
        Ok(())
    }
}

impl<T: Trial> Work for TrialLane<T> {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&mut self, _shape: &Shape, steps: u64) -> Result<(), (u64, String)> {
        let run = AssertUnwindSafe(|| {
            let (result, asked) = allocations::during(|| self.steps(steps));
            self.tally.allocations += asked.requests;
            result.and_then(|()| self.trial.check())
        });
        let result = catch_unwind(run).unwrap_or_else(|_| Err("the pool panicked".to_owned()));
        self.tally.refused = self.trial.refused();
        result.map_err(|message| (self.step, message))
    }

    fn tally(&self) -> Tally {
        self.tally
    }

    fn latency(&self) -> &Histogram<u64> {
        &self.latency
    }

    fn state(&mut self) -> PoolState {
        PoolState { seed: self.random.seed_for_the_next(), slots: Vec::new() }
    }

    fn resume(&mut self, state: &PoolState) -> Result<(), String> {
        if !state.slots.is_empty() {
            return Err(format!("has {} slots, expected none", state.slots.len()));
        }
        self.random = Random::resumed(state.seed);
        Ok(())
    }
}

pub(super) fn differ<V: PartialEq + std::fmt::Debug>(
    what: &str,
    found: V,
    expected: V,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: found {found:?}, expected {expected:?}"))
}

/// The number of objects of the pools whose objects fade.
const FADING: usize = 1000;

/// A pool of objects that live for a number of frames and then disappear.
pub(super) trait Fading {
    /// Starts one; `false` if the pool is full.
    fn create(&mut self, frames: u32) -> bool;
    /// A frame passes.
    fn advance(&mut self);
    fn clear(&mut self);
    /// The number of frames that an object has left; 0 if it is not in use.
    fn left(&self, index: usize) -> u32;
    fn available(&self) -> impl Iterator<Item = usize>;
    fn len(&self) -> usize;
}

/// Such a pool with its model: the frames that each object has left, and the free ones as a stack.
pub(super) struct FadingTrial<P> {
    pool: P,
    left: Vec<u32>,
    free: Vec<usize>,
    refused: u64,
}

impl<P: Fading> FadingTrial<P> {
    pub(super) fn new(pool: P) -> Self {
        Self { pool, left: vec![0; FADING], free: (0..FADING).rev().collect(), refused: 0 }
    }
}

impl<P: Fading> Trial for FadingTrial<P> {
    fn step(&mut self, random: &mut Random) -> Result<(), String> {
        match random.below(20_000) {
            0 => {
                self.pool.clear();
                self.left.fill(0);
                self.free.clear();
                self.free.extend((0..FADING).rev());
            }
            1..1000 => {
                self.pool.advance();
                for (index, left) in self.left.iter_mut().enumerate().filter(|(_, left)| **left > 0)
                {
                    *left -= 1;
                    if *left == 0 {
                        self.free.push(index);
                    }
                }
            }
            _ => {
                let frames = 1 + random.below(120) as u32;
                let slot = self.free.pop();
                differ("a creation", self.pool.create(frames), slot.is_some())?;
                match slot {
                    Some(slot) => {
                        differ("a new object", self.pool.left(slot), frames)?;
                        self.left[slot] = frames;
                    }
                    None => self.refused += 1,
                }
            }
        }
        differ("objects in use", self.pool.len(), FADING - self.free.len())
    }

    fn check(&self) -> Result<(), String> {
        for (index, left) in self.left.iter().enumerate() {
            differ("frames left", self.pool.left(index), *left)?;
        }
        let in_order = self.pool.available().eq(self.free.iter().rev().copied());
        differ("the free list is the model's stack", in_order, true)
    }

    fn live(&self) -> (usize, usize) {
        (self.pool.len(), 20)
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

impl Fading for Box<ParticlePool<FADING>> {
    fn create(&mut self, frames: u32) -> bool {
        ParticlePool::create(self, 0.0, 0.0, 1.0, 0.5, frames).is_ok()
    }

    fn advance(&mut self) {
        self.animate();
    }

    fn clear(&mut self) {
        ParticlePool::clear(self);
    }

    fn left(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |particle| particle.frames_left.get())
    }

    fn available(&self) -> impl Iterator<Item = usize> {
        ParticlePool::available(self)
    }

    fn len(&self) -> usize {
        ParticlePool::len(self)
    }
}

pub(super) fn particles() -> FadingTrial<Box<ParticlePool<FADING>>> {
    FadingTrial::new(Box::new(ParticlePool::new()))
}

/// An object that knows that it is pooled, with something to drop.
pub(super) enum Voice {
    Playing { sound: Payload<2>, frames_left: u32 },
    Unused { next: Option<u32> },
}

millpond_classic::pooled!(Voice, Unused);

impl Fading for Box<ObjectPool<Voice, FADING>> {
    fn create(&mut self, frames_left: u32) -> bool {
        let sound = Payload::new(u64::from(frames_left));
        ObjectPool::create(self, Voice::Playing { sound, frames_left }).is_ok()
    }

    fn advance(&mut self) {
        self.update(|_, voice| match voice {
            Voice::Playing { frames_left: 1, .. } => *voice = Voice::unused(None),
            Voice::Playing { sound, frames_left } => {
                *frames_left -= 1;
                sound.set(u64::from(*frames_left));
            }
            Voice::Unused { .. } => {}
        });
    }

    fn clear(&mut self) {
        ObjectPool::clear(self);
    }

    /// The frames according to its sound; a number that is not in the model if the object was overwritten.
    fn left(&self, index: usize) -> u32 {
        match self.get(index) {
            Some(Voice::Playing { sound, .. }) => sound.number().map_or(u32::MAX, |n| n as u32),
            _ => 0,
        }
    }

    fn available(&self) -> impl Iterator<Item = usize> {
        ObjectPool::available(self)
    }

    fn len(&self) -> usize {
        ObjectPool::len(self)
    }
}

pub(super) fn voices() -> FadingTrial<Box<ObjectPool<Voice, FADING>>> {
    FadingTrial::new(Box::new(ObjectPool::new()))
}

/// A pool that is reset as a whole. The model: the links of this frame with the numbers of the values, and some links
/// of earlier frames.
pub(super) struct Frames {
    pool: FramePool<Payload<5>>,
    links: Vec<(FrameLink<Payload<5>>, u64)>,
    stale: Vec<FrameLink<Payload<5>>>,
    numbers: u64,
    refused: u64,
}

impl Frames {
    /// The number of stale links that are tried again and again.
    const STALE: usize = 64;

    pub(super) fn new(capacity: usize) -> Self {
        Self {
            pool: FramePool::new(capacity),
            links: touched(capacity),
            stale: touched(Self::STALE),
            numbers: 0,
            refused: 0,
        }
    }
}

impl Trial for Frames {
    fn step(&mut self, random: &mut Random) -> Result<(), String> {
        let full = self.links.len() == self.pool.capacity();
        match random.below(self.pool.capacity().max(1) + 1) {
            0 => {
                self.pool.reset();
                let spare = Self::STALE - self.stale.len();
                self.stale.extend(self.links.iter().take(spare).map(|(link, _)| *link));
                self.links.clear();
            }
            choice if choice % 2 == 0 && !self.links.is_empty() => {
                let (link, number) = self.links[random.below(self.links.len())];
                differ("a value", self.pool.get(link).and_then(Payload::number), Some(number))?;
            }
            choice if choice % 3 == 0 && !self.stale.is_empty() => {
                let link = self.stale[random.below(self.stale.len())];
                differ("a stale link is valid", self.pool.contains(link), false)?;
            }
            _ => {
                self.numbers += 1;
                let link = self.pool.insert(Payload::new(self.numbers)).ok();
                differ("an insertion is refused", link.is_none(), full)?;
                self.refused += u64::from(full);
                self.links.extend(link.map(|link| (link, self.numbers)));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let found = self.pool.iter().map(|(link, value)| (link, value.number()));
        let expected = self.links.iter().map(|&(link, number)| (link, Some(number)));
        differ("iteration shows the model's values", found.eq(expected), true)?;
        let stale = self.stale.iter().filter(|link| self.pool.get(**link).is_some()).count();
        differ("stale links that are valid", stale, 0)
    }

    fn live(&self) -> (usize, usize) {
        (self.links.len(), size_of::<Payload<5>>())
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

/// Raw memory in size classes. The model: the blocks in use, each filled with a byte of its own.
pub(super) struct Sizes {
    memory: SizeClasses,
    /// Each of these blocks was allocated with its layout, and has not been freed.
    blocks: Vec<(NonNull<[u8]>, Layout, u8)>,
    blocks_max: usize,
    refused: u64,
}

impl Sizes {
    const CLASSES: [usize; 5] = [16, 32, 64, 128, 256];

    pub(super) fn new(capacity: usize) -> Self {
        let each = capacity.div_ceil(Self::CLASSES.len()).max(1);
        let classes = Self::CLASSES.map(|bytes| (bytes, each));
        let memory = SizeClasses::builder().classes(classes).overflow(Overflow::Refuse).build();
        let blocks_max = 2 * capacity + 1000;
        Self { memory, blocks: touched(blocks_max), blocks_max, refused: 0 }
    }

    /// Frees a block, unless it was overwritten.
    fn free(&mut self, at: usize) -> Result<(), String> {
        let (block, layout, byte) = self.blocks.swap_remove(at);
        // SAFETY: the block is in use, so its bytes belong to the model alone; they were filled when it was allocated.
        let bytes = unsafe { block.as_ref() };
        let written_over = bytes[..layout.size()].iter().any(|found| *found != byte);
        // SAFETY: the block was allocated with this layout, and the model has forgotten it.
        unsafe { self.memory.deallocate(block.cast(), layout) };
        differ("a block was written over", written_over, false)
    }
}

impl Trial for Sizes {
    fn step(&mut self, random: &mut Random) -> Result<(), String> {
        // In long waves.
        let rising = random.below(100) < if self.blocks.len() % 512 < 256 { 60 } else { 50 };
        if !rising || self.blocks.len() == self.blocks_max {
            return match self.blocks.len() {
                0 => Ok(()),
                blocks => self.free(random.below(blocks)),
            };
        }
        let align = 1 << random.below(5);
        let layout = Layout::from_size_align(1 + random.below(256), align);
        let layout = layout.map_err(|error| error.to_string())?;
        match self.memory.allocate(layout) {
            Ok(mut block) => {
                let byte = random.below(256) as u8;
                // SAFETY: the block was just allocated, so nothing else refers to it.
                unsafe { block.as_mut() }.fill(byte);
                self.blocks.push((block, layout, byte));
            }
            Err(_) => self.refused += 1,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let live: usize = self.memory.class_stats().map(|class| class.live).sum();
        differ("blocks that are out", live, self.blocks.len())
    }

    fn live(&self) -> (usize, usize) {
        (self.blocks.len(), 128)
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        while !self.blocks.is_empty() {
            // An overwritten block was reported when it was found, or is freed with the pool.
            let _ = self.free(0);
        }
    }
}

/// An empty list whose pages are touched, so that a model of this size does not look like a growing pool.
fn touched<T>(capacity: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(capacity);
    list.spare_capacity_mut().fill_with(std::mem::MaybeUninit::zeroed);
    std::hint::black_box(list)
}
