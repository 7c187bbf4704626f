// says: expected `SlotPool<u8, Fixed, Fifo>`, found `SlotPool<_>`
use millpond::Pool;
use millpond::reuse::Fifo;
fn main() {
    let _pool: Pool<u8, Fifo> = Pool::new(4);
}
