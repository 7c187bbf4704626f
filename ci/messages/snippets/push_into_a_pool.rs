// says: no method named `push` found for struct `SlotPool<u8>` in the current scope
use millpond::Pool;

fn main() {
    Pool::<u8>::new(4).push(1);
}
