//! What an app shows of its populations and pools: diagnostics, and a resource for inspectors.

use bevy_app::App;
use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::ReflectResource;
use bevy_reflect::Reflect;
use millpond::Stats;

/// The figures of all populations and pools of an app, brought up to date in `Last`: a resource for inspectors that show what
/// is reflected.
///
/// ```
/// use bevy_app::App;
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::Figures;
/// use bevy_millpond::prelude::*;
///
/// #[derive(Component)]
/// struct Bullet;
/// let mut app = App::new();
/// app.add_population(Population::<Bullet>::builder().capacity(64));
/// app.world_mut().spawn_in::<Bullet, _>(Bullet).unwrap();
/// app.update();
/// let bullets = &app.world().resource::<Figures>().0[0];
/// assert_eq!((bullets.name, bullets.capacity, bullets.stats.live), ("Bullet", 64, 1));
/// ```
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(Resource)]
pub struct Figures(
    /// In the order in which they were added.
    pub Vec<Figure>,
);

/// The figures of a population or a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[non_exhaustive]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// How many entities it is for.
    pub capacity: usize,
    /// Its counters.
    pub stats: Stats,
}

/// Where the figures of a population or a pool go.
pub(crate) struct Measures {
    at: usize,
    paths: [DiagnosticPath; 4],
}

/// What the diagnostics are called, and what they measure.
type Measure = (&'static str, fn(&Stats) -> f64);

const MEASURES: [Measure; 4] = [
    ("live", |stats| stats.live as f64),
    ("peak", |stats| stats.peak as f64),
    ("refused", |stats| stats.refused as f64),
    ("evicted", |stats| stats.evicted as f64),
];

pub(crate) trait RegisterMeasures {
    /// Registers the diagnostics `KIND/NAME/…`.
    fn register_measures(&mut self, kind: &str, name: &'static str) -> Measures;
}

impl RegisterMeasures for App {
    fn register_measures(&mut self, kind: &str, name: &'static str) -> Measures {
        // A path is copied at each measurement, which is free for one that lives as long as the program.
        let paths = MEASURES.map(|(what, _)| {
            DiagnosticPath::new(&*String::leak(
                DiagnosticPath::from_components([kind, name, what]).as_str().into(),
            ))
        });
        for path in &paths {
            self.register_diagnostic(Diagnostic::new(path.clone()));
        }
        let mut figures = self.world_mut().get_resource_or_init::<Figures>();
        figures.0.push(Figure { name, capacity: 0, stats: Stats::default() });
        Measures { at: figures.0.len() - 1, paths }
    }
}

impl Measures {
    pub(crate) fn note(
        &self,
        capacity: usize,
        stats: Stats,
        mut diagnostics: Diagnostics,
        figures: Option<ResMut<Figures>>,
    ) {
        for (path, (_, value)) in self.paths.iter().zip(MEASURES) {
            diagnostics.add_measurement(path, || value(&stats));
        }
        if let Some(mut figures) = figures
            && let Some(figure) = figures.0.get_mut(self.at)
        {
            (figure.capacity, figure.stats) = (capacity, stats);
        }
    }
}
