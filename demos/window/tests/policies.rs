//! A hand that clicks, and eyes that read what is there.

use eframe::egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use millpond::Stats;
use millpond_overflow::Overflow;
use millpond_window::{Demo, Settings, picture};

fn window(settings: Settings) -> Harness<'static, Demo> {
    let show = |ui: &mut eframe::egui::Ui, demo: &mut Demo| demo.ui(ui);
    let builder = Harness::builder().with_size([1200.0, 900.0]).with_step_dt(1.0 / 60.0);
    builder.build_ui_state(show, Demo::new(settings))
}

fn grouped(number: usize) -> String {
    match number {
        1000.. => format!("{},{:03}", number / 1000, number % 1000),
        _ => number.to_string(),
    }
}

#[test]
fn each_policy_does_what_it_says_when_it_is_clicked() {
    let (capacity, more) = (300, 500);
    for &policy in Overflow::ALL {
        // Begins with another policy, so that the click matters.
        let other = if policy == Overflow::Refuse { Overflow::Grow } else { Overflow::Refuse };
        let sparks_per_second = 3000;
        let settings = Settings { capacity, policy: other, more, sparks_per_second };
        let mut window = window(settings);
        window.run_steps(2);
        window.get_by_label(policy.name()).click();
        window.run_steps(60);

        let stats = window.state().stats();
        let Stats { capacity: slots, live, refused, evicted, .. } = stats;
        let seen = match policy {
            Overflow::Refuse => (slots == capacity, refused > 0, evicted == 0),
            Overflow::EvictLeast | Overflow::EvictOldest => {
                (slots == capacity, refused == 0, evicted > 0)
            }
            Overflow::Spill => (slots == capacity + more, live > capacity, evicted == 0),
            Overflow::Grow => (slots > capacity, live > capacity, evicted == 0),
            other => panic!("{other} has no expectation here"),
        };
        assert_eq!(seen, (true, true, true), "{policy}: {stats:?}");
        let words = format!("{} of {} slots live", grouped(live), grouped(slots));
        assert!(window.query_by_label(&words).is_some(), "{policy}: {words}");
        // Peak and refused may be the same number, so there is at least one.
        for figure in [stats.peak, refused as usize, evicted as usize].map(grouped) {
            assert!(window.query_all_by_label(&figure).next().is_some(), "{policy}: {figure}");
        }
    }
}

#[test]
fn the_sparks_go_on_in_a_new_pool() {
    let mut window = window(Settings::default());
    // So long that some have died.
    window.run_steps(200);
    let before = window.state().stats();
    window.get_by_label("grow").click();
    window.step();
    let after = window.state().stats();
    assert!(before.live > 500 && after.live.abs_diff(before.live) < before.live / 3, "{after:?}");
    assert!(after.inserted < before.inserted, "it is a new pool");
}

#[test]
fn sliders_change_the_capacity_and_how_much_is_fired() {
    let mut window = window(Settings::default());
    window.run_steps(100);
    let slide = |window: &mut Harness<'static, Demo>, name: &str, value: f64| {
        window.get_by_role_and_label(Role::Slider, name).set_value_accesskit(value);
        window.run_steps(3);
    };
    slide(&mut window, "capacity", 123.0);
    let stats = window.state().stats();
    assert_eq!((stats.capacity, stats.live), (123, 123), "as many sparks as fit go on");
    assert!(window.query_by_label("123 of 123 slots live").is_some());

    slide(&mut window, "sparks a second", 0.0);
    let before = window.state().stats().inserted;
    window.run_steps(100);
    assert_eq!(window.state().stats().inserted, before, "nothing is fired");
    slide(&mut window, "sparks a second", 5000.0);
    window.run_steps(100);
    assert!(window.state().stats().inserted > before + 5000);
}

#[test]
fn the_picture_is_the_same_every_time_and_has_sparks_and_words() {
    let [first, second] = [(), ()].map(|()| picture(Demo::default(), 2));
    assert!(first.pixels() == second.pixels());
    assert!(first.count(|pixel| pixel.r() > 150 || pixel.g() > 150) > 5000);
}
