/// Declares a struct of pools, tables and other values together with its saved state, for a
/// [`History`](crate::snapshot::History) that saves and restores the struct as a whole.
///
/// Write the struct as usual, `as` the name of its saved state, and behind each field how it is saved:
///
/// | field | saved |
/// | --- | --- |
/// | `name: Type` | a pool or table whose values are `Copy`: its [`snapshot`](crate::Pool::snapshot) |
/// | `name: Type => cloned` | a pool or table whose values are only `Clone`: its [`snapshot_cloned`](crate::Pool::snapshot_cloned) |
/// | `name: Type => kept` | any other value that is `Clone`: a [`Kept`](crate::snapshot::Kept) |
/// | `name: Type as Saved` | the struct `Type as Saved` that this macro declares |
/// | `name: Type => unsaved` | not at all, and a restore leaves it as it is |
///
/// ```
/// use millpond::snapshot::History;
/// use millpond::{Handle, Pool, SideTable, saved_struct};
///
/// saved_struct! {
///     struct World as Frame {
///         ships: Pool<[f32; 2]>,
///         crew: SideTable<Handle<[f32; 2]>, u32>,
///         random: u64 => kept,
///         drawn: usize => unsaved,
///     }
/// }
///
/// let mut world = World {
///     ships: Pool::new(100),
///     crew: SideTable::with_capacity(100),
///     random: 1,
///     drawn: 0,
/// };
/// let mut history = History::new(8, &world.snapshot());
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
/// The struct gets a method `snapshot`, which returns its saved state: a struct with the same fields, each of which can be
/// looked at. As in a tuple, nothing is saved or restored unless each pool matches its snapshot. For a struct that is
/// declared elsewhere, use a tuple: [`History`](crate::snapshot::History) shows it.
///
/// **For a saved game**, put `#[derive(Serialize, Deserialize)]` above the struct (feature `serde`) and write the struct
/// itself. Pools that are read from a file have no name: let the named ones of your world [take
/// over](crate::Pool::migrate_from) those that you have read.
#[macro_export]
macro_rules! saved_struct {
    (@saved $type:ty) => { $crate::snapshot::SnapshotOf<$type> };
    (@saved $type:ty as $nested:ty) => { $nested };
    (@saved $type:ty, cloned) => { $crate::snapshot::SnapshotOf<$type> };
    (@saved $type:ty, kept) => { $crate::snapshot::Kept<$type> };
    (@saved $type:ty, unsaved) => { $crate::snapshot::Unsaved<$type> };
    (@saved $type:ty, $other:ident) => {
        ::core::compile_error!("expected `cloned`, `kept` or `unsaved` behind `=>`")
    };
    (@take $value:expr) => { $value.snapshot() };
    (@take $value:expr, cloned) => { $value.snapshot_cloned() };
    (@take $value:expr, kept) => {
        $crate::snapshot::Kept(::core::clone::Clone::clone(&$value))
    };
    (@take $value:expr, unsaved) => { $crate::snapshot::Unsaved::of(&$value) };
    (@take $value:expr, $other:ident) => { ::core::unreachable!() };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident as $saved:ident {
            $(
                $(#[$field_meta:meta])*
                $field_visibility:vis $field:ident: $type:ty $(as $nested:ty)? $(=> $how:ident)?
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)+
        }

        #[doc = ::core::concat!("A saved state of [`", ::core::stringify!($name), "`].")]
        #[derive(::core::clone::Clone)]
        $visibility struct $saved {
            $(
                #[doc = ::core::concat!("The saved state of `", ::core::stringify!($field), "`.")]
                $field_visibility $field: $crate::saved_struct!(@saved $type $(as $nested)? $(, $how)?),
            )+
        }

        impl $name {
            /// Returns a saved state of the struct as it is now.
            #[allow(dead_code)]
            #[must_use]
            $visibility fn snapshot(&self) -> $saved {
                $saved {
                    $($field: $crate::saved_struct!(@take self.$field $(, $how)?),)+
                }
            }
        }

        impl $crate::snapshot::Saved for $saved {
            type State<'__state> = &'__state $name;
            type StateMut<'__state> = &'__state mut $name;

            fn check_save(
                &self,
                state: &$name,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $($crate::snapshot::Saved::check_save(&self.$field, &state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn save(
                &mut self,
                state: &$name,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $crate::snapshot::Saved::check_save(self, state)?;
                $($crate::snapshot::Saved::save(&mut self.$field, &state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn check_restore(
                &self,
                state: &mut &mut $name,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $($crate::snapshot::Saved::check_restore(&self.$field, &mut &mut state.$field)?;)+
                ::core::result::Result::Ok(())
            }

            fn restore(
                &self,
                mut state: &mut $name,
            ) -> ::core::result::Result<(), $crate::snapshot::SnapshotError> {
                $crate::snapshot::Saved::check_restore(self, &mut state)?;
                $($crate::snapshot::Saved::restore(&self.$field, &mut state.$field)?;)+
                ::core::result::Result::Ok(())
            }
        }
    };
}
