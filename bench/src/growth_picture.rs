//! The picture of growth: the longest insertion in each part of a load, a strip for each store.

use std::fmt::Write;
use std::time::Duration;

use crate::contender::{Contender, Kind};
use crate::contenders::{Visitor, visit_frames};
use crate::population::Population;

/// Insertions in all, and in one part.
const SLOTS: usize = 1_000_000;
const PART: usize = 1_000;

/// How often each store is filled, in turns. Each part shows its least time, so that a moment in which another
/// program had the processor is left out: stores grow at the same insertion every time.
const ROUNDS: usize = 5;

/// Words of payload: objects of 64 bytes.
const PAYLOAD: usize = 12;

/// A frame at 60 Hz, and the top of a strip.
const FRAME_MS: f64 = 1000.0 / 60.0;
const TOP_MS: f64 = 20.0;

/// Narrow, so that a phone need not make the letters small.
const WIDTH: f64 = 520.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 420.0;
/// Where the figures end.
const END: f64 = WIDTH - 12.0;
const HEAD: f64 = 66.0;
const STRIP: f64 = 34.0;

/// Measures, and draws an SVG.
pub(crate) fn picture() -> String {
    draw(&measure(SLOTS, PART, ROUNDS))
}

/// A store, and the longest insertion of each part in milliseconds.
struct Strip {
    name: &'static str,
    kind: Kind,
    parts: Vec<f64>,
    fill: fn(usize, usize) -> Vec<f64>,
}

fn measure(slots: usize, part: usize, rounds: usize) -> Vec<Strip> {
    struct Strips(Vec<Strip>);
    impl Visitor for Strips {
        fn visit<C: Contender>(&mut self) {
            if C::KIND != Kind::Limit {
                let (name, kind) = (C::NAME, C::KIND);
                self.0.push(Strip { name, kind, parts: Vec::new(), fill: fill::<C> });
            }
        }
    }
    let mut strips = Strips(Vec::new());
    visit_frames(&mut strips);
    for _ in 0..rounds {
        for strip in &mut strips.0 {
            let parts = (strip.fill)(slots, part);
            strip.parts.resize(parts.len(), f64::MAX);
            strip.parts.iter_mut().zip(parts).for_each(|(least, part)| *least = least.min(part));
        }
    }
    strips.0
}

/// Fills a new store once.
fn fill<C: Contender>(slots: usize, part: usize) -> Vec<f64> {
    let mut population =
        Population::<C, PAYLOAD>::growing(slots).expect("keys that name a million objects");
    population.touch_keys();
    let mut longest =
        |_| (0..part).map(|_| population.insert_timed()).max().unwrap_or(Duration::ZERO);
    (0..slots / part).map(|index| longest(index).as_secs_f64() * 1e3).collect()
}

/// Fixed colours on white: the same in a light and in a dark theme.
fn draw(strips: &[Strip]) -> String {
    let height = HEAD + STRIP * strips.len() as f64 + 34.0;
    let bottom = height - 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" role=\"img\" \
         aria-label=\"The longest insertions of stores that grow\">\n\
         <style>text{{font:13px system-ui,sans-serif;fill:#24292f}}.title{{font-size:16px;font-weight:600}}\
         .small{{font-size:12px;fill:#57606a}}.frame{{stroke:#cf222e;stroke-dasharray:3 3}}.base{{stroke:#d0d7de}}\
         .strip{{fill:none;stroke-width:2.5}}.own{{stroke:#0969da}}.peer{{stroke:#bc4c00}}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text class=\"title\" x=\"12\" y=\"24\">A level is loaded: 1,000,000 insertions</text>\n\
         <text class=\"small\" x=\"12\" y=\"44\">The longest of each thousand, least of {ROUNDS} rounds. Dashed: \
         a frame at 60 Hz, 16.7 ms.</text>\
         <text class=\"small\" x=\"12\" y=\"60\">64 bytes each. Pool, PackedPool and Recycler allocate \
         before.</text>\n\
         <text class=\"small\" x=\"{END}\" y=\"60\" text-anchor=\"end\">longest</text>\n"
    );
    for (row, strip) in strips.iter().enumerate() {
        let base = HEAD + (row + 1) as f64 * STRIP;
        let y = |ms: f64| base - ms.min(TOP_MS) / TOP_MS * (STRIP - 4.0);
        let own = strip.kind == Kind::Millpond;
        let (class, weight) = if own { ("own", 600) } else { ("peer", 400) };
        let name = if strip.name == crate::results::REFERENCE { "Pool" } else { strip.name };
        let longest = strip.parts.iter().copied().fold(0.0, f64::max);
        let longest =
            if longest < 0.1 { "&lt; 0.1 ms".to_owned() } else { format!("{longest:.1} ms") };
        let mut stems = String::new();
        for (part, &ms) in strip.parts.iter().enumerate().filter(|(_, ms)| **ms >= 0.1) {
            let x = LEFT + (part as f64 + 0.5) / strip.parts.len() as f64 * (RIGHT - LEFT);
            let _ = write!(stems, "M{x:.1} {base}V{:.1}", y(ms));
        }
        let frame = y(FRAME_MS);
        let _ = writeln!(
            svg,
            "<line class=\"base\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{base}\" y2=\"{base}\"/>\
             <line class=\"frame\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{frame:.1}\" y2=\"{frame:.1}\"/>\
             <path class=\"strip {class}\" d=\"M{LEFT} {base}H{RIGHT}{stems}\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-weight=\"{weight}\">{name}</text>\
             <text x=\"{END}\" y=\"{}\" text-anchor=\"end\" font-weight=\"{weight}\">{longest}</text>",
            LEFT - 10.0,
            base - 8.0,
            base - 8.0,
        );
    }
    for (share, label) in [(0.0, "0"), (0.5, "500,000"), (1.0, "1,000,000 objects")] {
        let x = LEFT + share * (RIGHT - LEFT);
        let _ = writeln!(
            svg,
            "<text class=\"small\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            bottom + 16.0
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_store_has_a_strip_with_its_name() {
        let strips = measure(1_000, 100, 2);
        assert!(strips.iter().all(|strip| strip.parts.len() == 10));
        let svg = draw(&strips);
        assert_eq!(svg.matches("<path class=\"strip ").count(), strips.len());
        for name in ["Pool", "PackedPool", "bitarena", "slotmap", "generational-arena", "slab"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name} is missing");
        }
    }

    #[test]
    fn a_slow_part_has_a_stem_and_others_have_none() {
        let parts = vec![0.01, 10.0];
        let strip = Strip { name: "slab", kind: Kind::Index, parts, fill: |_, _| Vec::new() };
        let svg = draw(&[strip]);
        let path = svg.lines().find(|line| line.contains("<path")).unwrap();
        assert_eq!(path.split("<path").nth(1).unwrap().matches('V').count(), 1);
        assert!(path.contains(">10.0 ms</text>"));
    }
}
