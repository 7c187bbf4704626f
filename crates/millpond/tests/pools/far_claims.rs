//! A claim far ahead of the handles that a pool has issued: the handles that it issues from there on are
//! its own, and are refused as stale, not as another pool's.

use millpond::{Handle, HandleLayout, PackedPool, Pool, Refusal, StaticPool};
use serde::{Serialize, de::DeserializeOwned};

macro_rules! far_claims {
    ($($name:ident: $pool:expr;)*) => {$(
        #[test]
        fn $name() {
            let mut pool = $pool;
            let first: Handle<char> = pool.insert('a').unwrap();
            // Before, so far ahead is another pool's.
            let far = Handle::from_parts(1, ahead(first.generation(), 1000)).unwrap();
            assert_eq!(pool.check(far), Err(Refusal::OtherPool));
            pool.insert_at(far, 'b').unwrap();
            assert_eq!(pool.check(far), Ok(()));
            pool.remove(far);
            assert_eq!(pool.check(far), Err(Refusal::Stale));
            let mut later = far;
            for _ in 0..5 {
                later = pool.insert('c').unwrap();
                pool.remove(later);
            }
            assert_eq!((later.index(), pool.check(later)), (1, Err(Refusal::Stale)));
            // The other slot may come to all of these yet: they are not another pool's.
            let same_point = Handle::from_parts(0, far.generation()).unwrap();
            assert_eq!(pool.check(same_point), Err(Refusal::NeverIssued));
            let beyond = Handle::from_parts(0, ahead(first.generation(), 2000)).unwrap();
            assert_eq!(pool.check(beyond), Err(Refusal::OtherPool));
            // A copy remembers it, and so does one that went through a file.
            assert_eq!(pool.clone().check(same_point), Err(Refusal::NeverIssued));
            let read = read_again(&pool);
            assert_eq!(read.check(same_point), Err(Refusal::NeverIssued));
            assert_eq!(read.check(beyond), Err(Refusal::OtherPool));
        }
    )*};
}

fn read_again<P: Serialize + DeserializeOwned>(pool: &P) -> P {
    postcard::from_bytes(&postcard::to_allocvec(pool).unwrap()).unwrap()
}

/// So many generations on, round the circle.
fn ahead(generation: u32, steps: u32) -> u32 {
    let max = <Handle<char> as HandleLayout>::LIFETIMES_MAX;
    ((u64::from(generation) - 1 + u64::from(steps)) % u64::from(max)) as u32 + 1
}

far_claims! {
    pool: Pool::<char>::builder().capacity(4).name("letters").build();
    packed_pool: PackedPool::<char>::builder().capacity(4).name("letters").build();
    static_pool: StaticPool::<char, 4>::builder().name("letters").build();
}
