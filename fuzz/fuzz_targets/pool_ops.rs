//! Bytes as operations on a pool, in every reuse order and handle layout, against a plain model.
//!
//! The first bytes choose the pool, each further one an operation, with a byte or two of arguments.
//! After every operation the pool checks its invariants and is compared with the model.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Handle32, HandleLayout, Pool};

/// Enough for two words of the occupancy and a sweep of the stack.
const CAPACITY_MAX: usize = 70;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    match bytes.next() % 4 {
        0 => with_order::<Lifo>(bytes),
        1 => with_order::<Fifo>(bytes),
        2 => with_order::<LowestFirst>(bytes),
        _ => with_order::<Roster>(bytes),
    }
});

fn with_order<R: ReuseOrder>(mut bytes: Bytes<'_>) {
    let kind = bytes.next();
    // Small values, and larger ones that own memory.
    match kind % 6 {
        0 => run::<u8, R, Handle<u8>>(bytes, kind),
        1 => run::<u8, R, Handle32<u8, 24>>(bytes, kind),
        2 => run::<Box<u8>, R, Handle<Box<u8>>>(bytes, kind),
        3 => run::<Box<u8>, R, Handle32<Box<u8>, 16>>(bytes, kind),
        4 => run::<Box<u8>, R, Handle32<Box<u8>, 8>>(bytes, kind),
        _ => run::<[u8; 20], R, Handle32<[u8; 20], 20>>(bytes, kind),
    }
}

/// The input; zeros after its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }
}

/// A value that says which it is.
trait Value: Clone {
    fn of(id: u8) -> Self;
    fn id(&self) -> u8;
}

impl Value for u8 {
    fn of(id: u8) -> Self {
        id
    }
    fn id(&self) -> u8 {
        *self
    }
}

impl Value for Box<u8> {
    fn of(id: u8) -> Self {
        Box::new(id)
    }
    fn id(&self) -> u8 {
        **self
    }
}

impl Value for [u8; 20] {
    fn of(id: u8) -> Self {
        [id; 20]
    }
    fn id(&self) -> u8 {
        assert!(self.iter().all(|byte| *byte == self[0]));
        self[0]
    }
}

/// By slot, what lives in it and under which generation.
type Model = Vec<Option<(u32, u8)>>;

fn run<T: Value, R: ReuseOrder, H: HandleLayout>(mut bytes: Bytes<'_>, kind: u8) {
    let capacity = usize::from(bytes.next()) % (CAPACITY_MAX + 1);
    let lifetimes = match kind / 6 % 4 {
        0 => u32::MAX,
        few => u32::from(few) * 2 - 1,
    };
    let builder = Pool::<T>::builder().reuse(R::default()).handle::<H>().lifetimes(lifetimes);
    let builder = if kind & 128 == 0 { builder } else { builder.wrap() };
    let builder = if kind & 64 == 0 { builder } else { builder.salt(u64::from(kind)) };
    let mut pool = builder.capacity(capacity).build();
    let mut model: Model = vec![None; capacity];
    while !bytes.0.is_empty() {
        operation(&mut pool, &mut model, &mut bytes);
        compare(&mut pool, &model);
    }
    let left: Vec<_> = pool.into_iter().map(|(handle, value)| (handle, value.id())).collect();
    assert!(left.into_iter().eq(live::<H>(&model)));
}

fn live<H: HandleLayout>(model: &Model) -> impl DoubleEndedIterator<Item = (H, u8)> {
    model.iter().enumerate().filter_map(|(index, slot)| {
        slot.map(|(generation, id)| (H::from_parts(index as u32, generation).unwrap(), id))
    })
}

/// Any handle: mostly one near those that exist.
fn handle<T: Value, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    bytes: &mut Bytes<'_>,
) -> Option<H> {
    let (index, how) = (bytes.next(), bytes.next());
    let current = pool.handle_at(usize::from(index)).map_or(1, H::generation);
    let generation = match how % 8 {
        0..=4 => current,
        5 => current.wrapping_add(u32::from(how / 8)),
        6 => current.saturating_sub(u32::from(how / 8)),
        _ => u32::from_le_bytes([bytes.next(), bytes.next(), how, how]),
    };
    H::from_parts(u32::from(index), generation)
}

fn operation<T: Value, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    model: &mut Model,
    bytes: &mut Bytes<'_>,
) {
    let (what, id) = (bytes.next(), bytes.next());
    match what % 16 {
        0..4 => {
            let full = pool.is_full();
            match pool.insert(T::of(id)) {
                Ok(handle) => born(model, handle, id),
                Err(error) => assert!(full && error.into_inner().id() == id),
            }
        }
        4 | 5 => {
            if let Some(handle) = handle(pool, bytes) {
                let good = is_good(model, handle);
                assert_eq!(pool.remove(handle).map(|value| value.id()), good);
                if good.is_some() {
                    model[handle.index() as usize] = None;
                }
            }
        }
        6 | 7 => {
            if let Some(handle) = handle(pool, bytes) {
                match pool.insert_at(handle, T::of(id)) {
                    Ok(issued) => {
                        assert_eq!(issued, handle);
                        born(model, handle, id);
                    }
                    Err(error) => assert_eq!(error.into_inner().id(), id),
                }
            }
        }
        8 => {
            let keep = |handle: H| handle.index() % 8 != u32::from(id % 8);
            pool.retain(|handle, _| keep(handle));
            for handle in live::<H>(&model.clone()).map(|(handle, _)| handle).filter(|h| !keep(*h)) {
                model[handle.index() as usize] = None;
            }
        }
        9 => {
            for (handle, _) in pool.extract_if(|_, value| value.id() == id) {
                assert!(matches!(model[handle.index() as usize].take(), Some((_, gone)) if gone == id));
            }
        }
        10 => {
            let mut drain = pool.drain();
            for turn in 0..id % 8 {
                let next = if turn % 2 == 0 { drain.next() } else { drain.next_back() };
                let Some((handle, value)) = next else { break };
                assert_eq!(is_good(model, handle), Some(value.id()));
                model[handle.index() as usize] = None;
            }
            if id & 128 == 0 {
                std::mem::forget(drain);
            } else {
                drop(drain);
                model.fill(None);
            }
        }
        11 if id < 32 => {
            pool.clear();
            model.fill(None);
        }
        12 => *pool = pool.clone(),
        13 => evict(pool, model, id),
        14 => {
            if let Some(entry) = pool.vacant_entry() {
                let promised = entry.handle();
                assert_eq!(entry.insert(T::of(id)), promised);
                born(model, promised, id);
            }
        }
        _ => {
            if let (Some(a), Some(b)) = (handle(pool, bytes), handle(pool, bytes)) {
                let both = is_good(model, a).is_some() && is_good(model, b).is_some() && a != b;
                let found = pool.get_disjoint_mut([a, b]);
                assert_eq!(found.is_ok(), both);
                if let Ok([one, other]) = found {
                    std::mem::swap(one, other);
                    let (at_a, at_b) = (a.index() as usize, b.index() as usize);
                    let ids = (is_good(model, a).unwrap(), is_good(model, b).unwrap());
                    model[at_a] = Some((a.generation(), ids.1));
                    model[at_b] = Some((b.generation(), ids.0));
                }
            }
        }
    }
}

fn evict<T: Value, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    model: &mut Model,
    id: u8,
) {
    // A full pool of slots in their last lifetime panics, as documented.
    if pool.is_full() && (pool.stats().retired > 0 || pool.capacity() == 0 || last(pool)) {
        return;
    }
    let (handle, evicted) = pool.insert_or_evict(T::of(id), |_, value| value.id());
    if let Some((gone, value)) = evicted {
        assert_eq!(is_good(model, gone), Some(value.id()));
        model[gone.index() as usize] = None;
    }
    born(model, handle, id);
}

/// Whether some live slot may be in its last lifetime: a copy tells.
fn last<T: Value, R: ReuseOrder, H: HandleLayout>(pool: &Pool<T, R, H>) -> bool {
    let mut copy = pool.clone();
    copy.clear();
    copy.stats().retired > 0
}

fn born<H: HandleLayout>(model: &mut Model, handle: H, id: u8) {
    let slot = &mut model[handle.index() as usize];
    assert!(slot.is_none(), "{handle} names a slot that is live");
    *slot = Some((handle.generation(), id));
}

fn is_good<H: HandleLayout>(model: &Model, handle: H) -> Option<u8> {
    let (generation, id) = (*model.get(handle.index() as usize)?)?;
    (generation == handle.generation()).then_some(id)
}

fn compare<T: Value, R: ReuseOrder, H: HandleLayout>(pool: &mut Pool<T, R, H>, model: &Model) {
    pool.validate().unwrap();
    let count = model.iter().flatten().count();
    assert_eq!((pool.len(), pool.stats().live), (count, count));
    assert!(pool.iter().map(|(h, value)| (h, value.id())).eq(live::<H>(model)));
    assert!(pool.iter().rev().map(|(h, value)| (h, value.id())).eq(live::<H>(model).rev()));
    assert_eq!(pool.runs().map(|(_, run)| run.len()).sum::<usize>(), count);
}
