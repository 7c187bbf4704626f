//! Resources that hold pools, saved and restored for rollback.

use core::fmt;
use core::marker::PhantomData;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use millpond::snapshot::{History, Saved};

/// The schedule that saves all resources with a [`PoolHistory`], as those of the frame in [`PoolFrame`]: run it before the
/// inputs of the frame are applied.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SavePools;

/// The schedule that restores all resources with a [`PoolHistory`] to the frame in [`PoolFrame`].
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RestorePools;

/// The frame that [`SavePools`] saves and [`RestorePools`] restores.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolFrame(pub u64);

/// The last frames of a resource that holds millpond's pools: plain ones, of values that are no entities. Saving and
/// restoring copies into memory that was allocated once, and does not allocate.
///
/// `S` is what saves an `R`: [`saved_struct!`](millpond::saved_struct) declares it.
///
/// ```
/// use bevy_app::App;
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::prelude::*;
/// use millpond::{Pool, saved_struct};
///
/// saved_struct! {
///     #[derive(Resource)]
///     struct Sparks as SavedSparks {
///         pool: Pool<f32>,
///     }
/// }
///
/// let sparks = Sparks { pool: Pool::new(100) };
/// let like = sparks.snapshot();
/// let mut app = App::new();
/// app.insert_resource(sparks).add_pool_history::<Sparks, SavedSparks>(8, &like);
///
/// for frame in 0..5 {
///     app.world_mut().insert_resource(PoolFrame(frame));
///     app.world_mut().run_schedule(SavePools);
///     app.world_mut().resource_mut::<Sparks>().pool.insert(1.0).unwrap();
/// }
/// // An input for frame 3 arrives late: back to before it.
/// app.world_mut().insert_resource(PoolFrame(3));
/// app.world_mut().run_schedule(RestorePools);
/// assert_eq!(app.world().resource::<Sparks>().pool.len(), 3);
/// ```
///
/// With a rollback library, run both schedules in those in which it saves and loads the world.
#[derive(Resource)]
pub struct PoolHistory<R: Resource, S: Send + Sync + 'static> {
    history: History<S>,
    saves: PhantomData<fn() -> R>,
}

impl<R: Resource, S: Saved + Send + Sync + 'static> PoolHistory<R, S> {
    /// Returns how many frames fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.history.capacity()
    }

    /// Iterates over the saved frames, the oldest first.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + '_ {
        self.history.frames()
    }
}

impl<R: Resource, S: Send + Sync + 'static> fmt::Debug for PoolHistory<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolHistory").finish_non_exhaustive()
    }
}

/// Adds histories of pools to an [`App`].
pub trait AddPoolHistory {
    /// Keeps the last `frames` saved states of the resource `R`, each of the shape of `like`. Allocates all of their memory
    /// now.
    ///
    /// If a frame cannot be saved or restored (it is too old, or a pool has another capacity), the schedule passes a
    /// [`SnapshotError`](millpond::snapshot::SnapshotError) to Bevy's error handler, and the resource stays as it is.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    fn add_pool_history<R, S>(&mut self, frames: usize, like: &S) -> &mut Self
    where
        R: Resource<Mutability = bevy_ecs::component::Mutable>,
        S: for<'a> Saved<State<'a> = &'a R, StateMut<'a> = &'a mut R> + Send + Sync + 'static;
}

impl AddPoolHistory for App {
    fn add_pool_history<R, S>(&mut self, frames: usize, like: &S) -> &mut Self
    where
        R: Resource<Mutability = bevy_ecs::component::Mutable>,
        S: for<'a> Saved<State<'a> = &'a R, StateMut<'a> = &'a mut R> + Send + Sync + 'static,
    {
        self.init_resource::<PoolFrame>()
            .insert_resource(PoolHistory::<R, S> {
                history: History::new(frames, like),
                saves: PhantomData,
            })
            .add_systems(SavePools, save::<R, S>)
            .add_systems(RestorePools, restore::<R, S>)
    }
}

fn save<R, S>(
    frame: Res<PoolFrame>,
    pools: Res<R>,
    mut saved: ResMut<PoolHistory<R, S>>,
) -> Result<(), BevyError>
where
    R: Resource,
    S: for<'a> Saved<State<'a> = &'a R> + Send + Sync + 'static,
{
    saved.history.save(frame.0, &*pools)?;
    Ok(())
}

fn restore<R, S>(
    frame: Res<PoolFrame>,
    mut pools: ResMut<R>,
    saved: Res<PoolHistory<R, S>>,
) -> Result<(), BevyError>
where
    R: Resource<Mutability = bevy_ecs::component::Mutable>,
    S: for<'a> Saved<StateMut<'a> = &'a mut R> + Send + Sync + 'static,
{
    saved.history.rollback_to(frame.0, &mut *pools)?;
    Ok(())
}
