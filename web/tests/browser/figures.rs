//! Figures, for people: how large the site is and how fast. Nothing is asserted of them, and so they are not tests;
//! `ci/web figures` prints them.

use std::path::{Path, PathBuf};
use std::process::Command;

use millpond_web_tests::{Browser, Window};
use serde_json::{Value, json};

use crate::with_site;

/// Scripts and pages of a folder.
fn bytes_compressed(folder: &Path) -> usize {
    let script =
        format!("tar --create --file - --directory '{}' . | gzip --best | wc -c", folder.display());
    let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(0)
}

#[test]
#[ignore = "figures"]
fn figures() {
    with_site(|site| {
        println!("all files, compressed: {} bytes", bytes_compressed(&site));
        first_pictures(&site);
        openttd(&site);
        frames(&site);
    });
}

fn first_pictures(site: &Path) {
    for page in ["index.html", "play.html"] {
        let browser = Browser::open(Window::WIDE);
        browser.go(&site.join(page), "");
        browser.wait_for("performance.getEntriesByName('first-contentful-paint').length > 0");
        let first = browser
            .script("return performance.getEntriesByName('first-contentful-paint')[0].startTime");
        println!("{page}: first picture after {:.0} ms", first.as_f64().unwrap_or(0.0));
    }
}

/// A click in each tenth of a second while OpenTTD's recording is planned.
fn openttd(site: &Path) {
    let browser = Browser::open(Window::WIDE);
    browser.go(&site.join("index.html"), "");
    browser.act(
        "window.clicks = [];
         new PerformanceObserver((list) => {
             for (const entry of list.getEntries()) if (entry.name === 'pointerup' || entry.name === 'click') clicks.push(entry.duration);
         }).observe({ type: 'event', durationThreshold: 16 });
         window.gaps = []; let last = performance.now();
         const tick = () => { const now = performance.now(); gaps.push(now - last); last = now; setTimeout(tick, 0); };
         tick();
         window.begun = performance.now();
         document.querySelector('#examples button:nth-child(3)').click();",
    );
    let mut sent = 0;
    while browser.script("return document.getElementById('results').hidden") == true {
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": 300, "y": 90, "button": "left", "clickCount": 1 });
            browser.devtools("Input.dispatchMouseEvent", &event);
        }
        sent += 1;
    }
    let took = browser.script("return performance.now() - begun");
    let said = browser.script("return document.getElementById('took').textContent");
    let longest = |name: &str| browser.script(&format!("return Math.max(0, ...{name})"));
    println!(
        "OpenTTD: planned within {:.0} ms ({said}); {sent} clicks meanwhile, the slowest answered within {} ms; the page's \
         longest pause was {:.0} ms",
        took.as_f64().unwrap_or(0.0),
        longest("clicks"),
        longest("gaps").as_f64().unwrap_or(0.0),
    );
}

/// Ten seconds of 64 slots in six pools, a step for each frame.
fn frames(site: &Path) {
    let browser = Browser::open(Window::WIDE);
    browser.go(&site.join("play.html"), "#orders/64/");
    browser.wait_for("typeof millpond !== 'undefined' && millpond.player");
    browser.act(
        "document.getElementById('rate').value = '60'; document.getElementById('play').click();
         window.times = [];
         setTimeout(() => { const frame = (now) => { times.push(now); requestAnimationFrame(frame); }; requestAnimationFrame(frame); }, 1000);",
    );
    browser.wait_for("times.length > 1 && times.at(-1) - times[0] >= 10000");
    let found: Value = browser.script(
        "const gaps = times.slice(1).map((time, n) => time - times[n]);
         return [gaps.length, gaps.filter((gap) => gap > 25).length, Math.max(...gaps), millpond.player.state().steps]",
    );
    println!(
        "64 slots, six pools, 60 steps a second: {} frames in 10 s, {} dropped, the longest {:.1} ms; {} steps",
        found[0],
        found[1],
        found[2].as_f64().unwrap_or(0.0),
        found[3]
    );
}

/// Pictures of all pages, for people to look at: `MILLPOND_PICTURES` is the folder for them.
#[test]
#[ignore = "pictures"]
fn pictures() {
    with_site(|site| {
        let Some(folder) = std::env::var_os("MILLPOND_PICTURES").map(PathBuf::from) else {
            println!("not run: MILLPOND_PICTURES is not set");
            return;
        };
        for (window, size) in [(Window::WIDE, "wide"), (Window::NARROW, "narrow")] {
            for (window, light) in [(window, "light"), (window.dark(), "dark")] {
                let browser = Browser::open(window);
                let take = |name: &str| {
                    browser.picture(&folder.join(format!("{name}-{size}-{light}.png")), true)
                };
                browser.go(&site.join("index.html"), "");
                take("planner");
                browser.act("document.querySelector('#examples button').click()");
                browser.wait_for("document.getElementById('results').hidden === false");
                std::thread::sleep(std::time::Duration::from_secs(2));
                take("planned");
                for (name, hash) in [
                    ("stale", "#example/stale/8"),
                    ("orders", "#example/orders/5"),
                    ("roster", "#example/roster/6"),
                    ("bytemap", "#example/bytemap/8"),
                    ("particles", "#example/particles/7"),
                    ("full", "#example/full/2"),
                    ("generations", "#example/generations/5"),
                    ("many", "#orders/64/300x~"),
                ] {
                    browser.go(&site.join("here.js"), "");
                    browser.go(&site.join("play.html"), hash);
                    browser.wait_for("typeof millpond !== 'undefined' && millpond.player");
                    std::thread::sleep(std::time::Duration::from_millis(500));
                    take(name);
                }
            }
        }
    });
}
