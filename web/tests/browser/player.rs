//! The player: what is drawn is what the same pools say outside the browser.

use std::path::Path;

use millpond_testkit::Directory;
use millpond_web_player::{EXAMPLES, World};
use millpond_web_tests::{Browser, Window};
use serde_json::{Value, json};

use crate::with_site;

/// Everything that the page draws of its pools.
const DRAWN: &str = "
    const texts = (within, selector) => [...within.querySelectorAll(selector)].map((e) => e.textContent);
    const states = ['live', 'dead', 'unused', 'retired'];
    return [...document.querySelectorAll('.panel')].map((panel) => ({
        name: panel.querySelector('h3').textContent,
        did: panel.querySelector('.did').textContent.trim(),
        stats: panel.querySelector('.stats').textContent,
        slots: [...panel.querySelectorAll('.cell')].map((cell) => [
            states.find((state) => cell.classList.contains(state)),
            cell.querySelector('.generation').textContent,
            cell.querySelector('.object').textContent,
            cell.querySelector('.note').textContent,
        ]),
        touched: [...panel.querySelectorAll('.cell')].findIndex((cell) => /\\b(in|out|hit|miss|lie)\\b/.test(cell.className)),
        next: texts(panel, '.row.next:not([hidden]) b'),
        roster: texts(panel, '.row.roster:not([hidden]) b'),
        partition: texts(panel, '.row.roster:not([hidden]) .label').join(''),
        bits: texts(panel, '.row.bits:not([hidden]) .value').join('').replaceAll(' ', ''),
    }))";

/// What the page has to draw of a world.
fn expected(world: &World, only: &[&str]) -> Value {
    let state: Value = world.state().parse().unwrap();
    let panels = state["panels"].as_array().unwrap().iter();
    let panels =
        panels.filter(|panel| only.is_empty() || only.contains(&panel["name"].as_str().unwrap()));
    Value::Array(panels.map(drawn).collect())
}

fn drawn(panel: &Value) -> Value {
    let next: Vec<u64> = numbers(&panel["next"]);
    let texts = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
    let slots: Vec<Value> = panel["slots"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(n, slot)| {
            let state = slot["state"].as_str().unwrap();
            let generation = match state {
                "unused" => String::new(),
                "live" => format!("v{}", slot["generation"]),
                _ => format!("†{}", slot["generation"]),
            };
            let object = slot["object"].as_str().unwrap();
            let link =
                next.iter().position(|slot| *slot == n as u64).filter(|_| panel["links"] == true);
            let object = match link {
                Some(place) => {
                    format!("→ {}", next.get(place + 1).map_or("∅".to_owned(), u64::to_string))
                }
                None => object.to_owned(),
            };
            json!([state, generation, object, slot["note"]])
        })
        .collect();
    let mut shown = texts(&next[..next.len().min(16)]);
    if next.len() > 16 {
        shown.push(format!("+{}", next.len() - 16));
    }
    let has_roster = !panel["roster"].is_null();
    let roster = if has_roster { texts(&numbers(&panel["roster"])) } else { Vec::new() };
    let partition = if has_roster {
        format!("roster, partition {}", panel["partition"])
    } else {
        String::new()
    };
    let touched = if panel["how"] == "" { json!(-1) } else { panel["at"].clone() };
    json!({
        "name": panel["name"], "did": panel["did"], "stats": panel["stats"], "slots": slots, "touched": touched,
        "next": shown, "roster": roster, "partition": partition, "bits": panel["bits"],
    })
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().map(|list| list.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
}

fn player(site: &Path, hash: &str) -> Browser {
    let browser = Browser::open(Window::WIDE);
    open(&browser, site, hash);
    browser
}

/// Opens a state in a page of its own.
fn open(browser: &Browser, site: &Path, hash: &str) {
    // The same page with another hash is not loaded again.
    browser.go(&site.join("here.js"), "");
    browser.go(&site.join("play.html"), hash);
    browser.wait_for("typeof millpond !== 'undefined' && millpond.player");
}

/// The world that the page's link describes.
fn linked(browser: &Browser) -> World {
    let link = browser.script("return millpond.player.link()");
    let link = link.as_str().unwrap().trim_start_matches('#');
    World::of_link(link.split('&').next().unwrap()).unwrap()
}

fn click(browser: &Browser, selector: &str) {
    browser.act(&format!("document.querySelector(`{selector}`).click()"));
}

#[test]
fn every_step_of_every_example_is_drawn_as_the_library_has_it() {
    with_site(|site| {
        let browser = player(&site, "");
        for example in EXAMPLES {
            click(&browser, &format!("#examples [data-id={}]", example.id));
            let mut world = World::of_link(example.world).unwrap();
            assert_eq!(browser.script(DRAWN), expected(&world, example.only), "{}", example.id);
            for step in example.steps {
                click(&browser, "#next");
                world.run(step.script).unwrap();
                assert_eq!(browser.script(DRAWN), expected(&world, example.only), "{}", step.says);
                assert_eq!(
                    browser.script("return document.getElementById('says').textContent"),
                    step.says
                );
            }
            assert_eq!(browser.script("return document.getElementById('next').disabled"), true);
            // And back again.
            click(&browser, "#back");
            let mut before = World::of_link(example.world).unwrap();
            for step in &example.steps[..example.steps.len() - 1] {
                before.run(step.script).unwrap();
            }
            assert_eq!(browser.script(DRAWN), expected(&before, example.only), "{}", example.id);
        }
        assert!(browser.log().is_empty());
    });
}

#[test]
fn a_link_holds_the_state() {
    with_site(|site| {
        let browser = player(&site, "#orders/8/");
        for selector in [
            "#insert",
            "#insert",
            "#insert",
            "#random",
            "#next",
            "#next",
            "#tray .handle:nth-child(2) .remove",
            "#tray .handle:nth-child(2) .get",
            "[data-panel=Fifo] .cell.live",
            "[data-panel=Lifo] .cell.unused",
        ] {
            click(&browser, selector);
            assert_eq!(browser.script(DRAWN), expected(&linked(&browser), &[]), "{selector}");
        }
        let (drawn, hash) = (browser.script(DRAWN), browser.script("return location.hash"));
        let hash = hash.as_str().unwrap();
        assert!(hash.starts_with("#orders/8/3xi"), "{hash}");
        open(&browser, &site, hash);
        assert_eq!(browser.script(DRAWN), drawn);
        // An example's link, and one pool alone.
        open(&browser, &site, "#example/roster/6");
        let world = World::of_link("roster/6/5xi.r1").unwrap();
        assert_eq!(browser.script(DRAWN), expected(&world, &[]));
        open(&browser, &site, "#orders/16/40x~&only=Fifo,Roster");
        let world = World::of_link("orders/16/40x~").unwrap();
        assert_eq!(browser.script(DRAWN), expected(&world, &["Fifo", "Roster"]));
        // What is no link says so, and leaves a page that works.
        for hash in ["#orders/8/zz", "#ponds/8/i", "#orders/0/i", "#orders/8/999999999xi", "#%"] {
            open(&browser, &site, hash);
            let failure = browser.script("return document.getElementById('failure').textContent");
            assert!(
                failure.as_str().unwrap().starts_with("The link cannot be used: "),
                "{hash}: {failure}"
            );
            click(&browser, "#insert");
            assert_eq!(browser.script(DRAWN), expected(&linked(&browser), &[]));
        }
    });
}

#[test]
fn every_kind_runs_by_itself_and_is_drawn_right_when_it_pauses() {
    with_site(|site| {
        let browser = player(&site, "");
        for (kind, slots) in [
            ("orders", 64),
            ("roster", 16),
            ("bytemap", 8),
            ("particles", 8),
            ("full", 4),
            ("generations", 3),
        ] {
            open(&browser, &site, &format!("#{kind}/{slots}/"));
            browser.act("document.getElementById('rate').value = '60'");
            click(&browser, "#play");
            browser.wait_for("millpond.player.state().steps > 90");
            click(&browser, "#play");
            let paused = browser.script("return millpond.player.state().steps");
            assert_eq!(browser.script(DRAWN), expected(&linked(&browser), &[]), "{kind}");
            assert_eq!(browser.script("return millpond.player.state().steps"), paused);
        }
        assert!(browser.log().is_empty());
    });
}

#[test]
fn the_player_works_by_keyboard_and_every_control_has_a_name() {
    with_site(|site| {
        let browser = player(&site, "#example/stale/0");
        for _ in 0..3 {
            browser.press("n");
        }
        browser.press("b");
        assert_eq!(browser.script("return location.hash"), "#example/stale/2");
        browser.press("i");
        assert_eq!(browser.script("return millpond.player.link()"), "#orders/8/3xi&only=Lifo");
        browser.press("0");
        assert_eq!(browser.script("return millpond.player.state().steps"), 0);
        browser.press("i");
        let labels = browser.script("return [...document.querySelectorAll('.cell[data-slot]')].map((cell) => cell.ariaLabel)");
        assert_eq!(labels[0], "slot 0: live, A, v1");
        assert_eq!(labels[1], "slot 1: unused");
        let names = browser.script(
            "return [...document.querySelectorAll('button, select, a')].filter((e) => e.checkVisibility())
                 .filter((e) => !(e.labels?.length || e.textContent.trim() || e.ariaLabel)).map((e) => e.outerHTML)",
        );
        assert_eq!(names, json!([]), "controls without a name");
    });
}

#[test]
fn nothing_moves_for_those_who_prefer_that() {
    with_site(|site| {
        let browser = Browser::open(Window { is_still: true, ..Window::NARROW });
        open(&browser, &site, "#example/stale/3");
        click(&browser, "#next");
        let moving =
            "return document.getAnimations().filter((one) => one.playState === 'running').length";
        assert_eq!(browser.script(moving), 0);
        // And nothing is wider than a phone.
        for page in ["play.html", "index.html"] {
            browser.go(&site.join(page), "");
            let wide = browser.script("return document.documentElement.scrollWidth - innerWidth");
            assert!(wide.as_i64().unwrap() <= 0, "{page}: {wide} pixels too wide");
        }
    });
}

#[test]
fn pages_of_the_book_have_their_players() {
    with_site(|site| {
        let directory = Directory::new();
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        // As mdBook does: HTML in a page stays as it is, and the script is loaded at the end of each page.
        let mut players = 0;
        for page in [
            "guide/choose.md",
            "guide/stale-handles.md",
            "guide/full.md",
            "guide/handles.md",
            "classic.md",
        ] {
            let text = std::fs::read_to_string(docs.join(page)).unwrap();
            let places: Vec<_> =
                text.lines().filter(|line| line.starts_with("<div data-player=")).collect();
            assert!(!places.is_empty(), "{page}");
            players += places.len();
            let html = format!(
                "<!DOCTYPE html><body>{}<script src=players.js></script>",
                places.join("<p>instead</p></div>") + "</div>"
            );
            directory.file(&page.replace('/', "-").replace(".md", ".html"), html);
        }
        directory.file("players.js", std::fs::read(docs.join("players.js")).unwrap());
        assert_eq!(players, 8);
        let browser = Browser::open(Window::WIDE);
        // Without the site beside it, a page says how to get it.
        browser.go(&directory.path().join("guide-choose.html"), "");
        browser.wait_for("document.readyState === 'complete'");
        assert_eq!(browser.script("return document.querySelectorAll('iframe').length"), 0);
        assert!(
            browser
                .script("return document.body.textContent")
                .as_str()
                .unwrap()
                .contains("instead")
        );

        std::os::unix::fs::symlink(&site, directory.path().join("site")).unwrap();
        browser.go(&directory.path().join("guide-stale-handles.html"), "");
        browser.wait_for("document.querySelectorAll('iframe').length === 1");
        let source = browser.script("return document.querySelector('iframe').src");
        assert!(
            source.as_str().unwrap().ends_with("site/play.html#example/stale/0&embed&theme=light"),
            "{source}"
        );
        browser.wait_for("document.querySelector('iframe').style.height !== '560px'");
    });
}

/// The number of cells whose slot number and generation cover each other.
const COVERED: &str = "
    const placed = (element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect();
    };
    return [...document.querySelectorAll('.cell[data-slot]')].filter((cell) => {
        const [index, generation] = ['.index', '.generation'].map((part) => placed(cell.querySelector(part)));
        return generation.width > 0 && index.right > generation.left && index.bottom > generation.top
            && generation.bottom > index.top;
    }).length";

#[test]
fn on_a_phone_no_number_covers_another() {
    with_site(|site| {
        let browser = Browser::open(Window::NARROW);
        for hash in
            ["#example/stale/5", "#orders/8/500x~", "#orders/8/500x~&only=Lifo", "#orders/64/500x~"]
        {
            open(&browser, &site, hash);
            assert_ne!(
                browser
                    .script("return document.querySelectorAll('.generation:not(:empty)').length"),
                0
            );
            assert_eq!(browser.script(COVERED), 0, "{hash}");
        }
    });
}

#[test]
fn the_choice_of_pools_says_which_are_shown() {
    with_site(|site| {
        let browser = player(&site, "#example/stale/0");
        let shown = "return [document.getElementById('kind').value, document.querySelectorAll('.panel').length, document.querySelectorAll('.panel .cell').length]";
        assert_eq!(browser.script(shown), json!(["example", 1, 8]));
        let slots = "const slots = document.getElementById('slots'); slots.value = '4'; slots.dispatchEvent(new Event('change'))";
        browser.act(slots);
        assert_eq!(browser.script(shown), json!(["example", 1, 4]));
        let all = "const kind = document.getElementById('kind'); kind.value = 'orders'; kind.dispatchEvent(new Event('change'))";
        browser.act(all);
        assert_eq!(browser.script(shown), json!(["orders", 4, 16]));
    });
}
