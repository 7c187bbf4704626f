//! What the programs that must not compile begin with: a program that compiles.

use millpond::reuse::Lifo;
use millpond::{Handle, Pool, StaticPool, SyncPool, SyncRecycler};

struct Borrows<'a>(&'a String);

impl Drop for Borrows<'_> {
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

fn main() {
    is_send::<Pool<u8>>();
    is_send::<millpond::pool::ValuesMut<'static, u8>>();
    is_send::<millpond::pool::IterMut<'static, u8, Lifo, Handle<()>>>();
    is_sync::<SyncPool<u8>>();
    is_sync::<StaticPool<u8, 4>>();
    let words = String::from("words");
    let mut pool = Pool::new(1);
    let shared = SyncPool::new(1);
    assert!(pool.insert(Borrows(&words)).is_ok() && shared.insert(Borrows(&words)).is_ok());
    let objects = SyncRecycler::builder().capacity(1).build_lazily(|n| n);
    assert!(objects.acquire().is_some());
}
