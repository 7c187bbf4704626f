// says: expected `Handle<&str>`, found `Handle<u8>`
use millpond::Pool;
fn main() {
    let mut ships = Pool::new(4);
    let mut names = Pool::new(4);
    let ship = ships.insert(1_u8).unwrap();
    names.insert("tug").unwrap();
    let _name = names[ship];
}
