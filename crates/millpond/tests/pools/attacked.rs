//! An attack on `PackedPool`: random operations, in which any call of the program's code may panic, and
//! whose comparisons may lie. No value is dropped twice or lost, and the pool stays sound and agrees with what it says.

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::Random;
use millpond::{Handle, PackedPool};

thread_local! {
    /// Calls of the program's code until one panics; 0: none does.
    static FUSE: Cell<u32> = const { Cell::new(0) };
    static MADE: Cell<u64> = const { Cell::new(0) };
    static DROPPED: Cell<u64> = const { Cell::new(0) };
}

/// What the program's code does first wherever a pool calls it.
fn user_code() {
    if std::thread::panicking() {
        return;
    }
    match FUSE.get() {
        0 => {}
        1 => {
            FUSE.set(0);
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        left => FUSE.set(left - 1),
    }
}

/// A value that is dropped once, and whose every method is the program's code.
#[derive(Debug)]
struct Bomb {
    number: u64,
    owned: Box<u64>,
}

impl Bomb {
    fn new(number: u64) -> Self {
        user_code();
        MADE.set(MADE.get() + 1);
        Self { number, owned: Box::new(number) }
    }

    fn is_sound(&self) -> bool {
        *self.owned == self.number
    }
}

impl Clone for Bomb {
    fn clone(&self) -> Self {
        assert!(self.is_sound());
        Self::new(self.number)
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(*self.owned == self.number, "dropped twice, or written over");
        DROPPED.set(DROPPED.get() + 1);
        user_code();
    }
}

/// Runs one operation with a fuse, which may go off.
fn with_fuse(random: &mut Random, work: impl FnOnce(&mut Random)) -> bool {
    let fuse = if random.below(3) == 0 { 1 + random.below(12) as u32 } else { 0 };
    FUSE.set(fuse);
    let went_well = catch_unwind(AssertUnwindSafe(|| work(random))).is_ok();
    FUSE.set(0);
    went_well
}

/// How many values of this thread live.
fn alive() -> u64 {
    MADE.get() - DROPPED.get()
}

fn operations() -> usize {
    let asked = std::env::var("MILLPOND_ATTACK_STEPS").ok();
    asked.and_then(|steps| steps.parse().ok()).unwrap_or(20_000)
}

#[test]
fn a_packed_pool_bears_panics_and_lies_in_every_place() {
    let before = alive();
    let mut random = Random(0x5eed_0001);
    let (mut number, mut panics) = (0, 0);
    let mut pool = PackedPool::<Bomb>::with_capacity(24);
    let mut past = pool.snapshot_cloned();
    let mut held: Vec<Handle<Bomb>> = Vec::new();
    for step in 0..operations() {
        let went_well = with_fuse(&mut random, |random| match random.below(16) {
            0..5 => {
                number += 1;
                if let Ok(handle) = pool.insert(Bomb::new(number)) {
                    held.push(handle);
                }
            }
            5 => {
                number += 1;
                let made = pool.insert_with(|_| Bomb::new(number));
                held.extend(made.ok());
            }
            6..8 => {
                if !held.is_empty() {
                    let handle = held.swap_remove(random.below(held.len()));
                    drop(pool.remove(handle));
                }
            }
            8 => {
                let keeps = 1 + random.below(4) as u64;
                pool.retain(|_, bomb| {
                    user_code();
                    bomb.number % 4 <= keeps
                });
            }
            9 => pool.sort_by(|a, b| {
                user_code();
                a.number.cmp(&b.number)
            }),
            10 => {
                // Not an order at all: the standard library's sorts may panic then.
                let mut lies = random.0 | 1;
                pool.sort_unstable_by(|_, _| {
                    user_code();
                    lies = lies.rotate_left(7).wrapping_mul(31);
                    [Ordering::Less, Ordering::Equal, Ordering::Greater][(lies % 3) as usize]
                });
            }
            11 => pool.sort_by_key(|bomb| {
                user_code();
                bomb.number % 5
            }),
            12 => match random.below(3) {
                0 => drop(pool.drain().take(random.below(5)).collect::<Vec<_>>()),
                1 => drop(pool.extract_if(|_, bomb| bomb.number % 2 == 0)),
                _ => drop(pool.extract_if(|_, _| {
                    user_code();
                    true
                })),
            },
            13 => pool.save_into(&mut past).unwrap(),
            14 => {
                // A snapshot that a panic has left incomplete is refused.
                let _ = pool.restore(&past);
            }
            _ => match random.below(3) {
                0 => pool.clear(),
                1 => pool = pool.clone(),
                _ => {
                    number += 1;
                    let bomb = Bomb::new(number);
                    drop(pool.insert_or_evict(bomb, |_, bomb| {
                        user_code();
                        bomb.number % 3
                    }));
                }
            },
        });
        panics += usize::from(!went_well);
        pool.validate().unwrap_or_else(|violation| panic!("step {step}: {violation}"));
        assert!(pool.iter().all(|(handle, bomb)| bomb.is_sound() && pool.contains(handle)));
        assert_eq!(pool.as_slice().len(), pool.len());
        let in_past = past.as_pool().len();
        past.as_pool().validate().unwrap();
        assert_eq!(alive() - before, (pool.len() + in_past) as u64, "step {step}: lost or extra");
        held.retain(|handle| pool.contains(*handle));
    }
    assert!(panics > operations() / 50, "{panics}");
    drop((pool, past));
    assert_eq!(alive(), before);
}
