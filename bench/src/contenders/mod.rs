//! Everyone who takes part, one file each, and the list of them.
//!
//! Of the generational crates those take part that are in wide use or were released within the last year. Left
//! out: `slotmap::HopSlotMap` (deprecated by its crate), `stable_gen_map` (an allocation per object, as in the rows
//! of `Box`), `genarena` and `alot` (slots of value, generation and free link, as in `slotmap` and `thunderdome`,
//! and few users), `handy` and `typed-generational-arena` (a stale handle can match again), `concurrent-slotmap`,
//! `sharded-slab` and `plurality` (shared between threads), `hecs`, `gecs` and `bevy_ecs` (entities with several
//! columns, not values of one type).

mod any_pool;
mod arenas;
mod bitarena;
mod boxed;
mod bytemap_pool;
mod deferred_map;
mod frame_pool;
#[cfg(feature = "fyrox")]
mod fyrox;
mod gen_map;
mod generational_arena;
pub(crate) mod harness;
mod limits;
mod millpond_pool;
mod packed_pool;
mod pool_allocator;
mod recycler;
mod roster_pool;
mod slab;
mod slotmap_careful;
mod slotmap_dense;
mod slotmap_plain;
mod stable_vec;
mod static_pool;
mod thunderation;
mod thunderdome;
mod vec_option;
mod vec_pool;
mod vec_swap_remove;

use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};

use crate::contender::Contender;
use crate::sizes::{NODES_MAX, WEIGHED_SLOTS, room};

/// Something that is done with every contender's type.
pub(crate) trait Visitor {
    fn visit<C: Contender>(&mut self);
}

/// Shows every contender to `visitor`, in the order of the tables.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visit_millpond(visitor);
    visit_others(visitor);
}

/// Stores that remove and insert one by one, know their objects, and whose keys outlive removals of others.
fn visit_peers(visitor: &mut impl Visitor) {
    visitor.visit::<slotmap_plain::SlotMapPlain>();
    visitor.visit::<slotmap_dense::SlotMapDense>();
    visitor.visit::<slotmap_careful::SlotMapCareful>();
    visitor.visit::<thunderdome::Thunderdome>();
    visitor.visit::<thunderation::Thunderation>();
    visitor.visit::<bitarena::BitArena>();
    visitor.visit::<deferred_map::DeferredMap>();
    visitor.visit::<generational_arena::GenerationalArena>();
    visitor.visit::<gen_map::GenMap>();
    #[cfg(feature = "fyrox")]
    visitor.visit::<fyrox::FyroxPool>();
    visitor.visit::<slab::Slab>();
    visitor.visit::<vec_option::VecOption>();
}

/// Shows those that play frames: every peer whose keys outlive removals, and the pools of this project whose
/// capacity is chosen at run time.
pub(crate) fn visit_frames(visitor: &mut impl Visitor) {
    visitor.visit::<millpond_pool::PoolWith<Lifo>>();
    visitor.visit::<packed_pool::PackedPool>();
    visitor.visit::<packed_pool::PackedVecPool>();
    visitor.visit::<vec_pool::VecPool>();
    visitor.visit::<recycler::Recycler>();
    visit_peers(visitor);
    visitor.visit::<harness::Harness>();
}

/// What people would use instead, and what the machine allows.
fn visit_others(visitor: &mut impl Visitor) {
    visit_peers(visitor);
    visitor.visit::<stable_vec::StableVec>();
    visitor.visit::<boxed::BoxOn<boxed::SystemHeap>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<boxed::BoxOn<boxed::MiHeap>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<boxed::BoxOn<boxed::JeHeap>>();
    visitor.visit::<arenas::TypedArena>();
    visitor.visit::<arenas::Bumpalo>();
    visitor.visit::<arenas::VecCleared>();
    visitor.visit::<vec_swap_remove::VecSwapRemove>();
    visitor.visit::<limits::OneLine>();
    visitor.visit::<limits::TwoLines>();
    visitor.visit::<limits::Memcpy>();
}

/// The pools of this project; the first is what ratios refer to.
fn visit_millpond(visitor: &mut impl Visitor) {
    visitor.visit::<millpond_pool::PoolWith<Lifo>>();
    visitor.visit::<millpond_pool::PoolWith<Fifo>>();
    visitor.visit::<millpond_pool::PoolWith<LowestFirst>>();
    visitor.visit::<millpond_pool::PoolWith<Roster>>();
    visitor.visit::<millpond_pool::PoolNarrow>();
    visitor.visit::<packed_pool::PackedPool>();
    visitor.visit::<packed_pool::PackedVecPool>();
    visitor.visit::<vec_pool::VecPool>();
    visitor.visit::<recycler::Recycler>();
    visit_static(visitor);
    visitor.visit::<frame_pool::FramePool<true>>();
    visitor.visit::<frame_pool::FramePool<false>>();
    visitor.visit::<any_pool::AnyPool>();
    visitor.visit::<roster_pool::RosterPool>();
    visitor.visit::<bytemap_pool::BytemapPool>();
    visitor.visit::<pool_allocator::PoolAllocator>();
}

/// `StaticPool` with the numbers of slots that the works ask for when they are not told others, but for the
/// largest: nobody has a `static` of a hundred megabytes.
fn visit_static(visitor: &mut impl Visitor) {
    macro_rules! visit {
        ($($slots:expr),*) => { $(visitor.visit::<static_pool::StaticPool<{ $slots }>>();)* };
    }
    visit!(1_000, 10_000, 100_000, NODES_MAX, WEIGHED_SLOTS);
    visit!(room(1_000), room(10_000), room(100_000));
    #[cfg(test)]
    visit!(100, room(100));
}
