//! The four published designs beside the code of their own texts, in one run: in C++ (with the feature `cpp`) and in Rust
//! without unsafe code.
//!
//! ```sh
//! cargo run --profile plain -p millpond-bench --features cpp --bin designs
//! ```
//!
//! `--record FILE` writes the figures as CSV, with the instructions of a pair if valgrind is installed.
//!
//! A pair frees an object and allocates one: of all slots, 90 % are live; 30 of them are freed in an order drawn at random,
//! and then 30 are allocated. A frame creates as many particles as die, and animates all. `--count CONTENDER SLOTS LAPS`
//! runs one contender alone, for a count of its instructions under callgrind.

#[path = "../processor.rs"]
mod processor;

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use millpond::Handle;
use millpond_classic::{BytemapPool, HeapParticlePool, PoolAllocator, PoolBox, RosterPool};

const BATCH: usize = 30;
const ROUNDS: usize = 11;

/// What is allocated.
#[derive(Clone, Copy, Default)]
struct Object(#[expect(dead_code, reason = "only written")] [u64; 4]);

const OBJECT: Object = Object([1, 2, 3, 4]);

/// Something that is measured: one lap, and how many pairs, or particles and frames, it has.
trait Lap {
    fn lap(&mut self) -> usize;
}

/// The numbers of a lap: whole permutations of the live objects.
fn victims(live: usize) -> Vec<u32> {
    let mut random = 20_u64;
    let mut all = Vec::new();
    while all.len() < 18_000 {
        let mut once: Vec<u32> = (0..live as u32).collect();
        for last in (1..live).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            once.swap(last, (random >> 33) as usize % (last + 1));
        }
        all.extend(once);
    }
    all
}

/// A design whose objects are allocated and freed.
trait Design {
    type Key: Copy;
    fn new(slots: usize) -> Self;
    fn allocate(&mut self) -> Self::Key;
    fn free(&mut self, key: Self::Key);
}

struct Pairs<D: Design> {
    pool: D,
    live: Vec<D::Key>,
    victims: Vec<u32>,
}

impl<D: Design + 'static> Pairs<D> {
    fn boxed(slots: usize) -> Box<dyn Lap> {
        let mut pool = D::new(slots);
        let live: Vec<_> = (0..slots * 9 / 10).map(|_| pool.allocate()).collect();
        let victims = victims(live.len());
        Box::new(Self { pool, live, victims })
    }
}

impl<D: Design> Lap for Pairs<D> {
    fn lap(&mut self) -> usize {
        for batch in self.victims.chunks_exact(BATCH) {
            for victim in batch {
                self.pool.free(self.live[*victim as usize]);
            }
            for victim in batch {
                self.live[*victim as usize] = self.pool.allocate();
            }
        }
        black_box(&mut self.live);
        self.victims.len()
    }
}

impl Design for RosterPool<Object> {
    type Key = Handle<Object>;

    fn new(slots: usize) -> Self {
        Self::new(slots)
    }

    #[inline(always)]
    fn allocate(&mut self) -> Self::Key {
        self.allocate().expect("room")
    }

    #[inline(always)]
    fn free(&mut self, key: Self::Key) {
        self.free(key);
    }
}

impl Design for BytemapPool<Object> {
    type Key = i32;

    fn new(slots: usize) -> Self {
        Self::new(slots)
    }

    #[inline(always)]
    fn allocate(&mut self) -> i32 {
        self.insert(OBJECT).ok().expect("room")
    }

    #[inline(always)]
    fn free(&mut self, key: i32) {
        self.remove(key);
    }
}

/// Swap-delete as published, with a generation for each slot.
struct Roster {
    roster: Vec<u32>,
    position: Vec<u32>,
    generations: Vec<u32>,
    partition: usize,
}

impl Design for Roster {
    type Key = (u32, u32);

    fn new(slots: usize) -> Self {
        let roster: Vec<u32> = (0..slots as u32).rev().collect();
        Self { position: roster.clone(), roster, generations: vec![1; slots], partition: 0 }
    }

    #[inline(always)]
    fn allocate(&mut self) -> Self::Key {
        let slot = self.roster[self.partition];
        self.partition += 1;
        (slot, self.generations[slot as usize])
    }

    #[inline(always)]
    fn free(&mut self, (slot, generation): Self::Key) {
        if self.generations.get(slot as usize) != Some(&generation) {
            return;
        }
        self.generations[slot as usize] += 1;
        self.partition -= 1;
        let (at, last) = (self.position[slot as usize], self.roster[self.partition]);
        self.roster[at as usize] = last;
        self.position[last as usize] = at;
        self.roster[self.partition] = slot;
        self.position[slot as usize] = self.partition as u32;
    }
}

/// The byte map's table.
struct ByteMap {
    objects: Vec<Object>,
    bytes: Vec<u8>,
    first_free: i32,
}

impl Design for ByteMap {
    type Key = i32;

    fn new(slots: usize) -> Self {
        Self { objects: vec![OBJECT; slots], bytes: vec![0x80; slots], first_free: -1 }
    }

    #[inline(always)]
    fn allocate(&mut self) -> i32 {
        let mut has_wrapped = false;
        loop {
            self.first_free += 1;
            if self.first_free as usize >= self.bytes.len() {
                assert!(!has_wrapped, "room");
                has_wrapped = true;
                self.first_free = 0;
            }
            let index = self.first_free as usize;
            if self.bytes[index] & 0x80 != 0 {
                self.bytes[index] = (self.bytes[index] + 1) & 0x7f;
                self.objects[index] = OBJECT;
                return (index as i32) << 8 | i32::from(self.bytes[index]);
            }
        }
    }

    #[inline(always)]
    fn free(&mut self, handle: i32) {
        let index = (handle >> 8) as usize;
        if i32::from(self.bytes[index]) == handle & 0xff {
            self.bytes[index] |= 0x80;
            self.first_free = self.first_free.min(index as i32);
        }
    }
}

/// A pool whose keys own their objects.
struct Owned<P: Owning> {
    pool: P,
    live: Vec<Option<P::Guard>>,
    victims: Vec<u32>,
}

trait Owning {
    type Guard;
    fn new(slots: usize) -> Self;
    fn allocate(&mut self) -> Self::Guard;
    fn free(&mut self, guard: Self::Guard);
}

impl<P: Owning + 'static> Owned<P> {
    fn boxed(slots: usize) -> Box<dyn Lap> {
        let mut pool = P::new(slots);
        let live: Vec<_> = (0..slots * 9 / 10).map(|_| Some(pool.allocate())).collect();
        let victims = victims(live.len());
        Box::new(Self { pool, live, victims })
    }
}

impl<P: Owning> Lap for Owned<P> {
    fn lap(&mut self) -> usize {
        for batch in self.victims.chunks_exact(BATCH) {
            for victim in batch {
                if let Some(guard) = self.live[*victim as usize].take() {
                    self.pool.free(guard);
                }
            }
            for victim in batch {
                self.live[*victim as usize] = Some(self.pool.allocate());
            }
        }
        black_box(&mut self.live);
        self.victims.len()
    }
}

impl Owning for PoolAllocator<Object> {
    type Guard = PoolBox<Object>;

    fn new(slots: usize) -> Self {
        let pool = Self::new();
        pool.reserve(slots).unwrap();
        pool
    }

    #[inline(always)]
    fn allocate(&mut self) -> Self::Guard {
        self.alloc(OBJECT)
    }

    #[inline(always)]
    fn free(&mut self, guard: Self::Guard) {
        drop(guard);
    }
}

/// A stack of boxes, which are objects of the heap that stay allocated.
#[expect(clippy::vec_box, reason = "the text's objects do not move")]
struct Stack(Vec<Box<Object>>);

impl Owning for Stack {
    type Guard = Box<Object>;

    fn new(slots: usize) -> Self {
        Self((0..slots).map(|_| Box::new(OBJECT)).collect())
    }

    #[inline(always)]
    fn allocate(&mut self) -> Box<Object> {
        let mut object = self.0.pop().unwrap_or_else(|| Box::new(OBJECT));
        *object = OBJECT;
        object
    }

    #[inline(always)]
    fn free(&mut self, guard: Box<Object>) {
        self.0.push(guard);
    }
}

const FRAMES: usize = 60;

/// The lives of a lap's particles: 30 to 90 frames, so that three quarters of the slots are in use.
fn lives(slots: usize) -> (usize, Vec<u32>) {
    let births = slots * 3 / 4 / 60;
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        30 + (random >> 33) as u32 % 61
    };
    (births, (0..births * FRAMES).map(|_| next()).collect())
}

trait Particles {
    fn new(slots: usize) -> Self;
    fn create(&mut self, x: f32, y: f32, x_velocity: f32, y_velocity: f32, frames: u32);
    fn animate(&mut self);
}

struct Frames<P> {
    pool: P,
    slots: usize,
    births: usize,
    lives: Vec<u32>,
}

impl<P: Particles + 'static> Frames<P> {
    fn boxed(slots: usize) -> Box<dyn Lap> {
        let (births, lives) = lives(slots);
        let mut frames = Self { pool: P::new(slots), slots, births, lives };
        for _ in 0..3 {
            frames.lap();
        }
        Box::new(frames)
    }
}

impl<P: Particles> Lap for Frames<P> {
    fn lap(&mut self) -> usize {
        for lives in self.lives.chunks_exact(self.births) {
            for frames in lives {
                self.pool.create(0.0, 0.0, 1.0, 0.5, *frames);
            }
            self.pool.animate();
            black_box(&mut self.pool);
        }
        FRAMES * self.slots
    }
}

impl Particles for HeapParticlePool {
    fn new(slots: usize) -> Self {
        Self::with_capacity(slots)
    }

    #[inline(always)]
    fn create(&mut self, x: f32, y: f32, x_velocity: f32, y_velocity: f32, frames: u32) {
        let _ = self.create(x, y, x_velocity, y_velocity, frames);
    }

    #[inline(always)]
    fn animate(&mut self) {
        self.animate();
    }
}

/// The sample in Rust: the list's links are where the particles' positions are, as bits.
struct SampleParticle {
    frames_left: u32,
    x: f32,
    y: f32,
    x_velocity: f32,
    y_velocity: f32,
}

struct Sample {
    particles: Vec<SampleParticle>,
    first_available: u32,
}

impl Particles for Sample {
    fn new(slots: usize) -> Self {
        let unused = |next| SampleParticle {
            frames_left: 0,
            x: f32::from_bits(next),
            y: 0.0,
            x_velocity: 0.0,
            y_velocity: 0.0,
        };
        Self { particles: (1..=slots as u32).map(unused).collect(), first_available: 0 }
    }

    #[inline(always)]
    fn create(&mut self, x: f32, y: f32, x_velocity: f32, y_velocity: f32, frames_left: u32) {
        if let Some(particle) = self.particles.get_mut(self.first_available as usize) {
            self.first_available = particle.x.to_bits();
            *particle = SampleParticle { frames_left, x, y, x_velocity, y_velocity };
        }
    }

    #[inline(always)]
    fn animate(&mut self) {
        for (index, particle) in self.particles.iter_mut().enumerate() {
            if particle.frames_left == 0 {
                continue;
            }
            particle.frames_left -= 1;
            particle.x += particle.x_velocity;
            particle.y += particle.y_velocity;
            if particle.frames_left == 0 {
                particle.x = f32::from_bits(self.first_available);
                self.first_available = index as u32;
            }
        }
    }
}

/// The texts' code in C++, of cpp/designs.cpp. What it makes lives as long as the program.
#[cfg(feature = "cpp")]
mod native {
    use std::ffi::{c_int, c_void};

    use super::{BATCH, FRAMES, Lap, lives, victims};

    unsafe extern "C" {
        fn designs_new(design: c_int, slots: usize, live: usize) -> *mut c_void;
        fn designs_run(
            design: c_int,
            pool: *mut c_void,
            numbers: *const u32,
            first: usize,
            second: usize,
        );
    }

    struct Native {
        design: c_int,
        pool: *mut c_void,
        numbers: Vec<u32>,
        births: usize,
        operations: usize,
    }

    pub(super) fn boxed(design: c_int, slots: usize) -> Box<dyn Lap> {
        let live = slots * 9 / 10;
        let is_pairs = design < 4;
        let (births, numbers) = if is_pairs { (0, victims(live)) } else { lives(slots) };
        let operations = if is_pairs { numbers.len() } else { FRAMES * slots };
        // SAFETY: any numbers of slots and of live ones below it make a pool.
        let pool = unsafe { designs_new(design, slots, live) };
        let mut native = Native { design, pool, numbers, births, operations };
        if !is_pairs {
            for _ in 0..3 {
                native.lap();
            }
        }
        Box::new(native)
    }

    impl Lap for Native {
        fn lap(&mut self) -> usize {
            let (first, second) = match self.births {
                0 => (self.numbers.len() / BATCH * BATCH, BATCH),
                births => (births, FRAMES),
            };
            // SAFETY: the pool is of this design. It reads as many numbers as there are victims, or births in all frames.
            unsafe { designs_run(self.design, self.pool, self.numbers.as_ptr(), first, second) };
            self.operations
        }
    }
}

type Make = fn(usize) -> Box<dyn Lap>;

/// What is measured, the largest ratio that is wanted of ours to the text's, and the contenders, ours first.
type Row = (&'static str, f64, Vec<(&'static str, Make)>);

fn designs() -> Vec<Row> {
    #[cfg_attr(not(feature = "cpp"), expect(unused_mut, reason = "only the C++ ones are added"))]
    let mut designs: Vec<Row> = vec![
        (
            "swap-delete: a pair",
            1.2,
            vec![
                ("RosterPool", Pairs::<RosterPool<Object>>::boxed),
                ("the text with generations, Rust", Pairs::<Roster>::boxed),
            ],
        ),
        (
            "byte map: a pair",
            1.2,
            vec![
                ("BytemapPool", Pairs::<BytemapPool<Object>>::boxed),
                ("the table, Rust", Pairs::<ByteMap>::boxed),
            ],
        ),
        (
            "pool allocator: a pair",
            1.5,
            vec![
                ("PoolAllocator", Owned::<PoolAllocator<Object>>::boxed),
                ("a stack of boxes, Rust", Owned::<Stack>::boxed),
            ],
        ),
        (
            "particles: a slot and frame",
            1.1,
            vec![
                ("ParticlePool", Frames::<HeapParticlePool>::boxed),
                ("the sample with f32, Rust", Frames::<Sample>::boxed),
            ],
        ),
    ];
    #[cfg(feature = "cpp")]
    for (at, name, make) in [
        (0, "the text with generations, C++", (|slots| native::boxed(0, slots)) as Make),
        (1, "the table, C++", |slots| native::boxed(1, slots)),
        (2, "the text's stack with bare pointers, C++", |slots| native::boxed(2, slots)),
        (2, "the text's stack with its unique_ptr, C++", |slots| native::boxed(3, slots)),
        (3, "the sample with float, C++", |slots| native::boxed(4, slots)),
        (3, "the sample as published (double), C++", |slots| native::boxed(5, slots)),
    ] {
        designs[at].2.push((name, make));
    }
    designs
}

/// The medians of rounds in which the contenders take turns, in nanoseconds.
fn medians(laps: &mut [Box<dyn Lap>], rounds: usize) -> Vec<f64> {
    let mut times = vec![Vec::new(); laps.len()];
    for _ in 0..rounds {
        for (lap, times) in laps.iter_mut().zip(&mut times) {
            let start = Instant::now();
            let operations = lap.lap();
            times.push(start.elapsed().as_secs_f64() * 1e9 / operations as f64);
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    times.iter().map(|times| times[times.len() / 2]).collect()
}

/// A row of the record: see `report/designs.rs`.
#[derive(serde::Serialize)]
struct Record {
    design: &'static str,
    bar: f64,
    contender: &'static str,
    instructions: Option<f64>,
    ns_1000: f64,
    ns_100000: f64,
    processor: String,
    note: String,
}

/// The instructions of an operation of a contender with 1,000 slots: those of 12 laps less those of 2.
fn instructions(contender: &str) -> Option<f64> {
    let count = |laps: &str| {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args(["--count", contender, "1000", laps])
            .output()
            .ok()?;
        let said = String::from_utf8(output.stdout).ok()?;
        let told = String::from_utf8(output.stderr).ok()?;
        let operations: f64 = said.split_once(' ')?.0.parse().ok()?;
        let collected = told.lines().find_map(|line| line.split_once("Collected :"))?.1;
        Some((collected.trim().parse::<f64>().ok()?, operations))
    };
    let ((many, all), (few, some)) = (count("12")?, count("2")?);
    Some(((many - few) / (all - some) * 10.0).round() / 10.0)
}

/// Records all designs. In short, each once, and without the instructions: to try the record.
fn record(path: &str, in_short: bool) -> csv::Result<()> {
    let rounds = if in_short { 1 } else { ROUNDS };
    let mut file = csv::Writer::from_path(path)?;
    for (design, bar, contenders) in designs() {
        let of = |slots| {
            let mut laps: Vec<_> = contenders.iter().map(|(_, make)| make(slots)).collect();
            medians(&mut laps, rounds)
        };
        let (small, large) = (of(1_000), of(100_000));
        for (at, (contender, _)) in contenders.iter().enumerate() {
            let [ns_1000, ns_100000] = [small[at], large[at]].map(|ns| (ns * 1e3).round() / 1e3);
            let instructions = if in_short { None } else { instructions(contender) };
            let processor = processor::processor();
            let row = Record {
                design,
                bar,
                contender,
                instructions,
                ns_1000,
                ns_100000,
                processor,
                note: String::new(),
            };
            file.serialize(row)?;
        }
    }
    file.flush()?;
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match texts[..] {
        ["--record", path] => return record(path, false).expect("a file to write"),
        ["--short", "--record", path] => return record(path, true).expect("a file to write"),
        _ => {}
    }
    if let [flag, wanted, slots, laps] = &arguments[..]
        && flag == "--count"
    {
        let number = |text: &String| text.parse::<usize>().expect("a number");
        let all = designs().into_iter().flat_map(|(.., contenders)| contenders);
        let (_, make) = all.into_iter().find(|(name, _)| name == wanted).expect("a contender");
        let mut lap = make(number(slots));
        let operations: usize = (0..number(laps)).map(|_| lap.lap()).sum();
        println!("{operations} operations");
        return;
    }
    println!("| nanoseconds, medians of {ROUNDS} rounds | 1,000 slots | 100,000 slots |");
    println!("| --- | --- | --- |");
    for (what, bar, contenders) in designs() {
        let of = |slots| {
            let mut laps: Vec<_> = contenders.iter().map(|(_, make)| make(slots)).collect();
            medians(&mut laps, ROUNDS)
        };
        let (small, large) = (of(1_000), of(100_000));
        println!("| **{what}** (bar: {bar} × the text) | | |");
        for (at, (name, _)) in contenders.iter().enumerate() {
            let cell = |times: &[f64]| match at {
                0 => format!("{:.2}", times[0]),
                _ => format!("{:.2}: ours × {:.2}", times[at], times[0] / times[at]),
            };
            println!("| {name} | {} | {} |", cell(&small), cell(&large));
        }
    }
}
