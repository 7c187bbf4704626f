// says: `usize` is not a type of handles
use millpond::SideTable;
fn main() {
    let mut names = SideTable::new();
    names.insert(3_usize, "tug").unwrap();
}
