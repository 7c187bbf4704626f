// says: expected `SlotPool<u8>`, found `SlotPool<u8, Doubling>`
use millpond::{Pool, VecPool};

fn main() {
    let _pool: Pool<u8> = VecPool::<u8>::new();
}
