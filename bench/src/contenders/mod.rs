//! Everyone who takes part, one file each, and the list of them.

mod arenas;
mod block_pool;
mod boxed;
#[cfg(feature = "fyrox")]
mod fyrox;
mod gen_map;
mod generational_arena;
mod limits;
mod millpond_pool;
#[cfg(feature = "cpp")]
pub(crate) mod native;
mod packed_pool;
mod recycler;
mod slab;
mod slotmap_dense;
mod slotmap_plain;
mod stable_vec;
mod thunderdome;
mod vec_option;
mod vec_swap_remove;

use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, Roster};

use crate::contender::Contender;

/// Something that is done with every contender's type.
pub(crate) trait Visitor {
    fn visit<C: Contender>(&mut self);
}

/// Shows every contender to `visitor`, in the order of the tables.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visit_millpond(visitor);
    visitor.visit::<slotmap_plain::SlotMapPlain>();
    visitor.visit::<slotmap_dense::SlotMapDense>();
    visitor.visit::<thunderdome::Thunderdome>();
    visitor.visit::<generational_arena::GenerationalArena>();
    visitor.visit::<gen_map::GenMap>();
    #[cfg(feature = "fyrox")]
    visitor.visit::<fyrox::FyroxPool>();
    visitor.visit::<slab::Slab>();
    visitor.visit::<stable_vec::StableVec>();
    visitor.visit::<vec_option::VecOption>();
    visitor.visit::<boxed::BoxOn<boxed::SystemHeap>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<boxed::BoxOn<boxed::MiHeap>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<boxed::BoxOn<boxed::JeHeap>>();
    visitor.visit::<arenas::TypedArena>();
    visitor.visit::<arenas::Bumpalo>();
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
    visitor.visit::<millpond_pool::PoolWith<NextFit>>();
    visitor.visit::<millpond_pool::PoolWith<Intrusive>>();
    visitor.visit::<millpond_pool::PoolNarrow>();
    visitor.visit::<packed_pool::PackedPool>();
    visitor.visit::<block_pool::BlockPool>();
    visitor.visit::<recycler::Recycler>();
}

/// Where a contender stands in the tables.
pub(crate) fn place(name: &str) -> usize {
    struct Names(Vec<&'static str>);
    impl Visitor for Names {
        fn visit<C: Contender>(&mut self) {
            self.0.push(C::NAME);
        }
    }
    let mut names = Names(Vec::new());
    visit_all(&mut names);
    #[cfg(feature = "cpp")]
    names.0.extend(native::names());
    names.0.iter().position(|&known| known == name).unwrap_or(names.0.len())
}
