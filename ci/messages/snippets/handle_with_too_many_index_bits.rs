// says: with 1 to 31 index bits
use millpond::{Handle32, Pool};
fn main() {
    let _pool = Pool::<u8>::builder().capacity(4).handle::<Handle32<u8, 40>>().build();
}
