//! What only pools that grow have: `Pool` and `StaticPool` are names of the same struct as they are, and yet lack it.

use millpond::{Pool, StaticPool, VecPool};

/// Has the names of these methods for every type. A type's own method of the same name comes first.
trait Lacks {
    fn push(&mut self, _: u8) -> Lacking {
        Lacking
    }

    fn reserve(&mut self, _: usize) -> Lacking {
        Lacking
    }

    fn capacity_max(&self) -> Lacking {
        Lacking
    }

    fn extend(&mut self, _: [u8; 1]) -> Lacking {
        Lacking
    }
}

impl<P> Lacks for P {}

#[derive(Debug, PartialEq)]
struct Lacking;

#[test]
fn a_pool_that_cannot_grow_has_no_methods_of_growth() {
    let mut pool = Pool::<u8>::new(4);
    assert_eq!(pool.push(1), Lacking);
    assert_eq!(pool.reserve(1), Lacking);
    assert_eq!(pool.capacity_max(), Lacking);
    assert_eq!(pool.extend([1]), Lacking);
    let mut pool = StaticPool::<u8, 4>::new();
    assert_eq!(pool.push(1), Lacking);
    assert_eq!(pool.reserve(1), Lacking);
    assert_eq!(pool.capacity_max(), Lacking);
    assert_eq!(pool.extend([1]), Lacking);
}

#[test]
fn a_pool_that_grows_has_them() {
    let mut pool = VecPool::<u8>::new();
    assert_eq!(pool.push(1).index(), 0);
    assert_eq!(pool.reserve(1), Ok(()));
    assert!(pool.capacity_max() > 4);
}
