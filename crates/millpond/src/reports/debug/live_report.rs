use alloc::vec::Vec;
use core::fmt;
use core::iter::repeat_n;
use core::panic::Location;

use crate::reports::errors::PoolName;

/// The live objects of a pool, grouped by the source line that inserted them; returned by
/// [`Pool::live_report`](crate::Pool::live_report).
///
/// ```
/// use millpond::Pool;
/// use millpond::debug::DebugAids;
///
/// let aids = DebugAids::none().remember_origins();
/// let mut pool = Pool::<u8>::builder().capacity(8).name("bullets").debug_aids(aids).build();
/// for value in 0..3 {
///     pool.insert(value).unwrap();
/// }
/// pool.insert(9).unwrap();
/// let report = pool.live_report().unwrap();
/// assert_eq!(report.live(), 4);
/// assert_eq!(report.origins().iter().map(|origin| origin.count()).collect::<Vec<_>>(), [3, 1]);
/// assert!(report.to_string().starts_with("pool \"bullets\": 4 objects are live\n"));
/// ```
#[derive(Clone, Debug)]
pub struct LiveReport {
    name: Option<&'static str>,
    live: usize,
    origins: Vec<Origin>,
}

/// A source line, and the number of live objects that it inserted.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    location: &'static Location<'static>,
    count: usize,
}

impl Origin {
    /// Returns the file, line and column.
    #[must_use]
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

impl LiveReport {
    /// A report of objects that were inserted at these places, as far as these are known.
    pub(super) fn new(
        name: Option<&'static str>,
        places: impl Iterator<Item = Option<&'static Location<'static>>>,
    ) -> Self {
        let mut live = 0;
        let mut places: Vec<_> = places.inspect(|_| live += 1).flatten().collect();
        places.sort_unstable();
        let mut origins: Vec<Origin> = Vec::new();
        for location in places {
            match origins.last_mut() {
                Some(origin) if origin.location == location => origin.count += 1,
                _ => origins.push(Origin { location, count: 1 }),
            }
        }
        // The file and the line decide between equal counts: the sort keeps their order.
        origins.sort_by_key(|origin| core::cmp::Reverse(origin.count));
        Self { name, live, origins }
    }

    /// The report of a pool that has both as parts, under the name of the first.
    #[doc(hidden)]
    #[must_use]
    pub fn together(self, other: Self) -> Self {
        let places = |Self { live, origins, .. }: Self| {
            let known: usize = origins.iter().map(|origin| origin.count).sum();
            let known_places = origins
                .into_iter()
                .flat_map(|origin| repeat_n(Some(origin.location), origin.count));
            known_places.chain(repeat_n(None, live - known))
        };
        Self::new(self.name, places(self).chain(places(other)))
    }

    /// Returns the pool's name.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Returns the number of live objects.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live
    }

    /// Returns the places where they were inserted, the one with the most objects first. Objects of
    /// unknown origin are not included: those that a restore brought back.
    #[must_use]
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }
}

/// Formats the report as one line with the number of live objects, one per place, and one for
/// objects of unknown origin.
impl fmt::Display for LiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = if self.live == 1 { "object is" } else { "objects are" };
        write!(f, "{}: {} {objects} live", PoolName(self.name), self.live)?;
        let mut unknown = self.live;
        for Origin { location, count } in &self.origins {
            write!(f, "\n{count:>8}  {location}")?;
            unknown -= count;
        }
        match unknown {
            0 => Ok(()),
            unknown => write!(f, "\n{unknown:>8}  restored from a snapshot"),
        }
    }
}
