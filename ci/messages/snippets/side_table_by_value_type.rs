// says: the handles of a pool of `Ship` values are of type `Handle<Ship>`
use millpond::SideTable;
struct Ship;
fn main() {
    let _names: SideTable<Ship, &str> = SideTable::new();
}
