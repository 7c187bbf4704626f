//! What is compared: one adapter for each pool.

use std::hint::black_box;
use std::sync::{Mutex, OnceLock};

use crossbeam_queue::ArrayQueue;
use millpond::{Handle, Pool, SyncPool, SyncRecycler};

/// The number of homes of millpond's pools; nothing for their default.
pub(crate) static HOMES: OnceLock<usize> = OnceLock::new();

/// What the pools hold.
pub(crate) type Value = [u64; 2];

/// A pool of values with keys, by `&self`.
pub(crate) trait Keyed: Sync {
    type Key: Send + Sync;
    const NAME: &'static str;
    /// With more threads than this, it does not come through insertions and removals.
    const THREADS_MAX: usize = usize::MAX;
    fn new(capacity: usize) -> Self;
    fn insert(&self, value: Value) -> Option<Self::Key>;
    fn remove(&self, key: Self::Key) -> bool;
    fn read(&self, key: &Self::Key) -> u64;
}

impl Keyed for SyncPool<Value> {
    type Key = Handle<Value>;
    const NAME: &'static str = "millpond SyncPool";
    fn new(capacity: usize) -> Self {
        let builder = Self::builder().capacity(capacity);
        match HOMES.get() {
            Some(homes) => builder.homes(*homes).build(),
            None => builder.build(),
        }
    }
    fn insert(&self, value: Value) -> Option<Self::Key> {
        self.insert(value).ok()
    }
    fn remove(&self, key: Self::Key) -> bool {
        self.remove(key)
    }
    fn read(&self, key: &Self::Key) -> u64 {
        self.get(*key).map_or(0, |value| value[0])
    }
}

impl Keyed for sharded_slab::Slab<Value> {
    type Key = usize;
    const NAME: &'static str = "sharded-slab";
    fn new(_capacity: usize) -> Self {
        Self::new()
    }
    fn insert(&self, value: Value) -> Option<usize> {
        self.insert(value)
    }
    fn remove(&self, key: usize) -> bool {
        self.remove(key)
    }
    fn read(&self, key: &usize) -> u64 {
        self.get(*key).map_or(0, |value| value[0])
    }
}

impl Keyed for Mutex<Pool<Value>> {
    type Key = Handle<Value>;
    const NAME: &'static str = "Mutex<Pool>";
    fn new(capacity: usize) -> Self {
        Mutex::new(Pool::new(capacity))
    }
    fn insert(&self, value: Value) -> Option<Self::Key> {
        self.lock().unwrap().insert(value).ok()
    }
    fn remove(&self, key: Self::Key) -> bool {
        self.lock().unwrap().remove(key).is_some()
    }
    fn read(&self, key: &Self::Key) -> u64 {
        self.lock().unwrap().get(*key).map_or(0, |value| value[0])
    }
}

impl Keyed for Mutex<slotmap::SlotMap<slotmap::DefaultKey, Value>> {
    type Key = slotmap::DefaultKey;
    const NAME: &'static str = "Mutex<SlotMap>";
    fn new(capacity: usize) -> Self {
        Mutex::new(slotmap::SlotMap::with_capacity(capacity))
    }
    fn insert(&self, value: Value) -> Option<Self::Key> {
        Some(self.lock().unwrap().insert(value))
    }
    fn remove(&self, key: Self::Key) -> bool {
        self.lock().unwrap().remove(key).is_some()
    }
    fn read(&self, key: &Self::Key) -> u64 {
        self.lock().unwrap().get(*key).map_or(0, |value| value[0])
    }
}

impl Keyed for concurrent_slotmap::SlotMap<concurrent_slotmap::SlotId, Value> {
    type Key = concurrent_slotmap::SlotId;
    const NAME: &'static str = "concurrent-slotmap";
    /// While the scheduler holds up a thread, nothing is reclaimed: with 64 threads on two processors, 200,000 insertions
    /// and removals each use 4,194,304 slots up, and it panics.
    const THREADS_MAX: usize = 4;
    /// With 256 times as many slots as the others.
    fn new(capacity: usize) -> Self {
        Self::new(256 * capacity as u32)
    }
    fn insert(&self, value: Value) -> Option<Self::Key> {
        Some(self.insert(value, &self.pin()))
    }
    fn remove(&self, key: Self::Key) -> bool {
        self.remove(key, &self.pin()).is_some()
    }
    fn read(&self, key: &Self::Key) -> u64 {
        self.get(*key, &self.pin()).map_or(0, |value| value[0])
    }
}

/// It has no handles: a key is a counted pointer, and a lookup counts it up and down. One thread inserts at a time.
#[cfg(feature = "plurality")]
impl Keyed for Mutex<plurality::Pool<Value>> {
    type Key = plurality::Arc<Value>;
    const NAME: &'static str = "Mutex<plurality>";
    fn new(_capacity: usize) -> Self {
        Mutex::new(plurality::Pool::new())
    }
    fn insert(&self, value: Value) -> Option<Self::Key> {
        self.lock().unwrap().try_alloc_arc(value).ok()
    }
    fn remove(&self, key: Self::Key) -> bool {
        drop(key);
        true
    }
    fn read(&self, key: &Self::Key) -> u64 {
        black_box(key.clone())[0]
    }
}

/// Objects that are lent out.
pub(crate) trait Lends: Sync {
    const NAME: &'static str;
    fn new(capacity: usize) -> Self;
    /// Acquires an object, writes to it, and gives it back.
    fn use_one(&self);
    /// The same while so many others are out.
    fn use_one_while_out(&self, out: usize, times: u32);
}

macro_rules! lends {
    ($type:ty, $name:literal, |$capacity:ident| $new:expr, |$pool:ident| $acquire:expr) => {
        impl Lends for $type {
            const NAME: &'static str = $name;
            fn new($capacity: usize) -> Self {
                $new
            }
            #[inline]
            fn use_one(&self) {
                let $pool = self;
                if let Some(mut object) = $acquire {
                    object[0] = object[0].wrapping_add(1);
                    black_box(&mut object[1]);
                }
            }
            fn use_one_while_out(&self, out: usize, times: u32) {
                let $pool = self;
                let guards: Vec<_> = (0..out).map_while(|_| $acquire).collect();
                (0..times).for_each(|_| self.use_one());
                drop(guards);
            }
        }
    };
}

/// How `opool` makes and resets objects.
pub(crate) struct Make;

impl opool::PoolAllocator<Value> for Make {
    fn allocate(&self) -> Value {
        [0; 2]
    }
}

lends!(
    SyncRecycler<Value>,
    "millpond SyncRecycler",
    |n| {
        let builder = SyncRecycler::builder().capacity(n);
        match HOMES.get() {
            Some(homes) => builder.homes(*homes).build_with(|_| [0; 2]),
            None => builder.build_with(|_| [0; 2]),
        }
    },
    |p| p.acquire()
);
lends!(
    lockfree_object_pool::LinearObjectPool<Value>,
    "lockfree-object-pool",
    |_n| Self::new(|| [0; 2], |_| ()),
    |p| Some(p.pull())
);
lends!(opool::Pool<Make, Value>, "opool", |n| opool::Pool::new_prefilled(n, Make), |p| p.try_get());
lends!(object_pool::Pool<Value>, "object-pool", |n| Self::new(n, || [0; 2]), |p| p.try_pull());

/// A queue of free objects, as people write it.
pub(crate) struct Queue(ArrayQueue<Box<Value>>);

impl Queue {
    fn lent(&self) -> Option<FromQueue<'_>> {
        self.0.pop().map(|object| FromQueue(self, Some(object)))
    }
}

struct FromQueue<'a>(&'a Queue, Option<Box<Value>>);

impl std::ops::Deref for FromQueue<'_> {
    type Target = Value;
    fn deref(&self) -> &Value {
        self.1.as_ref().expect("there until the drop")
    }
}
impl std::ops::DerefMut for FromQueue<'_> {
    fn deref_mut(&mut self) -> &mut Value {
        self.1.as_mut().expect("there until the drop")
    }
}
impl Drop for FromQueue<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.1.take() {
            let _ = self.0.0.push(object);
        }
    }
}

lends!(
    Queue,
    "crossbeam ArrayQueue",
    |n| {
        let queue = ArrayQueue::new(n.max(1));
        (0..n).for_each(|_| _ = queue.push(Box::new([0; 2])));
        Queue(queue)
    },
    |p| p.lent()
);
