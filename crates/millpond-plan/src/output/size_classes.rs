//! The classes of a `millpond_memory::SizeClasses`, for people and for a Rust program.

use std::fmt::Write;

use super::figures::{bytes, count, number_of};
use super::paint::Paint;
use super::table::Table;
use super::wrap::wrapped;
use crate::plan::SizeClasses;
use crate::trace::Language;

/// A table, and the code that uses it, in the language of the program.
pub fn size_classes_text(
    name: &str,
    found: &SizeClasses,
    language: Language,
    paint: Paint,
) -> String {
    let percent = 100.0 * found.allocations_served as f64 / found.allocations.max(1) as f64;
    let title = format!("Size classes of {}", crate::error::shown(name.as_bytes()));
    let mut text = format!("\n{}\n", paint.strong(&title));
    text += &wrapped(&format!(
        "Requests of up to {} bytes are {} of {} allocations ({percent:.1} %) and take {}. \
         Wasted: the unused share of the slots at the peak.",
        count(found.bytes_max),
        count(found.allocations_served),
        count(found.allocations),
        number_of(found.classes.len() as u64, "size class"),
    ));
    text.push('\n');
    let mut table = Table::new(&[
        "slot bytes",
        "allocations",
        "peak live",
        "slots to reserve",
        "their bytes",
        "wasted",
    ]);
    for class in &found.classes {
        let peak = u64::from(class.peak_live) * class.slot_bytes;
        table.row(vec![
            count(class.slot_bytes),
            count(class.allocations),
            count(class.peak_live.into()),
            count(class.slots.into()),
            bytes(u64::from(class.slots) * class.slot_bytes),
            format!(
                "{:.1} %",
                100.0 * (peak - class.peak_bytes.min(peak)) as f64 / peak.max(1) as f64
            ),
        ]);
    }
    text += &table.render(paint);
    text += "\nFor the program:\n\n";
    text += &match language {
        Language::Rust | Language::Unknown => rust(found),
        Language::Cpp => cpp(found),
        Language::C => c(found),
    };
    if language == Language::C {
        text += &format!("\n{}", wrapped(NO_SIZE_AT_FREE));
    }
    text
}

/// What a program in C has to know of an allocator of size classes.
const NO_SIZE_AT_FREE: &str = "`free` gets no size, and `mp_classes_give` needs the one that was taken. So this is for blocks \
                               whose type, or length, is known where they are freed. Where it is not, take a pool \
                               (`mp_pool`) for each type.";

/// The table of classes, as C and C++ have it.
fn table_of_c(found: &SizeClasses) -> String {
    let mut text = "/* Bytes and slots of each class, by `millpond plan --size-classes`. */\n\
                    static const mp_class slots_by_size[] = {\n"
        .to_owned();
    for class in &found.classes {
        let _ = writeln!(text, "    {{{}, {}}},", class.slot_bytes, class.slots);
    }
    text + "};\n\n"
}

/// The code for C.
fn c(found: &SizeClasses) -> String {
    format!(
        "#include \"millpond.h\"\n\n{}mp_classes *memory;\nmp_classes_create(slots_by_size, {}, MP_CLASSES_GROW, \
         &memory);\n\nvoid *block = mp_classes_take(memory, bytes, 8);\nmp_classes_give(memory, block, bytes, 8);\n",
        table_of_c(found),
        found.classes.len()
    )
}

/// The code for C++.
fn cpp(found: &SizeClasses) -> String {
    let mut text =
        "#include <list>\n#include <memory_resource>\n#include \"millpond_pmr.hpp\"\n\n".to_owned();
    text += &table_of_c(found);
    text += &format!(
        "millpond::size_classes memory(slots_by_size, {}, MP_CLASSES_GROW);\n\
         std::pmr::list<int> numbers(&memory); // each container of std::pmr takes it\n",
        found.classes.len()
    );
    text
}

/// The code that makes the allocator.
fn rust(found: &SizeClasses) -> String {
    let mut text = format!(
        "/// Bytes and slots of each class, by `millpond plan --size-classes`.\n\
         const SIZE_CLASSES: [(usize, usize); {}] = [\n",
        found.classes.len()
    );
    for class in &found.classes {
        let _ = writeln!(text, "    ({}, {}),", class.slot_bytes, class.slots);
    }
    text += "];\n\nlet memory = millpond_memory::SizeClasses::builder().classes(SIZE_CLASSES).build();\n";
    text
}
