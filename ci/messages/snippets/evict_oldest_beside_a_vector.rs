// says: is not a pool of millpond
use millpond_overflow::EvictOldest;
fn main() {
    let holes = vec![1, 2];
    let _oldest = EvictOldest::beside(&holes);
}
