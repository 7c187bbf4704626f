//! Sums by place as JSON. The types are the schema; `tests/tool/json_schema.rs` keeps their names.

use serde::Serialize;

use super::csv::size_is;
use super::{PlaceSums, SumsPlan, Tool};
use crate::error::Failure;
use crate::output::json::{CutJson, Number, json_text};
use crate::pattern::Pattern;
use crate::plan::Headroom;
use crate::reading::ReadingJson;

/// What `plan --json` prints of files of sums.
#[derive(Serialize)]
struct SumsJson<'p> {
    /// The tool's version.
    millpond: &'static str,
    headroom_percent: Number,
    sums: Vec<FileJson<'p>>,
}

#[derive(Serialize)]
struct FileJson<'p> {
    path: &'p str,
    /// `dhat`, `dhat-rs` or `memray`.
    format: &'static str,
    command: &'p str,
    /// Blocks that were requested; `null` if that was not counted.
    created: Option<u64>,
    call_stacks: u64,
    /// What was read of the file, and what was passed over.
    reading: ReadingJson,
    /// The most bytes that were alive at once; `null` if the file is cut short.
    peak_bytes: Option<u64>,
    /// Where the file is cut short, if it is.
    cut: Option<CutJson<'p>>,
    skipped_wrappers: Vec<WrapperJson<'p>>,
    /// Those with most blocks first.
    places: Vec<PlaceJson<'p>>,
}

#[derive(Serialize)]
struct WrapperJson<'p> {
    function: &'p str,
    share_of_calls: Number,
}

#[derive(Serialize)]
struct PlaceJson<'p> {
    function: &'p str,
    /// The function and its callers, the innermost first.
    stack: &'p [String],
    /// The library that allocates here for itself.
    inside: Option<&'p str>,
    call_stacks: u64,
    /// The size of all blocks; `null` if they have several.
    size: Option<u64>,
    /// `counted`; `assumed`, where all sums are multiples of the size, so that only sizes that were mixed in one
    /// proportion throughout would deceive; or `several`.
    size_is: &'static str,
    mean_size: Number,
    /// Blocks that were requested, and their bytes; `null` if that was not counted.
    created: Option<u64>,
    bytes: Option<u64>,
    at_once: AtOnceJson,
    /// Alive on average over the whole run; `null` if it is unknown.
    on_average: Option<Number>,
    /// Alive at the end.
    left: u64,
    /// Slots with the headroom; `null` where it is unknown how many were alive at once, or where they have several sizes.
    reserve: Option<u32>,
    bytes_reserved: Option<u64>,
}

#[derive(Serialize)]
struct AtOnceJson {
    at_least: u64,
    at_most: u64,
    /// Whether `at_most` is the sum of peaks that were counted, and not only what cannot be exceeded.
    is_counted: bool,
}

/// One object with all plans.
///
/// # Errors
/// If it cannot be written.
pub fn json(
    plans: &[SumsPlan],
    headroom: Headroom,
    wanted: Option<&Pattern>,
) -> Result<String, Failure> {
    json_text(&SumsJson {
        millpond: env!("CARGO_PKG_VERSION"),
        headroom_percent: Number(headroom.percent),
        sums: plans.iter().map(|plan| file(plan, wanted)).collect(),
    })
}

fn file<'p>(plan: &'p SumsPlan, wanted: Option<&Pattern>) -> FileJson<'p> {
    let wrapper = |of: &'p crate::trace::Wrapper| WrapperJson {
        function: &of.function,
        share_of_calls: Number(of.share),
    };
    FileJson {
        path: &plan.name,
        format: plan.tool.name(),
        command: &plan.command,
        created: plan.tool.requested(plan.blocks),
        call_stacks: plan.call_stacks,
        reading: ReadingJson::from(&plan.reading),
        peak_bytes: plan.peak_bytes,
        cut: plan.cut.as_ref().map(CutJson::from),
        skipped_wrappers: plan.wrappers.iter().map(wrapper).collect(),
        places: plan.wanted(wanted).into_iter().map(|of| place(of, plan.tool)).collect(),
    }
}

fn place(place: &PlaceSums, tool: Tool) -> PlaceJson<'_> {
    PlaceJson {
        function: &place.function,
        stack: &place.stack,
        inside: place.inside.as_deref(),
        call_stacks: place.stacks,
        size: place.size.bytes(),
        size_is: size_is(place.size),
        mean_size: Number(place.bytes as f64 / place.blocks as f64),
        created: tool.requested(place.blocks),
        bytes: tool.requested(place.bytes),
        at_once: AtOnceJson {
            at_least: place.at_once.least,
            at_most: place.at_once.most,
            is_counted: place.is_counted,
        },
        on_average: place.on_average.map(Number),
        left: place.left,
        reserve: place.reserve,
        bytes_reserved: place.bytes_reserved(),
    }
}
