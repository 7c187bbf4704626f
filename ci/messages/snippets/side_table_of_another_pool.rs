// says: expected `Handle<u8>`, found `Handle<Ship>`
use millpond::{Handle, Pool, SideTable};
struct Ship;
fn main() {
    let mut ships = Pool::new(4);
    let mut names: SideTable<Handle<u8>, &str> = SideTable::new();
    let ship = ships.insert(Ship).unwrap();
    names.insert(ship, "tug").unwrap();
}
