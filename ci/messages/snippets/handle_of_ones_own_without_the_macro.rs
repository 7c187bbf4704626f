// says: `millpond::handle_type! { pub struct Name; }` declares
use millpond::Pool;
use millpond::reuse::Lifo;
struct NodeKey;
fn main() {
    let _nodes: Pool<u8, Lifo, NodeKey> = Pool::with_capacity(4);
}
