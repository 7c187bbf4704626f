//! Types of handles of one's own, and the handle that no pool issues, in every pool.
#![forbid(unsafe_code)]

use std::collections::{BTreeSet, HashSet};

use millpond::reuse::Lifo;
use millpond::snapshot::{Checksum, ToChecksum};
use millpond::{
    GetDisjointMutError, Handle, Handle32, HandleAllocator, HandleLayout, PackedPool,
    PackedVecPool, ParseHandleError, Pool, Recycler, SideTable, StaticPool, VecPool,
};

millpond::handle_type! {
    /// A node of a tree.
    #[doc(alias = "key")]
    pub struct NodeKey;
    pub(crate) struct SmallKey: Handle32<4>;
    struct MediumKey: Handle32<16>;
    struct LargeKey: Handle32<31>;
}

#[test]
fn a_key_type_is_its_handle_under_another_name() {
    assert_eq!((size_of::<NodeKey>(), size_of::<Option<NodeKey>>()), (8, 8));
    assert_eq!((size_of::<SmallKey>(), size_of::<Option<SmallKey>>()), (4, 4));
    assert_eq!(NodeKey::CAPACITY_MAX, Handle::<()>::CAPACITY_MAX);
    assert_eq!(MediumKey::LIFETIMES_MAX, Handle32::<(), 16>::LIFETIMES_MAX);
    let key = <NodeKey as HandleLayout>::from_parts(3, 7).unwrap();
    let handle = Handle::<()>::from_parts(3, 7).unwrap();
    assert_eq!((key.index(), key.generation(), key.to_bits()), (3, 7, handle.to_bits()));
    assert_eq!((key.erase(), NodeKey::from_erased(handle)), (handle, key));
    assert_eq!((NodeKey::from_bits(3 << 32 | 7), NodeKey::from_bits(0)), (Some(key), None));
    assert_eq!(NodeKey::from_bits_or_dangling(0), NodeKey::DANGLING);
    assert_eq!(format!("{key} {key:?} {key:>6}"), "3v7 NodeKey(3v7)    3v7");
    assert_eq!("3v7".parse(), Ok(key));
    assert_eq!("3-7".parse::<NodeKey>(), Err(ParseHandleError::Malformed));
    let later = <NodeKey as HandleLayout>::from_parts(3, 8).unwrap();
    assert!(key < later && later < <NodeKey as HandleLayout>::from_parts(4, 1).unwrap());
    assert_eq!(HashSet::from([key, later, key]).len(), 2);
    assert_eq!(BTreeSet::from([later, key]).first(), Some(&key));
    const NONE: NodeKey = NodeKey::DANGLING;
    assert!(NONE.is_dangling() && !key.is_dangling() && NodeKey::default() == NONE);
}

/// By the trait, as code for all layouts does it.
#[test]
fn a_key_type_answers_as_its_handle_where_the_layout_is_a_parameter() {
    fn answers<K: HandleLayout, H: HandleLayout>() {
        for (index, generation) in [(0, 1), (3, 1), (3, 7), (15, 9)] {
            let key = K::from_parts(index, generation).unwrap();
            let handle = H::from_parts(index, generation).unwrap();
            assert_eq!((key.index(), key.generation()), (index, generation));
            assert_eq!(key.to_bits(), handle.to_bits());
            assert_eq!(K::from_bits(key.to_bits()), Some(key));
        }
        assert_eq!(K::from_bits(0), None);
    }
    answers::<NodeKey, Handle<()>>();
    answers::<SmallKey, Handle32<(), 4>>();
    answers::<MediumKey, Handle32<(), 16>>();
}

/// It stores them without their type.
#[test]
fn a_packed_pool_lists_the_keys_that_it_has_issued() {
    fn are_listed<K: HandleLayout>() {
        let mut pool: PackedPool<u32, K> = PackedPool::with_capacity(10);
        let mut keys: Vec<K> = (0..9).map(|value| pool.insert(value).unwrap()).collect();
        pool.remove(keys.swap_remove(2)).unwrap();
        keys.push(pool.insert(9).unwrap());
        assert_eq!(pool.as_handle_slice(), keys);
        assert!(pool.handles().eq(keys.iter().copied()));
        assert!(pool.iter().map(|(key, _)| key).eq(keys.iter().copied()));
        assert!(pool.iter_mut().map(|(key, _)| key).eq(keys.iter().copied()));
        pool.retain(|key, _| key != keys[8]);
        keys.truncate(8);
        assert!(pool.into_iter().map(|(key, _)| key).eq(keys));
    }
    are_listed::<Handle<str>>();
    are_listed::<Handle32<str>>();
    are_listed::<NodeKey>();
    are_listed::<SmallKey>();
    are_listed::<MediumKey>();
    are_listed::<LargeKey>();
}

#[test]
fn a_key_is_saved_as_its_handle() {
    let key = <SmallKey as HandleLayout>::from_parts(3, 7).unwrap();
    assert_eq!(serde_json::to_string(&key).unwrap(), "\"3v7\"");
    assert_eq!(serde_json::from_str::<SmallKey>("\"3v7\"").unwrap(), key);
    assert!(serde_json::from_str::<SmallKey>("\"16v7\"").is_err());
    let bytes = postcard::to_allocvec(&(key, SmallKey::DANGLING)).unwrap();
    assert_eq!(postcard::from_bytes(&bytes), Ok((key, SmallKey::DANGLING)));
    assert_eq!(bytemuck::bytes_of(&key), key.to_bits().to_ne_bytes()[..4].to_vec());

    let mut nodes: Pool<u64, Lifo, NodeKey> = Pool::with_capacity(3);
    let node = nodes.insert(5).unwrap();
    let text = serde_json::to_string(&nodes).unwrap();
    let loaded: Pool<u64, Lifo, NodeKey> = serde_json::from_str(&text).unwrap();
    assert_eq!(loaded[node], 5);
}

#[test]
fn a_key_has_the_checksum_of_its_handle() {
    fn sum(value: &impl ToChecksum) -> u64 {
        let mut sum = Checksum::new();
        sum.add(value);
        sum.finish()
    }
    fn of_key<K: HandleLayout<Erased: ToChecksum> + ToChecksum>() {
        let [key, later] = [7, 8].map(|generation| K::from_parts(3, generation).unwrap());
        assert_eq!(sum(&key), sum(&key.erase()));
        assert_eq!(sum(&key), sum(&key.to_bits()));
        assert_ne!(sum(&key), sum(&later));
    }
    of_key::<NodeKey>();
    of_key::<SmallKey>();

    let mut parents: Pool<Option<NodeKey>, Lifo, NodeKey> = Pool::with_capacity(3);
    let root = parents.insert(None).unwrap();
    let leaf = parents.insert(Some(root)).unwrap();
    let before = parents.checksum();
    parents[leaf] = Some(leaf);
    assert_ne!(parents.checksum(), before);
}

/// All that a pool answers about the handle that no pool issues, with as many objects as it takes.
macro_rules! refuses_dangling {
    ($pool:expr, $handle:ty) => {{
        let mut pool = $pool;
        let dangling = <$handle as HandleLayout>::DANGLING;
        for _ in 0..3 {
            assert!(!pool.contains(dangling) && pool.check(dangling).is_err());
            assert!(pool.get(dangling).is_none() && pool.get_mut(dangling).is_none());
            assert!(pool.remove(dangling).is_none());
            let refused = pool.insert_at(dangling, 1).unwrap_err();
            assert_eq!(refused.into_inner(), 1);
            let found = pool.get_disjoint_mut([dangling]);
            assert!(matches!(found, Err(GetDisjointMutError::Refused { position: 0, .. })));
            // Full, and then with a slot that is vacant again.
            while let Ok(handle) = pool.insert(7) {
                assert_ne!(handle, dangling);
            }
            let last = pool.handles().last().unwrap();
            assert_eq!(pool.remove(last), Some(7));
        }
    }};
}

/// Also where its bits name a slot that is there. (Elsewhere, and in every order: the family `hostile_handles`.)
#[test]
fn no_pool_issues_or_takes_the_dangling_handle() {
    refuses_dangling!(Pool::<u64, Lifo, MediumKey>::with_capacity(65_536), MediumKey);
    let named = Pool::<u64, Lifo, SmallKey>::typed_builder().capacity(16).name("n");
    refuses_dangling!(named.clone().build(), SmallKey);
    refuses_dangling!(named.clone().wrap().build(), SmallKey);
    refuses_dangling!(named.lifetimes(2).build(), SmallKey);
    refuses_dangling!(PackedPool::<u64, SmallKey>::with_capacity(16), SmallKey);
    refuses_dangling!(PackedVecPool::<u64, SmallKey>::default(), SmallKey);
    refuses_dangling!(StaticPool::<u64, 16, SmallKey>::with_handle(), SmallKey);
    refuses_dangling!(VecPool::<u64, Lifo, SmallKey>::default(), SmallKey);
}

#[test]
fn nothing_else_takes_the_dangling_handle() {
    let mut slots = HandleAllocator::<Lifo, SmallKey>::typed_builder().capacity(16).build();
    let mut recycler = Recycler::<u64, Lifo, SmallKey>::typed_builder().capacity(16).build();
    for _ in 0..2 {
        assert!(!slots.contains(SmallKey::DANGLING) && !slots.release(SmallKey::DANGLING));
        assert!(slots.acquire_at(SmallKey::DANGLING).is_err());
        assert!(
            recycler.get(SmallKey::DANGLING).is_none() && !recycler.release(SmallKey::DANGLING)
        );
        while slots.acquire().is_some() {}
        while recycler.acquire().is_some() {}
    }
    assert_eq!((slots.len(), recycler.len()), (16, 16));
}

#[test]
fn keys_of_several_pools_are_kept_together() {
    let mut nodes: Pool<_, Lifo, NodeKey> = Pool::with_capacity(4);
    let mut names: Pool<_, Lifo, Handle<&str>> = Pool::with_capacity(4);
    let selected = [nodes.insert(1).unwrap().erase(), names.insert("a").unwrap().erase()];
    assert_eq!(nodes[NodeKey::from_erased(selected[0])], 1);
    assert_eq!(names[Handle::from_erased(selected[1])], "a");
    fn erased<H: HandleLayout>(handle: H) -> u64 {
        assert_eq!(H::from_erased(handle.erase()), handle);
        handle.erase().to_bits()
    }
    assert_eq!(erased(LargeKey::DANGLING), LargeKey::DANGLING.to_bits());
    let mut marks: SideTable<LargeKey, ()> = SideTable::new();
    assert!(marks.insert(LargeKey::DANGLING, ()).is_err());
}

/// The parameters of all names are in one order, value, slots, reuse order, handle, and a name leaves out what its pool has no
/// choice of (`docs/guide/coming-from.md`).
#[test]
fn the_parameters_of_all_names_are_in_one_order() {
    use millpond::reuse::Fifo;
    use millpond_overflow::PolicyPool;

    fn bytes<P>() -> usize {
        size_of::<P>()
    }
    type H = Handle<()>;
    let with_order = [
        bytes::<Pool<u8, Fifo, H>>(),
        bytes::<VecPool<u8, Fifo, H>>(),
        bytes::<Recycler<u8, Fifo, H>>(),
        bytes::<PolicyPool<u8, Fifo, H>>(),
        bytes::<HandleAllocator<Fifo, H>>(),
    ];
    let without = [
        bytes::<PackedPool<u8, H>>(),
        bytes::<PackedVecPool<u8, H>>(),
        bytes::<StaticPool<u8, 4, H>>(),
    ];
    assert!(with_order.into_iter().chain(without).all(|bytes| bytes > 0));
}
