// says: expected `Pool<u8, Fifo>`, found `Pool<_>`
use millpond::Pool;
use millpond::reuse::Fifo;
fn main() {
    let _pool: Pool<u8, Fifo> = Pool::new(4);
}
