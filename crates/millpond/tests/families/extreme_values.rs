//! Defect 9: values without a size, of an odd one, of several pages and with a large alignment; pools of 0, 1, 63, 64 and
//! 65 slots. (For values of a megabyte see `tests/memory/large_values.rs`.)

use std::fmt::Debug;

use millpond_classic::ParticlePool;

use crate::subject::{Basic, Kind, Makes, Nothing, Of, Plan, for_one_of_each_place};

/// A kind of pool, and the values that it is tried with.
trait Tried: Makes<dyn Basic<Nothing>> + Makes<dyn Basic<[u8; 9]>> + Makes<dyn Basic<Pages>> {}

impl<K: Kind> Tried for Of<K> {}

type Tries = dyn Tried;

/// Fills, empties, checks and refills a pool of values, each of which can be told from its neighbours
/// where it has a size.
fn works<T: PartialEq + Debug + 'static>(kind: &Tries, slots: &[usize], make: fn(usize) -> T)
where
    Tries: Makes<dyn Basic<T>>,
{
    for slots in kind.facts().capacities(slots) {
        let mut pool: Box<dyn Basic<T>> = kind.make(Plan::of(slots));
        assert_eq!((pool.capacity(), pool.len(), pool.is_full()), (slots, 0, slots == 0));
        for round in 0..2 {
            let handles: Vec<_> = (0..slots).map(|at| pool.insert(make(at)).unwrap()).collect();
            assert!(pool.is_full());
            assert_eq!(pool.insert(make(5)).unwrap_err(), make(5));
            assert!(!matches!(pool.insert_with(&mut |_| make(0)), Some(Ok(_))));
            assert!(!matches!(pool.promised(), Some(Some(_))));
            for (at, &handle) in handles.iter().enumerate() {
                let value = pool.get(handle).unwrap();
                assert_eq!(*value, make(at), "round {round}");
                let address = std::ptr::from_ref(value).addr();
                assert_eq!(address % align_of::<T>(), 0, "{address:#x}");
            }
            assert_eq!(pool.iter().count(), slots);
            pool.validate().unwrap();
            for (at, &handle) in handles.iter().enumerate().step_by(2) {
                assert_eq!(pool.remove(handle), Some(make(at)));
            }
            assert_eq!(pool.len(), slots / 2);
            for (at, &handle) in handles.iter().enumerate() {
                let expected = (at % 2 == 1).then(|| make(at));
                assert_eq!(pool.get(handle), expected.as_ref());
            }
            pool.validate().unwrap();
            pool.clear();
            pool.validate().unwrap();
            assert_eq!(pool.len(), 0);
            assert!(handles.iter().all(|&handle| !pool.contains(handle)));
        }
    }
}

/// Of two pages, with memory of its own.
#[derive(Debug, PartialEq)]
#[repr(align(4096))]
struct Pages(Box<usize>, [u64; 600]);

const EDGES: [usize; 5] = [0, 1, 63, 64, 65];

fn without_size(kind: &Tries) {
    works::<Nothing>(kind, &EDGES, |_| Nothing);
}

fn of_an_odd_size(kind: &Tries) {
    works::<[u8; 9]>(kind, &EDGES, |at| [at as u8; 9]);
}

fn large_and_aligned(kind: &Tries) {
    // On a stack of its own: a static pool of these has 560 KiB, and is moved about.
    on_a_large_stack(|| works::<Pages>(kind, &EDGES, |at| Pages(Box::new(at), [at as u64; 600])));
}

fn on_a_large_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap();
    });
}

/// Fills, empties and refills a pool of particles.
fn particles<const N: usize>() {
    let mut pool = ParticlePool::<N>::new();
    for round in 1..3_u64 {
        for _ in 0..N {
            pool.create(1.0, 2.0, 3.0, 4.0, 2).unwrap();
        }
        assert!(pool.create(0.0, 0.0, 0.0, 0.0, 1).is_err());
        assert_eq!((pool.len(), pool.available().count()), (N, 0));
        assert!((0..N).all(|slot| pool.in_use(slot)) && !pool.in_use(N));
        pool.animate();
        assert!(pool.particles().all(|particle| (particle.x, particle.y) == (4.0, 6.0)));
        pool.animate();
        assert_eq!((pool.len(), pool.available().count()), (0, N));
        let stats = pool.stats();
        let all = round * N as u64;
        assert_eq!((stats.inserted, stats.removed, stats.refused), (all, all, round));
    }
}

#[test]
fn particle_pools_of_edge_sizes() {
    particles::<0>();
    particles::<1>();
    particles::<63>();
    particles::<64>();
    particles::<65>();
}

for_one_of_each_place! { without_size, of_an_odd_size, large_and_aligned }
