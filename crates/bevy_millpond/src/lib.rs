#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub, missing_debug_implementations)]

/// The code of the guide, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/bevy.md")]
struct Guide;

mod alone;
mod builder;
mod by_entity;
mod figures;
mod full;
mod history;
mod home;
mod identity;
mod leftovers;
mod life;
mod member;
mod name;
mod plugin;
mod pool;
mod pooled;
mod population;
mod settings;
mod sleep;
mod slot;

pub use builder::EntityPoolBuilder;
pub use figures::{Figure, Figures};
pub use full::{Full, WhenFull};
pub use history::{AddPoolHistory, PoolFrame, PoolHistory, RestorePools, SavePools};
pub use member::InPool;
pub use plugin::{AddEntityPool, AddPopulation, MillpondPlugin, PoolRecorder};
pub use pool::{EntityPool, EntityPoolIter, PoolHandle, Upkeep};
pub use pooled::{Pooled, PooledCommands, PooledWorld};
pub use population::{
    Noticing, Population, PopulationBuilder, PopulationCommands, PopulationIter, PopulationWorld,
};
pub use sleep::{Asleep, Sleeping};

/// What most programs name.
pub mod prelude {
    pub use crate::{
        AddEntityPool, AddPoolHistory, AddPopulation, EntityPool, Full, InPool, MillpondPlugin,
        Noticing, PoolFrame, PoolHandle, Pooled, PooledCommands, PooledWorld, Population,
        PopulationBuilder, PopulationCommands, PopulationWorld, RestorePools, SavePools, Sleeping,
        WhenFull,
    };
}
