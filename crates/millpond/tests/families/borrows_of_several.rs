//! Defect 5: `get_disjoint_mut` with an index between length and capacity, with equal handles, with
//! stale ones, with none.

use crate::Pools;
use crate::subject::{Key, for_every_pool};
use crate::world::World;

fn several_at_once(kind: &Pools) {
    let mut world = World::new(kind);
    let handles: Vec<Key> = world.ids().iter().map(|id| world.handles[id]).collect();
    let Some(none) = world.pool.disjoint::<0>([]) else { return };
    assert!(none.is_some_and(|none| none.is_empty()), "no handle, no reference, no refusal");
    let Some(([a, b], c)) = handles.first_chunk().zip(handles.last()) else { return };
    let ids = [a, b, c].map(|handle| world.pool.get(*handle).unwrap().id());

    let Some(Some([first, second, third])) = world.pool.disjoint([*c, *a, *b]) else {
        panic!("good handles, all different");
    };
    assert_eq!([second.id(), third.id(), first.id()], ids);
    std::mem::swap(first, second);
    assert_eq!(world.pool.get(*a).unwrap().id(), ids[2]);
    assert_eq!(world.pool.get(*c).unwrap().id(), ids[0]);
    let Some(Some([first, second])) = world.pool.disjoint([*a, *c]) else { panic!("good handles") };
    std::mem::swap(first, second);

    for equal in [[*a, *a, *b], [*a, *b, *a], [*b, *a, *a]] {
        assert!(world.pool.disjoint(equal).unwrap().is_none(), "{equal:?}");
    }
    world.check();
}

fn refused_handles(kind: &Pools) {
    let mut world = World::new(kind);
    let good: Vec<Key> = world.ids().iter().map(|id| world.handles[id]).collect();
    let Some(&other) = good.get(1) else { return };
    let mut bad = Vec::new();
    // Dead slots, in their last lifetime and in the one to come, and slots that do not exist.
    for index in (0..world.pool.capacity() + 2).chain([1 << 14, 1 << 23, u32::MAX as usize]) {
        for generation in [1, 2, 3, kind.facts().layout.generation_max] {
            let handle = kind.facts().handle(index, generation);
            bad.extend(handle.filter(|handle| !good.contains(handle)));
        }
    }
    for handle in bad {
        let Some(answer) = world.pool.disjoint([handle]) else { return };
        assert!(answer.is_none(), "{handle:?}");
        assert!(world.pool.disjoint([other, handle]).unwrap().is_none());
        assert!(world.pool.disjoint([handle, other]).unwrap().is_none());
        assert!(world.pool.disjoint([handle, handle]).unwrap().is_none());
    }
    world.check();
}

for_every_pool! { several_at_once, refused_handles }
