/// Declares the saved state of a struct, for a [`History`](crate::snapshot::History) that saves and
/// restores the struct as a whole.
///
/// List the fields to save, each with the type that saves it: the pool's
/// [`SnapshotOf`](crate::snapshot::SnapshotOf), [`Kept`](crate::snapshot::Kept) for any other value,
/// or another struct that this macro declares. Fields that are not listed are neither saved nor
/// restored.
///
/// ```
/// use millpond::snapshot::{History, Kept, SnapshotOf};
/// use millpond::{Handle, Pool, SideTable, Snapshot, saved_struct};
///
/// struct World {
///     ships: Pool<[f32; 2]>,
///     crew: SideTable<Handle<[f32; 2]>, u32>,
///     random: u64,
///     drawn: usize, // not part of the past
/// }
///
/// saved_struct! {
///     /// A frame of the world.
///     struct Frame of World {
///         ships: Snapshot<[f32; 2]>,
///         crew: SnapshotOf<SideTable<Handle<[f32; 2]>, u32>>,
///         random: Kept<u64>,
///     }
/// }
///
/// let mut world = World {
///     ships: Pool::new(100),
///     crew: SideTable::with_capacity(100),
///     random: 1,
///     drawn: 0,
/// };
/// let like = Frame {
///     ships: world.ships.snapshot(),
///     crew: world.crew.snapshot(),
///     random: Kept(world.random),
/// };
/// let mut history = History::new(8, &like);
///
/// history.save(0, &world).unwrap();
/// let tug = world.ships.insert([0.0, 1.0]).unwrap();
/// world.crew.insert(tug, 5).unwrap();
/// (world.random, world.drawn) = (2, 1);
///
/// history.rollback_to(0, &mut world).unwrap();
/// assert!(world.ships.is_empty() && world.crew.is_empty());
/// assert_eq!((world.random, world.drawn), (1, 1));
/// ```
///
/// As in a tuple, nothing is saved or restored unless each pool matches its snapshot.
///
/// Three things to know:
///
/// - **A frame is not a save file.** It is for rollback in memory, and [`Kept`](crate::snapshot::Kept) cannot be
///   serialised. For a saved game, write the pools and tables themselves, with the feature `serde`, in a struct with
///   `#[derive(Serialize)]`.
/// - **A pool that is read from a file has no name.** Build the pool with its name, and let it [take
///   over](crate::Pool::migrate_from) the pool that is read; then handles and names are as before.
/// - **The fields are written once more in the first frame** (`like` above), because the history allocates all of its
///   frames from it, as large as the pools are. If you would rather not declare a struct, use a tuple:
///   [`History`](crate::snapshot::History) shows it.
#[macro_export]
macro_rules! saved_struct {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident of $state:ty {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $saved:ty),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(::core::clone::Clone)]
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $saved,)+
        }

        impl $crate::snapshot::Saved for $name {
            type State<'__state> = &'__state $state;
            type StateMut<'__state> = &'__state mut $state;

            fn check_save(
                &self,
                state: &$state,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $($crate::snapshot::Saved::check_save(&self.$field, &state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn save(
                &mut self,
                state: &$state,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $crate::snapshot::Saved::check_save(self, state)?;
                $($crate::snapshot::Saved::save(&mut self.$field, &state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn check_restore(
                &self,
                state: &mut &mut $state,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $($crate::snapshot::Saved::check_restore(&self.$field, &mut &mut state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn restore(
                &self,
                mut state: &mut $state,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $crate::snapshot::Saved::check_restore(self, &mut state)?;
                $($crate::snapshot::Saved::restore(&self.$field, &mut state.$field)?;)+
                ::core::result::Result::Ok(())
            }
        }
    };
}
