//! A program with Tracy's client, for the tests of `millpond record --tracy`. Its first argument says what it does:
//!
//! - `on_boxes` is `crates/millpond/examples/on_boxes.rs`, tick by tick a frame, without a pause between them; `on_boxes
//!   paced` takes its twenty seconds.
//! - `pools` has two memory pools by name.
//! - `flood SECONDS [RATE]` makes and frees blocks without call stacks for so long, as fast as it can, or so many million events
//!   a second, and says how many there were.
//! - `forever` makes and frees blocks until it is killed, and says when it has the most that it has; `abort` aborts among them.

use std::alloc::{GlobalAlloc, Layout};
use std::collections::VecDeque;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use tracy_client::{Client, ProfiledAllocator, frame_mark, plot, sys};

#[global_allocator]
static GLOBAL: ProfiledAllocator<std::alloc::System> =
    ProfiledAllocator::new(std::alloc::System, DEPTH);

/// How many callers the client records of each block.
const DEPTH: u16 = 8;

/// What the flood's blocks come from.
static WITHOUT_STACKS: ProfiledAllocator<std::alloc::System> =
    ProfiledAllocator::new(std::alloc::System, 0);

struct Unit {
    position: [f32; 3],
    health: i32,
    ticks_to_shot: u32,
    path: [[f32; 2]; 9],
}

struct Shell {
    position: [f32; 3],
    speed: [f32; 3],
    ticks_left: u32,
    damage: i32,
    from: u64,
}

struct Puff {
    position: [f32; 3],
    size: f32,
    ticks_left: u32,
    colour: [f32; 9],
}

/// Twenty seconds at 60 ticks a second.
const TICKS: u32 = 1200;
const TICK: Duration = Duration::from_micros(16_667);

fn main() {
    Client::start();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // So that what comes next is in the recording of a client that records on demand.
    if std::env::var_os("WAIT").is_some() {
        // SAFETY: it only reads a flag.
        while unsafe { sys::___tracy_connected() } == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    match words[..] {
        ["on_boxes"] => on_boxes(false),
        ["on_boxes", "paced"] => on_boxes(true),
        ["pools"] => pools(),
        ["flood", seconds] => flood(seconds.parse().expect("a number"), f64::INFINITY),
        ["flood", seconds, rate] => {
            flood(seconds.parse().expect("a number"), rate.parse::<f64>().expect("a number") * 1e6)
        }
        ["forever"] => forever(u64::MAX),
        ["abort"] => {
            forever(200);
            std::process::abort();
        }
        _ => panic!("expected one of on_boxes, pools, flood, forever, abort"),
    }
}

fn on_boxes(is_paced: bool) {
    let start = Instant::now();
    let mut random = Random(1);
    let mut units: Vec<Box<Unit>> = Vec::new();
    let mut shells: Vec<Box<Shell>> = Vec::new();
    let mut puffs: Vec<Box<Puff>> = Vec::new();
    let (mut fallen, mut shots, mut smoke) = (0_u64, 0_u64, 0.0_f64);
    for tick in 0..TICKS {
        frame_mark();
        plot!("puffs live", puffs.len() as f64);
        // A wave of attackers every five seconds.
        if tick % 300 < 120 && tick % 4 == 0 {
            units.push(Box::new(Unit {
                position: [random.below(1000) as f32, random.below(1000) as f32, 0.0],
                health: 100,
                ticks_to_shot: 30 + random.below(90),
                path: [[0.0; 2]; 9],
            }));
        }
        for unit in &mut units {
            unit.position[0] += 0.1 + unit.path[0][0];
            unit.ticks_to_shot -= 1;
            if unit.ticks_to_shot == 0 {
                unit.ticks_to_shot = 40 + random.below(60);
                shots += 1;
                shells.push(Box::new(Shell {
                    position: unit.position,
                    speed: [1.0, 0.5, 0.1],
                    ticks_left: 20 + random.below(40),
                    damage: 10,
                    from: shots,
                }));
            }
        }
        for shell in &mut shells {
            shell.ticks_left -= 1;
            for (at, speed) in shell.position.iter_mut().zip(shell.speed) {
                *at += speed;
            }
            if shell.ticks_left == 0 {
                for _ in 0..6 {
                    puffs.push(Box::new(Puff {
                        position: shell.position,
                        size: 1.0 + (shell.from % 3) as f32,
                        ticks_left: 30 + random.below(30),
                        colour: [0.5; 9],
                    }));
                }
                if !units.is_empty() {
                    let target = random.below(units.len() as u32) as usize;
                    units[target].health -= shell.damage;
                }
            }
        }
        shells.retain(|shell| shell.ticks_left > 0);
        for puff in &mut puffs {
            puff.ticks_left -= 1;
            puff.size *= 1.01;
            puff.position[2] += puff.colour[0];
        }
        smoke += puffs.iter().map(|puff| f64::from(puff.size + puff.position[2])).sum::<f64>();
        puffs.retain(|puff| puff.ticks_left > 0);
        let before = units.len();
        units.retain(|unit| unit.health > 0);
        fallen += (before - units.len()) as u64;
        if is_paced {
            std::thread::sleep((start + TICK * tick).saturating_duration_since(Instant::now()));
        }
    }
    println!("{fallen} units have fallen to {shots} shells, in {smoke:.0} of smoke");
}

/// Blocks in two pools that share their addresses with a block of the heap.
fn pools() {
    let memory = vec![0_u8; 1 << 16];
    let at = |slot: usize| &memory[slot * 64];
    for slot in 0..300 {
        born(at(slot), 64, c"bullets");
        if slot >= 100 {
            died(at(slot - 100), c"bullets");
        }
    }
    for slot in 0..50 {
        born(at(slot), 32, c"level");
    }
    frame_mark();
}

fn born(at: &u8, bytes: usize, pool: &'static CStr) {
    let at = (&raw const *at).cast();
    // SAFETY: the client only keeps the address, and reads the name, which is always there.
    #[cfg(not(feature = "secure"))]
    unsafe {
        sys::___tracy_emit_memory_alloc_callstack_named(at, bytes, DEPTH.into(), pool.as_ptr());
    }
    // SAFETY: as above.
    #[cfg(feature = "secure")]
    unsafe {
        sys::___tracy_emit_memory_alloc_callstack_named(at, bytes, DEPTH.into(), 0, pool.as_ptr());
    }
}

fn died(at: &u8, pool: &'static CStr) {
    let at = (&raw const *at).cast();
    // SAFETY: as above.
    #[cfg(not(feature = "secure"))]
    unsafe {
        sys::___tracy_emit_memory_free_named(at, pool.as_ptr());
    }
    // SAFETY: as above.
    #[cfg(feature = "secure")]
    unsafe {
        sys::___tracy_emit_memory_free_named(at, 0, pool.as_ptr());
    }
}

/// Each block lives until a thousand more are born, and has one of forty sizes.
fn flood(seconds: f64, rate: f64) {
    let layouts: Vec<Layout> =
        (1..=40).map(|words| Layout::array::<u64>(words).expect("a small size")).collect();
    let mut alive = VecDeque::with_capacity(FLOOD_ALIVE);
    let mut random = Random(1);
    let mut events = 0_u64;
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < seconds {
        if events as f64 > rate * begun.elapsed().as_secs_f64() {
            std::thread::sleep(Duration::from_micros(200));
            continue;
        }
        for _ in 0..FLOOD_ALIVE {
            if alive.len() == FLOOD_ALIVE
                && let Some((block, layout)) = alive.pop_front()
            {
                // SAFETY: it was made with this layout, and is not in the queue any more.
                unsafe { WITHOUT_STACKS.dealloc(block, layout) };
                events += 1;
            }
            let layout = layouts[random.below(40) as usize];
            // SAFETY: the layout has a size of eight bytes or more.
            alive.push_back((unsafe { WITHOUT_STACKS.alloc(layout) }, layout));
            events += 1;
        }
    }
    println!("{events} events in {} ms", begun.elapsed().as_millis());
    for (block, layout) in alive {
        // SAFETY: as above.
        unsafe { WITHOUT_STACKS.dealloc(block, layout) };
    }
}

/// How many blocks of the flood are alive at once.
const FLOOD_ALIVE: usize = 1000;

fn forever(rounds: u64) {
    let mut queue = VecDeque::new();
    for n in 0..rounds {
        frame_mark();
        (0..20).for_each(|_| queue.push_back(Box::new([n; 6])));
        while queue.len() > 300 {
            queue.pop_front();
        }
        if n == 15 {
            println!("full");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % limit
    }
}
