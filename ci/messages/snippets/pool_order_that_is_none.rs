// says: the reuse orders are `Lifo`, `Fifo`, `LowestFirst`
use millpond::Pool;
struct Fifo;
fn main() {
    let _pool: Pool<u8, Fifo> = Pool::with_capacity(4);
}
