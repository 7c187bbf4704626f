// says: the first argument of `join` is `&pool` or `&mut pool`, of a `Pool`
use millpond::side_table::join;
use millpond::{Handle, PackedPool, SideTable};
fn main() {
    let ships: PackedPool<u8> = PackedPool::new(4);
    let names: SideTable<Handle<u8>, u8> = SideTable::new();
    for _ in join(&ships, &names) {}
}
