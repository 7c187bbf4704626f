// says: expected `NodeKey`, found `Handle<u8>`
use millpond::{Pool, VecPool};
millpond::handle_type! { struct NodeKey; }
fn main() {
    let mut nodes = VecPool::<u8, millpond::reuse::Lifo, NodeKey>::default();
    let mut pool = Pool::new(4);
    let key = pool.insert(1_u8).unwrap();
    nodes.remove(key);
}
