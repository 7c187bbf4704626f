//! Feature `bytemuck`: zeroed objects, and live objects as bytes.

use bytemuck::{NoUninit, Pod, Zeroable};
use millpond::classic::RosterPool;
use millpond::{Handle, Handle32, PackedPool, Pool, Recycler, StaticPool};

/// What a shader reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Light {
    place: [f32; 3],
    color: u32,
}
// SAFETY: 16 bytes without padding, for which any bits will do.
unsafe impl Zeroable for Light {}
// SAFETY: as above.
unsafe impl Pod for Light {}

/// A handle among plain data.
#[derive(Clone, Copy)]
#[repr(C)]
struct Child {
    parent: Handle<Light>,
    offset: [u32; 2],
}
// SAFETY: 16 bytes without padding.
unsafe impl NoUninit for Child {}

fn light(color: u32) -> Light {
    Light { place: [1.0, 2.0, color as f32], color }
}

#[test]
fn the_runs_of_a_pool_land_where_their_slots_are() {
    let mut pool = Pool::<Light>::new(200);
    let handles: Vec<_> = (0..200).map(|color| pool.insert(light(color)).unwrap()).collect();
    for handle in handles.iter().filter(|handle| handle.index() % 7 < 2) {
        pool.remove(*handle);
    }
    let mut buffer = vec![0_u8; 200 * 16];
    let mut calls = 0;
    for (place, bytes) in pool.runs_as_bytes() {
        buffer[place..place + bytes.len()].copy_from_slice(bytes);
        calls += 1;
    }
    assert_eq!(calls, pool.runs().count());
    let copied = buffer.chunks_exact(16).map(bytemuck::pod_read_unaligned::<Light>);
    for (index, copied) in copied.enumerate() {
        assert_eq!(copied, pool.get_at(index).copied().unwrap_or(Light::zeroed()));
    }
    for (place, bytes) in pool.runs_as_bytes_mut() {
        assert!(place % 16 == 0);
        bytes.fill(0);
    }
    assert!(pool.values().all(|value| *value == Light::zeroed()));
}

#[test]
fn zeroed_pools_need_no_default() {
    let mut pool = Pool::<Light>::new(1);
    let dark = pool.insert_zeroed().unwrap();
    assert_eq!(pool[dark], Light::zeroed());
    assert!(pool.insert_zeroed().is_err());
    let recycler = Recycler::<Light>::zeroed(10);
    assert!(recycler.as_slice().iter().all(|light| *light == Light::zeroed()));
    assert!(recycler.as_bytes().iter().all(|byte| *byte == 0) && recycler.as_bytes().len() == 160);
    let mut roster = RosterPool::<Light>::zeroed(3);
    let slot = roster.allocate().unwrap();
    assert_eq!(roster.get(slot), Some(&Light::zeroed()));
    assert_eq!(PackedPool::<Light>::new(0).insert_zeroed().unwrap_err().capacity(), 0);
}

#[test]
fn the_other_pools_have_bytes_too() {
    let mut packed = PackedPool::<Light>::new(3);
    packed.insert(light(1)).unwrap();
    packed.insert(light(2)).unwrap();
    assert_eq!(packed.as_bytes(), bytemuck::bytes_of(&[light(1), light(2)]));
    packed.as_bytes_mut()[12..16].copy_from_slice(&9_u32.to_ne_bytes());
    assert_eq!(packed.as_slice()[0].color, 9);

    let mut recycler = Recycler::<u64>::zeroed(3);
    let first = recycler.acquire().unwrap().0;
    *recycler.acquire().unwrap().1 = 7;
    recycler.release(first);
    let mut places = Vec::new();
    for (place, bytes) in recycler.runs_as_bytes_mut() {
        places.push(place);
        bytes.fill(1);
    }
    assert_eq!((places, recycler.as_slice()), (vec![8], &[0, 0x0101_0101_0101_0101, 0][..]));
    assert_eq!(recycler.runs_as_bytes().collect::<Vec<_>>(), [(8, &[1; 8][..])]);

    let mut fixed = StaticPool::<u32, 4>::new();
    let first = fixed.insert(1).unwrap();
    fixed.insert(2).unwrap();
    fixed.remove(first);
    let runs: Vec<_> = fixed.runs_as_bytes().collect();
    assert_eq!(runs, [(4, &2_u32.to_ne_bytes()[..])]);
}

#[test]
fn a_handle_is_plain_data_to_write_but_not_to_read() {
    let handle = Handle::<Light>::from_parts(3, 7).unwrap();
    assert_eq!(bytemuck::bytes_of(&handle), handle.to_bits().to_ne_bytes());
    let dangling = Handle::<Light>::DANGLING;
    assert_eq!(bytemuck::bytes_of(&dangling), (dangling.to_bits() | 1 << 31).to_ne_bytes());
    let small = Handle32::<Light, 24>::from_parts(3, 7).unwrap();
    assert_eq!(bytemuck::bytes_of(&small), (3_u32 << 8 | 7).to_ne_bytes());
    let child = Child { parent: handle, offset: [1, 2] };
    assert_eq!(bytemuck::bytes_of(&child)[..8], handle.to_bits().to_ne_bytes());
    assert_eq!(child.offset.len(), 2);
}
