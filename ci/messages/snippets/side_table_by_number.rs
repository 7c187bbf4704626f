// says: `usize` is not a handle type
use millpond::SideTable;
fn main() {
    let mut names = SideTable::new();
    names.insert(3_usize, "tug").unwrap();
}
