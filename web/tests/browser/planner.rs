//! The planner: recordings are dropped on the page, and the results are those of the command.

use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

use millpond_testkit::{Directory, TRACES, command, done, gzip, refused, zstd};
use millpond_web_tests::{Browser, Window};
use serde_json::Value;

use crate::{program, with_site};

/// The page, opened.
fn planner(site: &Path) -> Browser {
    let browser = Browser::open(Window::WIDE);
    browser.go(&site.join("index.html"), "");
    browser
}

/// Sets a field of the form, as a user who types.
fn set(browser: &Browser, field: &str, value: &str) {
    browser.act(&format!(
        "const field = document.forms[0].elements['{field}']; field.value = '{value}';
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    ));
}

/// Waits for the results or for a failure, which is returned.
fn finished(browser: &Browser) -> Option<String> {
    browser.wait_for(
        "!document.getElementById('results').hidden || !document.getElementById('failure').hidden",
    );
    let failure = browser.script("return document.getElementById('failure').textContent");
    failure.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Drops files and waits for what comes of it: `None` for results.
fn dropped(browser: &Browser, files: &[&Path]) -> Option<String> {
    // What the last drop has left must not be taken for what this one brings.
    browser
        .act("for (const id of ['results', 'failure']) document.getElementById(id).hidden = true");
    browser.drop_files(files);
    finished(browser)
}

/// A text of the results.
fn result(browser: &Browser, name: &str) -> String {
    browser
        .script(&format!("return millpond.results.{name}"))
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// What the command prints with these options for files in the directory.
fn printed(directory: &Directory, options: &[&str], files: &[&str]) -> String {
    let mut plan = vec!["plan"];
    if !options.contains(&"--prices") && !options.contains(&"--wait-p99-ms") {
        plan.extend(["--prices", "reference"]);
    }
    done(&command(program(), directory).args(plan).args(options).args(files).output().unwrap())
}

/// Without the line that says how long it took.
fn without_times(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("Read in ") {
            // It may be wrapped.
            lines.next_if(|next| next.contains("events/s"));
            continue;
        }
        let _ = writeln!(kept, "{line}");
    }
    kept
}

/// Drops the files, and compares everything that the page has with what the command writes.
fn agrees(browser: &Browser, directory: &Directory, options: &[&str], files: &[&str]) {
    let paths: Vec<PathBuf> = files.iter().map(|file| directory.path().join(file)).collect();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    assert_eq!(dropped(browser, &paths), None, "{files:?}");
    let (report, budget) = ("the-report.html", "the-budget.toml");
    let writes = ["--json", "--report", report, "--budget", budget];
    assert_eq!(result(browser, "json"), printed(directory, &[options, &writes].concat(), files));
    assert_eq!(result(browser, "csv"), printed(directory, &[options, &["--csv"]].concat(), files));
    let text = printed(directory, &[options, &["--no-report"]].concat(), files);
    assert_eq!(without_times(&result(browser, "text")), without_times(&text), "{files:?}");
    let written = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(result(browser, "report"), written(report), "{files:?}");
    assert_eq!(result(browser, "budget.Ok"), written(budget), "{files:?}");
    for name in [report, budget] {
        std::fs::remove_file(directory.path().join(name)).unwrap();
    }
}

fn trace(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(TRACES).join(name)).unwrap()
}

/// A recording of millpond-heap.
fn heap_recording() -> String {
    let mut text = "millpond heap 1\nx /home/me/game\nt 1 a1 b1\nt 2 a2 b1\n".to_owned();
    for n in 0..1000 {
        let _ = writeln!(text, "c {n:x}\n+ {:x} 30 1", 0x1000 + n);
        if n % 20 == 19 {
            (n - 19..=n).for_each(|spark| text += &format!("- {:x}\n", 0x1000 + spark));
        }
    }
    text + "n a1\tgame::spawn\t/home/me/game/src/main.rs\nn b1\tmain\t/home/me/game/src/main.rs\ne 0\n"
}

/// A table of allocations.
fn table() -> String {
    let mut text = "ms,event,address,size,stack\n".to_owned();
    for n in 0..1000 {
        let _ = writeln!(text, "{n},alloc,7f{n:04x},24,spawn(int);update;main");
        if n >= 10 {
            let _ = writeln!(text, "{n},free,7f{:04x}", n - 10);
        }
    }
    text
}

fn loans() -> String {
    let mut text = "asked_us,got_us,returned_us,pool\n".to_owned();
    for n in 0..200 {
        let _ = writeln!(text, "{},{},{},orders", n * 700, n * 700, n * 700 + 2_000 + n * 7);
    }
    text
}

#[test]
fn every_format_gives_what_the_command_gives() {
    with_site(|site| {
        let directory = Directory::new();
        let lifetimes = "tick,event,id,class\n0,alloc,1,Spark\n0,alloc,2,Spark\n3,free,1,Spark\n4,alloc,3,Imp\n";
        directory.file("sparks.csv", lifetimes);
        directory.file("sparks.csv.gz", gzip(lifetimes.as_bytes()));
        directory.file("sparks.csv.zst", zstd(lifetimes.as_bytes()));
        directory.file("map01.csv.gz", trace("freedoom2-map01-8bots.csv.gz"));
        directory.file("openttd.heaptrack.zst", trace("openttd-600ticks.heaptrack.zst"));
        directory.file("game.heap", heap_recording());
        directory.file("game.heap.gz", gzip(heap_recording().as_bytes()));
        directory.file("table.csv", table());
        directory.file("table.csv.zst", zstd(table().as_bytes()));
        directory.file("a name, with spaces é.csv", lifetimes);
        let browser = planner(&site);
        for file in [
            "sparks.csv",
            "sparks.csv.gz",
            "sparks.csv.zst",
            "map01.csv.gz",
            "openttd.heaptrack.zst",
            "game.heap",
            "game.heap.gz",
            "table.csv",
            "table.csv.zst",
            "a name, with spaces é.csv",
        ] {
            agrees(&browser, &directory, &[], &[file]);
        }
        agrees(&browser, &directory, &[], &["sparks.csv", "map01.csv.gz", "game.heap"]);
        assert!(browser.log().is_empty());
    });
}

#[test]
fn options_are_those_of_the_command() {
    with_site(|site| {
        let directory = Directory::new();
        directory.file("map15.csv.gz", trace("freedoom2-map15-solo.csv.gz"));
        directory.file("openttd.zst", trace("openttd-600ticks.heaptrack.zst"));
        directory.file("orders.trace", loans());
        let browser = planner(&site);
        for (field, value) in [
            ("headroom", "50"),
            ("tick_rate", "35"),
            ("session_hours", "2"),
            ("class", "*Puff"),
            ("top", "5"),
        ] {
            set(&browser, field, value);
        }
        let options = [
            "--headroom",
            "50",
            "--tick-rate",
            "35",
            "--session-hours",
            "2",
            "--class",
            "*Puff",
            "--top",
            "5",
        ];
        agrees(&browser, &directory, &options, &["map15.csv.gz"]);
        let said = browser.script("return document.getElementById('command').textContent");
        let words = "millpond plan --prices reference --headroom 50 --tick-rate 35 --session-hours 2 --top 5 --class '*Puff' FILE";
        assert_eq!(said.as_str(), Some(format!("The same on a command line: {words}").as_str()));

        browser.go(&site.join("index.html"), "");
        for (field, value) in [
            ("size_classes", "256"),
            ("blocks_at_hand", "0"),
            ("skip_caller", "std::*"),
            ("prices", "pool=5,small=30"),
        ] {
            set(&browser, field, value);
        }
        let options = [
            "--size-classes=256",
            "--blocks-at-hand",
            "0",
            "--skip-caller",
            "std::*",
            "--prices",
            "pool=5,small=30",
        ];
        agrees(&browser, &directory, &options, &["openttd.zst"]);

        browser.go(&site.join("index.html"), "");
        set(&browser, "wait_p99_ms", "5");
        agrees(&browser, &directory, &["--wait-p99-ms", "5"], &["orders.trace"]);

        set(&browser, "headroom", "many");
        let failure = dropped(&browser, &[&directory.path().join("map15.csv.gz")]);
        assert_eq!(
            failure.as_deref(),
            Some("millpond: --headroom: expected a number, found `many`")
        );
        set(&browser, "headroom", "2000");
        let failure = dropped(&browser, &[&directory.path().join("map15.csv.gz")]);
        assert_eq!(
            failure.as_deref(),
            Some("millpond: --headroom: expected a number of per cent, from 0 to 1000")
        );
    });
}

#[test]
fn bad_input_gets_the_commands_line_and_the_page_goes_on() {
    with_site(|site| {
        let directory = Directory::new();
        let good = trace("freedoom2-map15-solo.csv.gz");
        let zstd = trace("openttd-600ticks.heaptrack.zst");
        let mut damaged = good.clone();
        damaged[5_000] ^= 0x55;
        let bad: [(&str, &[u8]); 8] = [
            ("empty.csv", b""),
            ("damaged.csv.gz", &damaged),
            ("cut.zst", &zstd[..20_000]),
            ("noise", &[0xff, 0, 1, 2, b'\n']),
            ("other.csv", b"hello, world\n"),
            ("twice.csv", b"tick,event,id,class\n0,alloc,7,A\n1,alloc,7,A\n"),
            ("orders.trace", b"asked_us,got_us,returned_us,pool\n"),
            ("<b>name.csv", b"tick,event,id,class\n0,spawn,1,<script>\n"),
        ];
        let browser = planner(&site);
        directory.file("good.csv.gz", &good);
        for (name, content) in bad {
            let file = directory.file(name, content);
            let line = refused(
                &command(program(), &directory)
                    .args(["plan", "--no-report", name])
                    .output()
                    .unwrap(),
            );
            let failure = dropped(&browser, &[&file]).expect(name);
            assert_eq!(failure, format!("millpond: {line}"));
            assert_eq!(
                dropped(&browser, &[&directory.path().join("good.csv.gz")]),
                None,
                "after {name}"
            );
        }
        // What is there of a cut one is planned, by both.
        let cut: [(&str, &[u8]); 2] = [
            ("cut.csv.gz", &good[..9_000]),
            ("short.csv", b"tick,event,id,class\n0,alloc,1,A\n5,free,1,A"),
        ];
        for (name, content) in cut {
            let file = directory.file(name, content);
            let output = command(program(), &directory)
                .args(["plan", "--no-report", "--prices", "reference", name])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(3), "{name}");
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains("The recording is cut short"), "{text}");
            assert_eq!(dropped(&browser, &[&file]), None, "{name}");
            assert_eq!(without_times(&result(&browser, "text")), without_times(&text), "{name}");
        }
        let folder = directory.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        let failure = dropped(&browser, &[&folder]);
        assert_eq!(
            failure.as_deref(),
            Some("millpond: folder: is a directory, expected a trace file")
        );
        agrees(&browser, &directory, &[], &["good.csv.gz"]);
    });
}

#[test]
fn too_large_a_recording_names_the_command() {
    with_site(|site| {
        let directory = Directory::new();
        let path = directory.path().join("days.heaptrack");
        // A file with a hole takes no room on the disk.
        File::create(&path).unwrap().set_len(3_000_000_000).unwrap();
        let browser = planner(&site);
        let failure = dropped(&browser, &[&path]).unwrap();
        assert!(
            failure.starts_with("days.heaptrack has 3000.0 MB, and a page plans at most "),
            "{failure}"
        );
        assert!(
            failure.ends_with(
                "The command plans any size: millpond plan --prices reference days.heaptrack"
            ),
            "{failure}"
        );
        directory.file("small.csv", "tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n");
        agrees(&browser, &directory, &[], &["small.csv"]);
    });
}

#[test]
fn a_job_that_is_cancelled_or_has_no_memory_or_breaks_leaves_the_page_usable() {
    with_site(|site| {
        let directory = Directory::new();
        let big = directory.file("big.csv", generated(&directory, 20_000_000));
        directory.file("small.csv", "tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n");
        let browser = planner(&site);
        let hide = "document.getElementById('failure').hidden = true";
        browser.drop_files(&[&big]);
        browser.wait_for("document.getElementById('progress').value > 0");
        let doing = browser.script("return document.getElementById('doing').textContent");
        assert!(doing.as_str().unwrap().starts_with("reading big.csv: "), "{doing}");
        browser.act("document.getElementById('cancel').click()");
        assert_eq!(finished(&browser).as_deref(), Some("Cancelled."));
        assert_eq!(browser.script("return document.getElementById('job').hidden"), true);
        agrees(&browser, &directory, &[], &["small.csv"]);

        // Another drop takes the place of a job that is under way.
        browser.drop_files(&[&big]);
        browser.wait_for("document.getElementById('progress').value > 0");
        agrees(&browser, &directory, &[], &["small.csv"]);

        browser.act("millpond.memoryBytesMax = 3e6");
        let failure = dropped(&browser, &[&big]).unwrap();
        assert!(
            failure.starts_with("The plan needs more memory than a page may take."),
            "{failure}"
        );
        assert!(failure.ends_with("millpond plan --prices reference big.csv"), "{failure}");
        browser.act(&format!("millpond.memoryBytesMax = undefined; {hide}"));
        agrees(&browser, &directory, &[], &["small.csv"]);

        // A worker that the browser ends, or cannot start.
        browser.act("window.Sound = Worker; window.Worker = function () { throw new Error('no workers today'); }");
        let failure = dropped(&browser, &[&directory.path().join("small.csv")]).unwrap();
        assert!(failure.contains("no workers today"), "{failure}");
        browser.act("window.Worker = window.Sound");
        agrees(&browser, &directory, &[], &["small.csv"]);
        browser.act("window.load = millpond.load; millpond.load = async () => 'bm90IGNvZGU='");
        let failure = dropped(&browser, &[&directory.path().join("small.csv")]).unwrap();
        assert!(failure.starts_with("This should not happen, please report it: "), "{failure}");
        browser.act("millpond.load = window.load");
        agrees(&browser, &directory, &[], &["small.csv"]);
    });
}

/// A made-up recording.
fn generated(directory: &Directory, bytes: usize) -> Vec<u8> {
    // About 20 bytes to an event.
    let events = (bytes / 20).to_string();
    let output =
        command(program(), directory).args(["generate", "--events", &events]).output().unwrap();
    output.stdout
}

#[test]
fn each_bundled_recording_is_one_click_and_nothing_comes_from_elsewhere() {
    with_site(|site| {
        let directory = Directory::new();
        let browser = planner(&site);
        for (button, name, options) in [
            (1, "freedoom2-map01-8bots.csv.gz", &["--tick-rate", "35"][..]),
            (2, "freedoom2-map15-solo.csv.gz", &["--tick-rate", "35"][..]),
            (3, "openttd-600ticks.heaptrack.zst", &[][..]),
        ] {
            directory.file(name, trace(name));
            browser.act("document.getElementById('results').hidden = true");
            browser.act(&format!(
                "document.querySelector('#examples button:nth-child({button})').click()"
            ));
            assert_eq!(finished(&browser), None);
            let json = printed(&directory, &[options, &["--json"]].concat(), &[name]);
            assert_eq!(result(&browser, "json"), json);
        }
        let loaded = browser
            .script("return performance.getEntriesByType('resource').map((entry) => entry.name)");
        for url in loaded.as_array().unwrap() {
            let url = url.as_str().unwrap();
            assert!(url.starts_with("file://") || url.starts_with("blob:"), "{url}");
        }
        assert!(browser.log().is_empty());
    });
}

#[test]
fn the_planner_works_by_keyboard() {
    with_site(|site| {
        let browser = planner(&site);
        // To the first example: past the link that skips, the site's two pages, and the field for files.
        for _ in 0..5 {
            browser.press("Tab");
        }
        let focused = browser.script("return document.activeElement.dataset.name");
        assert_eq!(focused, "freedoom2-map01-8bots.csv.gz");
        browser.press("Enter");
        assert_eq!(finished(&browser), None);
        browser.act("document.querySelector('[role=tab][aria-selected=true]').focus()");
        let mut seen = Vec::new();
        for _ in 0..6 {
            seen.push(browser.script("return document.getElementById('panel').dataset.shown"));
            browser.press("ArrowRight");
        }
        assert_eq!(seen, ["Report", "Text", "JSON", "CSV", "Budget", "Summary"].map(Value::from));
        let names = browser.script(
            "return [...document.querySelectorAll('button, input, a, iframe')]
                 .filter((e) => e.checkVisibility())
                 .filter((e) => !(e.labels?.length || e.textContent.trim() || e.title || e.ariaLabel))
                 .map((e) => e.outerHTML)",
        );
        assert_eq!(names, Value::Array(Vec::new()), "controls without a name");
    });
}

/// 200 MB: takes a minute, and so does the command in a debug build. `ci/web large` runs it.
#[test]
#[ignore = "large"]
fn a_recording_of_200_mb_is_planned_as_the_command_does() {
    with_site(|site| {
        let directory = Directory::new();
        for (name, options) in [
            ("big.csv", &["--events", "8500000"][..]),
            ("big.heaptrack", &["--events", "35000000", "--heaptrack"][..]),
        ] {
            let file = File::create(directory.path().join(name)).unwrap();
            let mut generator = command(program(), &directory);
            let status = generator.arg("generate").args(options).stdout(file).status().unwrap();
            assert!(status.success());
        }
        let browser = planner(&site);
        for name in ["big.csv", "big.heaptrack"] {
            let path = directory.path().join(name);
            assert_eq!(dropped(&browser, &[&path]), None);
            let took = browser.script("return document.getElementById('took').textContent");
            println!("{name}, {} bytes: {took}", path.metadata().unwrap().len());
            assert_eq!(result(&browser, "json"), printed(&directory, &["--json"], &[name]));
        }
    });
}

/// The widths of phones, tablets, and windows on desks, and those beside which the page changes its form.
const WIDTHS: [u32; 10] = [360, 390, 560, 561, 800, 900, 1200, 1280, 1281, 1600];

/// What does not fit in a window: a page that is wider, a table whose columns are cut off, and a title of many lines.
const UNFIT: &str = "
    const unfit = [], root = document.documentElement;
    if (root.scrollWidth > innerWidth) unfit.push(`the page has ${root.scrollWidth}`);
    for (const table of document.querySelectorAll('.scroll, .more'))
        if (table.scrollWidth > table.clientWidth) unfit.push(`${table.className}: ${table.scrollWidth} of ${table.clientWidth}`);
    for (const title of document.querySelectorAll('.rank b, .more caption, summary, figcaption')) {
        const lines = title.offsetHeight / parseFloat(getComputedStyle(title).fontSize) / 1.5;
        if (lines > 4) unfit.push(`${Math.round(lines)} lines: ${title.textContent}`);
    }
    return unfit";

/// No title is squeezed to a letter a line, no column is cut off, and nothing is wider than the window.
#[test]
fn the_report_of_the_command_fits_windows_of_all_widths() {
    with_site(|_| {
        let directory = Directory::new();
        let report = directory.path().join("a/rather/long/way/to/the/report");
        std::fs::create_dir_all(&report).unwrap();
        let trace = report.join("openttd-600ticks-of-a-long-evening.heaptrack.zst");
        std::fs::copy(Path::new(TRACES).join("openttd-600ticks.heaptrack.zst"), &trace).unwrap();
        let generated = report.join("generated.csv");
        let status = command(program(), &directory)
            .args(["generate", "--events", "300000"])
            .stdout(File::create(&generated).unwrap())
            .status();
        assert!(status.unwrap().success());
        let report = report.join("r.html");
        let mut plan = command(program(), &directory);
        // A trial leaves out what it does not confirm, which depends on the machine.
        plan.args(["plan", "--trial-ms", "0"]).args([&trace, &generated]);
        done(&plan.arg("--report").arg(&report).output().unwrap());
        let browser = Browser::open(Window::NARROW);
        browser.go(&report, "");
        let proposals = browser.script("return document.querySelectorAll('.rank b').length");
        assert!(proposals.as_u64().unwrap() > 3, "{proposals}");
        for width in WIDTHS {
            browser.resize(Window { width, ..Window::NARROW });
            let unfit = browser.script(UNFIT);
            assert!(unfit.as_array().unwrap().is_empty(), "{width} pixels: {unfit:#}");
        }
    });
}
