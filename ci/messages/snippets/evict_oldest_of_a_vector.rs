// says: a policy inserts into a `Pool`, `PackedPool`, `VecPool`, `PackedVecPool` or `StaticPool`
use millpond_overflow::{EvictLeast, Policy};
fn main() {
    let mut holes = vec![1, 2];
    EvictLeast(|_, hole: &i32| *hole).insert(&mut holes, 3).unwrap();
}
