//! What the panel says, read as a screen reader does, is what the pool says.

use std::cell::RefCell;
use std::rc::Rc;

use egui::accesskit::Role;
use egui::epaint::textures::TexturesDelta;
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, TestRenderer};
use millpond::{HandleAllocator, PackedPool, Pool, Recycler, VecPool};
use millpond_egui::{Inspect, Inspector};
use millpond_overflow::{Overflow, PolicyPool};
use millpond_pixels::Renderer;

const SIZE: [usize; 2] = [420, 600];

/// What sees the panel, if a test asks for it.
#[derive(Clone, Default)]
struct Eyes(Rc<RefCell<Renderer>>);

impl TestRenderer for Eyes {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.0.borrow_mut().take(delta);
    }
}

/// A panel of a pool that a test changes between frames.
fn panel<P: Inspect>(pool: P) -> Harness<'static, (P, Inspector)> {
    watched_panel(pool, Eyes::default())
}

fn watched_panel<P: Inspect>(pool: P, eyes: Eyes) -> Harness<'static, (P, Inspector)> {
    let show = |ui: &mut egui::Ui, (pool, inspector): &mut (P, Inspector)| inspector.show(ui, pool);
    let builder = Harness::builder().with_size(SIZE.map(|side| side as f32)).renderer(eyes);
    builder.build_ui_state(show, (pool, Inspector::new()))
}

fn is_shown<P>(panel: &Harness<'_, (P, Inspector)>, words: &str) -> bool {
    panel.query_all_by_label(words).next().is_some()
}

/// What stands to the right of these words.
fn beside<P>(panel: &Harness<'_, (P, Inspector)>, words: &str) -> String {
    let name = panel.get_by_label(words).rect();
    let right_of_it = panel.query_all_by_role(Role::Label).filter(|node| {
        let place = node.rect();
        place.left() >= name.right() && (place.center().y - name.center().y).abs() < 2.0
    });
    let nearest = right_of_it.min_by(|a, b| a.rect().left().total_cmp(&b.rect().left()));
    nearest.and_then(|node| node.value()).unwrap_or_default()
}

#[test]
fn figures_are_those_of_the_pool() {
    let mut pool = Pool::builder().capacity(1500).name("sparks").build();
    let handles: Vec<_> = (0..1234).map(|n| pool.insert(n).unwrap()).collect();
    let mut panel = panel(pool);
    panel.step();
    assert!(is_shown(&panel, "sparks"));
    assert!(is_shown(&panel, "1,234 of 1,500 slots live"));
    assert!(is_shown(&panel, "slot 0: lifetime 1 of 2,147,483,647"));

    let pool = &mut panel.state_mut().0;
    handles[..200].iter().for_each(|&handle| {
        let _ = pool.remove(handle);
    });
    (0..470).for_each(|n| {
        let _ = pool.insert(n);
    });
    (0..3).for_each(|n| {
        let _ = pool.insert_or_evict(n, |_, n| *n);
    });
    let stats = pool.stats();
    assert_eq!((stats.live, stats.peak, stats.refused, stats.evicted), (1500, 1500, 4, 3));
    assert_eq!((stats.inserted, stats.removed), (1703, 203));
    panel.step();
    assert!(is_shown(&panel, "1,500 of 1,500 slots live"));
    for (name, number) in [("peak", "1,500"), ("retired", "0"), ("refused", "4"), ("evicted", "3")]
    {
        assert_eq!(beside(&panel, name), number, "{name}");
    }
    for (name, number) in [("born", "1,703  ("), ("died", "203  (")] {
        assert!(beside(&panel, name).starts_with(number), "{name}");
    }
}

#[test]
fn the_busiest_slot_is_named_with_the_limit_of_its_layout() {
    let builder = Pool::builder().capacity(3).name("short").lifetimes(100);
    let mut pool = builder.build();
    for n in 0..40 {
        let handle = pool.insert(n).unwrap();
        pool.remove(handle);
    }
    pool.insert(40).unwrap();
    let mut panel = panel(pool);
    panel.step();
    assert!(is_shown(&panel, "slot 0: lifetime 41 of 100"));
}

#[test]
fn a_click_colours_the_map_by_generation() {
    let mut pool = Pool::new(300);
    for turn in 1..=6 {
        // Those that come first stay longest.
        let handles: Vec<_> = (0..240 / turn).map(|n| pool.insert(n).unwrap()).collect();
        handles.iter().filter(|_| turn < 6).for_each(|&handle| {
            let _ = pool.remove(handle);
        });
    }
    let eyes = Eyes::default();
    let mut panel = watched_panel(pool, eyes.clone());
    panel.run();
    assert!(is_shown(&panel, "died just now") && !is_shown(&panel, "not used yet"));
    panel.get_by_label("by generation").click();
    panel.run();
    assert!(!is_shown(&panel, "died just now") && is_shown(&panel, "not used yet"));
    assert!(is_shown(&panel, "6th"), "the latest lifetime");
    let picture = eyes.0.borrow().draw(&panel.ctx, panel.output(), SIZE);
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/generations.png");
    picture.save(std::path::Path::new(path)).unwrap();
    let latest = egui::Color32::from_rgb(255, 226, 150);
    assert!(picture.count(|pixel| pixel == latest) > 20, "the slot in its 6th lifetime");

    // Another pool: nothing is known of it, but how it is to be shown.
    let (pool, inspector) = panel.state_mut();
    *pool = Pool::new(2);
    inspector.forget();
    panel.run();
    assert!(is_shown(&panel, "0 of 2 slots live") && is_shown(&panel, "not used yet"));

    panel.get_by_label("by age").click();
    panel.run();
    assert!(is_shown(&panel, "died just now"));
}

#[test]
fn a_map_can_begin_with_generations() {
    let state = (Pool::<u8>::new(5), Inspector::new().by_generation());
    let show = |ui: &mut egui::Ui, (pool, inspector): &mut (Pool<u8>, Inspector)| {
        inspector.show(ui, pool);
    };
    let mut panel = Harness::new_ui_state(show, state);
    panel.run();
    assert!(is_shown(&panel, "not used yet") && !is_shown(&panel, "died just now"));
}

#[test]
fn every_pool_can_be_shown() {
    fn shows(pool: impl Inspect, words: &str) {
        let mut panel = panel(pool);
        panel.step();
        assert!(is_shown(&panel, words), "{words}");
    }
    let mut packed = PackedPool::new(10);
    packed.insert('a').unwrap();
    shows(packed, "1 of 10 slots live");
    let mut growing = VecPool::new();
    (0..5).for_each(|n| _ = growing.push(n));
    shows(growing, "5 of 8 slots live");
    let mut recycler = Recycler::<u8>::new(3);
    recycler.acquire().unwrap();
    shows(recycler, "1 of 3 slots live");
    let mut handles = HandleAllocator::<millpond::reuse::Lifo>::new(2);
    handles.acquire().unwrap();
    shows(handles, "1 of 2 slots live");
    for policy in [Overflow::Spill, Overflow::Grow] {
        let mut pool = PolicyPool::new(policy, Pool::builder().capacity(4).name("orders"), 4);
        (0..6).for_each(|n| {
            let _ = pool.insert_by(n, |_, n| *n);
        });
        assert_eq!((0..8).filter_map(|index| pool.generation_at(index)).count(), 6, "{policy}");
        shows(pool, "6 of 8 slots live");
    }
    shows(Pool::<u8>::new(0), "0 of 0 slots live");
}
