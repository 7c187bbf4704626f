//! Design 4, the particle pool, requirement by requirement; and the same sample on a `Pool`, checked
//! against it over 200,000 frames.

#[path = "../../examples/particles/on_pool.rs"]
mod on_pool;

use std::num::NonZeroU32;

use crate::common::Random;
use millpond_classic::{HeapParticlePool, Particle, ParticlePool};
use on_pool::Particles;

/// "A free list threaded through the dead objects' own memory (a union of live state and next pointer), so that finding
/// a free one is O(1) and costs no memory beyond the objects."
#[test]
fn the_free_list_lives_in_the_memory_of_the_dead_and_costs_none() {
    // Five fields of four bytes: nothing for the list, nothing for "in use".
    assert_eq!(size_of::<Particle>(), 20);
    let (more, fewer) = (size_of::<ParticlePool<1000>>(), size_of::<ParticlePool<500>>());
    assert_eq!((more - fewer) / 500, 20);
}

/// "A fixed number of reusable objects, created up front, with an 'in use' query each."
#[test]
fn the_objects_are_created_up_front_and_each_says_whether_it_is_in_use() {
    let mut pool = ParticlePool::<3>::new();
    assert_eq!((pool.capacity(), pool.len()), (3, 0));
    assert!((0..4).all(|index| !pool.in_use(index)));
    pool.create(1.0, 2.0, 3.0, 4.0, 5).unwrap();
    assert_eq!([0, 1, 2, 3].map(|index| pool.in_use(index)), [true, false, false, false]);
    let frames_left = NonZeroU32::new(5).unwrap();
    let expected = Particle { x: 1.0, y: 2.0, x_velocity: 3.0, y_velocity: 4.0, frames_left };
    assert_eq!(pool.get(0), Some(&expected));
    assert_eq!(pool.particles().collect::<Vec<_>>(), [&expected]);
    assert!(format!("{pool:?}").starts_with("{0: Particle { x: 1.0"));
}

/// "Particles with position, velocity and remaining frames; `animate` moves each, a particle whose time is up goes back
/// to the pool in the same pass."
#[test]
fn animate_moves_each_and_frees_in_the_same_pass() {
    let mut pool = ParticlePool::<4>::new();
    for frames in [2, 1, 3, 1] {
        pool.create(0.0, 0.0, 1.0, 0.5, frames).unwrap();
    }
    pool.animate();
    assert_eq!([0, 1, 2, 3].map(|index| pool.in_use(index)), [true, false, true, false]);
    assert_eq!(pool.get(0).map(|at| (at.x, at.y, at.frames_left.get())), Some((1.0, 0.5, 1)));
    // What was freed last is used first.
    assert_eq!(pool.available().collect::<Vec<_>>(), [3, 1]);
    pool.animate();
    assert_eq!(pool.available().collect::<Vec<_>>(), [0, 3, 1]);
    let stats = pool.stats();
    assert_eq!((stats.live, stats.peak, stats.inserted, stats.removed), (1, 4, 4, 3));
}

/// "When the pool is full: … do not create the object (particles)."
#[test]
fn create_does_not_create_when_the_pool_is_full() {
    let mut pool = ParticlePool::<2>::new();
    assert!((0..3).map(|_| pool.create(0.0, 0.0, 0.0, 0.0, 1).is_ok()).eq([true, true, false]));
    assert_eq!((pool.len(), pool.stats().refused), (2, 1));
    pool.animate();
    assert!(pool.is_empty() && pool.create(0.0, 0.0, 0.0, 0.0, 1).is_ok());
    let mut none = ParticlePool::<0>::default();
    assert!(none.create(0.0, 0.0, 0.0, 0.0, 1).is_err());
    none.animate();
    assert_eq!(none.available().count(), 0);
}

#[test]
fn a_particle_of_no_frames_takes_no_slot() {
    let mut pool = ParticlePool::<2>::new();
    pool.create(0.0, 0.0, 0.0, 0.0, 0).unwrap();
    assert_eq!((pool.len(), pool.available().count()), (0, 2));
}

/// A particle that others change: by its place, and all of them.
#[test]
fn particles_are_mutable_by_place_and_by_iteration() {
    let mut pool = ParticlePool::<4>::new();
    for x in [1.0, 2.0, 3.0] {
        pool.create(x, 0.0, 0.0, 0.0, x as u32).unwrap();
    }
    pool.animate();
    assert!(pool.get_mut(0).is_none() && pool.get_mut(3).is_none() && pool.get_mut(4).is_none());
    pool.get_mut(1).unwrap().x_velocity = 0.5;
    pool.particles_mut().for_each(|particle| particle.y += 10.0);
    pool.get_mut(2).unwrap().frames_left = NonZeroU32::MIN;
    assert_eq!(
        pool.particles().map(|at| (at.x, at.y)).collect::<Vec<_>>(),
        [(2.0, 10.0), (3.0, 10.0)]
    );
    pool.animate();
    assert!(pool.is_empty());
}

#[test]
fn clear_ends_all_lives_and_starts_from_the_lowest_slot() {
    let mut pool = ParticlePool::<5>::new();
    for frames in [3, 1, 3, 1, 3] {
        pool.create(0.0, 0.0, 0.0, 0.0, frames).unwrap();
    }
    pool.animate();
    assert_eq!(pool.available().collect::<Vec<_>>(), [3, 1]);
    pool.clear();
    assert!(pool.is_empty() && pool.available().eq(0..5));
    let stats = pool.stats();
    assert_eq!((stats.inserted, stats.removed, stats.peak), (5, 5, 5));
    assert!((0..5).all(|_| pool.create(0.0, 0.0, 0.0, 0.0, 1).is_ok()));
}

/// Both samples do the same random work and are compared slot by slot.
fn the_samples_agree(frames: u32, seed: u64) {
    const CAPACITY: usize = 12;
    let mut random = Random(seed);
    let mut published = ParticlePool::<CAPACITY>::new();
    let mut on_pool = Particles::new(CAPACITY);
    let mut refused = 0;
    for frame in 0..frames {
        // Calm and busy times.
        let births = random.below(1 + (frame / 64 % 4) as usize);
        for _ in 0..births {
            let bits = random.next();
            let small = |shift: u32| (bits >> shift & 0xff) as f32 / 64.0;
            let frames_left = 1 + (bits >> 32 & 0xf) as u32;
            let new = on_pool::Particle {
                x: small(0),
                y: small(8),
                x_velocity: small(16) - 2.0,
                y_velocity: small(24) - 2.0,
                frames_left,
            };
            let created =
                published.create(new.x, new.y, new.x_velocity, new.y_velocity, frames_left);
            refused += u64::from(created.is_err());
            assert_eq!(created.is_ok(), on_pool.create(new).is_ok());
        }
        published.animate();
        on_pool.animate();
        for index in 0..CAPACITY {
            match (published.get(index), on_pool.pool.get_at(index)) {
                (None, None) => {}
                (Some(a), Some(b))
                    if (a.x, a.y, a.frames_left.get()) == (b.x, b.y, b.frames_left) => {}
                (a, b) => panic!("frame {frame}, slot {index}: {a:?} against {b:?}"),
            }
        }
    }
    let (a, b) = (published.stats(), on_pool.pool.stats());
    assert_eq!(
        (a.inserted, a.removed, a.refused, a.peak),
        (b.inserted, b.removed, refused, b.peak)
    );
    assert!(refused > 0 && a.peak == CAPACITY);
}

/// "… or they do not (a separate bit field says so, and objects of any type can be pooled)": the sample's particles in
/// a `Pool`.
#[test]
fn the_sample_on_a_pool_agrees_over_200_000_frames() {
    the_samples_agree(if cfg!(miri) { 500 } else { 200_000 }, 1);
}

/// "A fixed array … or a dynamic array of a given size": the same particles, frame by frame, as in the pool whose size
/// is constant, and no large stack.
#[test]
fn a_pool_on_the_heap_has_the_size_that_is_chosen_at_run_time() {
    let mut constant = ParticlePool::<100>::new();
    let mut chosen = HeapParticlePool::with_capacity(100);
    let mut random = Random(3);
    for _ in 0..2_000 {
        for _ in 0..random.below(5) {
            let (x, frames) = (random.below(1000) as f32, random.below(60) as u32);
            let created = constant.create(x, 1.0, 0.5, -0.5, frames).is_ok();
            assert_eq!(chosen.create(x, 1.0, 0.5, -0.5, frames).is_ok(), created);
        }
        constant.animate();
        chosen.animate();
        assert!(constant.available().eq(chosen.available()));
        assert!(constant.particles().eq(chosen.particles()));
        assert_eq!(constant.stats(), chosen.stats());
    }
    chosen.clear();
    assert!(chosen.is_empty() && chosen.available().eq(0..100));
    let mut large = HeapParticlePool::with_capacity(1_000_000); // 20 MB: no stack of a test has that
    large.create(0.0, 0.0, 0.0, 0.0, 1).unwrap();
    large.animate();
    assert_eq!(
        (large.len(), large.capacity(), large.available().count()),
        (0, 1_000_000, 1_000_000)
    );
    assert!(HeapParticlePool::with_capacity(0).create(0.0, 0.0, 0.0, 0.0, 1).is_err());
}
