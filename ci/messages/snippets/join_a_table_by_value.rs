// says: the second argument of `join` is `&table` or `&mut table`
use millpond::side_table::join;
use millpond::{Pool, SideTable};
fn main() {
    let ships: Pool<u8> = Pool::new(4);
    let names: SideTable<_, u8> = SideTable::new();
    for _ in join(&ships, names) {}
}
