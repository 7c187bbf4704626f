//! The header and the library agree: offsets, sizes, codes, and every name.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use support::{has, here, library, made, run, strict};

fn header() -> String {
    std::fs::read_to_string(here().join("include/millpond.h")).unwrap()
}

/// The names of functions and variables that the header declares and the library has.
fn declared() -> BTreeSet<String> {
    let header = header();
    let mut names = BTreeSet::new();
    let mut depth = 0_i32;
    for line in header.lines() {
        let is_code = !line.starts_with(['#', ' ', '/', '*', '}']) && depth == 0;
        let is_ours = is_code && !line.starts_with("static") && !line.starts_with("typedef");
        if is_ours
            && !line.starts_with("MP_CHECK_")
            && !line.starts_with("void __asan")
            && !line.starts_with("void __tsan")
        {
            let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let called = words
                .clone()
                .find(|word| word.starts_with("mp_") && line.contains(&format!("{word}(")));
            names.extend(called.map(str::to_owned));
            if line.starts_with("extern char") {
                names.extend(words.clone().find(|word| word.starts_with("mp_")).map(str::to_owned));
            }
        }
        if !line.starts_with('#')
            && !line.trim_end().ends_with('\\')
            && !line.contains("extern \"C\"")
        {
            depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
            depth = depth.max(0);
        }
    }
    names
}

#[test]
fn the_library_has_the_names_of_the_header_and_no_others() {
    let Some(library) = library() else { return };
    let output = run(Command::new("nm").args(["--defined-only", "--extern-only"]).arg(library));
    let symbols = String::from_utf8(output.stdout).unwrap();
    let has: BTreeSet<String> = symbols
        .lines()
        .filter_map(|line| Some(line.split_whitespace().nth(2)?.to_owned()))
        .collect();
    assert_eq!(has, declared());
    assert!(has.len() > 60, "{has:?}");
}

/// What a final link needs of the C library, and of nothing else.
#[test]
fn the_library_needs_the_c_library_only() {
    let Some(library) = library() else { return };
    let output = run(Command::new("nm").arg("--undefined-only").arg(library));
    let needs: BTreeSet<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| Some(line.trim().strip_prefix("U ")?.to_owned()))
        .collect();
    let known = [
        "abort",
        "aligned_alloc",
        "bcmp",
        "calloc",
        "free",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "strlen",
        "write", // the last words
    ];
    let unknown: Vec<_> = needs.iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn offsets_sizes_and_codes_are_the_same_on_both_sides() {
    if library().is_none() || !has("gcc") {
        return;
    }
    // A program that looks up every entry of the library among what the header says.
    let folder = made("header");
    let lister = folder.join("list");
    let list = "#include \"millpond.h\"\n#include <stdio.h>\nint main(void) {\n    const char *name;\n    size_t at = 0, n;\n\
                \x20   while ((name = mp_layout_entry_(at++, &n)) != NULL) {\n        printf(\"%s %zu\\n\", name, n);\n    }\n\
                \x20   return 0;\n}\n";
    let source = folder.join("list.c");
    std::fs::write(&source, list).unwrap();
    run(strict("gcc").arg(&source).arg(library().unwrap()).arg("-o").arg(&lister));
    let said = String::from_utf8(run(&mut Command::new(&lister)).stdout).unwrap();
    assert!(said.lines().count() > 70, "{said}");

    let mut checks = String::from("#include \"millpond.h\"\n#include <stddef.h>\n");
    let mut codes = BTreeSet::new();
    for (at, line) in said.lines().enumerate() {
        let (name, number) = line.rsplit_once(' ').unwrap();
        let expression = if let Some(size) = name.strip_prefix("sizeof ") {
            format!("sizeof({size})")
        } else if name.starts_with("MP_") {
            codes.insert(name.to_owned());
            name.to_owned()
        } else if let Some((of, field)) =
            name.split_once('.').filter(|(of, _)| of.starts_with("mp_"))
        {
            format!("offsetof({of}, {field})")
        } else {
            format!("offsetof(mp_pool, {name})")
        };
        writeln!(checks, "_Static_assert({expression} == {number}, \"{at}: {name}\");").unwrap();
    }
    let source = folder.join("checks.c");
    std::fs::write(&source, checks).unwrap();
    run(strict("gcc").args(["-std=c11", "-fsyntax-only"]).arg(&source));

    // And every code of the header is known to the library.
    let header = header();
    let lines = header.lines().skip_while(|line| !line.starts_with("#define MP_OK"));
    let in_header: BTreeSet<String> = lines
        .take_while(|line| line.starts_with("#define MP_"))
        .filter_map(|line| Some(line.split_whitespace().nth(1)?.to_owned()))
        .collect();
    assert_eq!(in_header, codes);
}

/// The linker drops what the program does not use.
#[test]
fn a_program_that_uses_one_pool_grows_by_82_kib_at_most() {
    let Some(library) = library() else { return };
    let folder = made("size");
    let source = folder.join("one.c");
    let program = "#include \"millpond.h\"\ntypedef struct { int frames; } spark;\nMP_POOL(sparks, spark)\n\
                   int main(int count, char **arguments) {\n    mp_options options = MP_OPTIONS(spark, 100);\n\
                   \x20   mp_pool *pool = NULL;\n    sparks all;\n    sparks_id id;\n    (void)arguments;\n\
                   \x20   if (count < 9 || mp_pool_create(&options, &pool) != MP_OK) {\n        return 0;\n    }\n\
                   \x20   all = sparks_of(pool);\n    sparks_insert(&all, &id);\n    sparks_remove(&all, id);\n\
                   \x20   mp_pool_destroy(pool);\n    return 0;\n}\n";
    let without = "int main(void) { return 0; }\n";
    let bytes_of = |text: &str, name: &str| {
        std::fs::write(&source, text).unwrap();
        let linked = folder.join(name);
        let mut link = strict("gcc");
        link.args(["-O2", "-s", "-Wl,--gc-sections"]).arg(&source).arg(library);
        run(link.arg("-o").arg(&linked));
        run(&mut Command::new(&linked));
        std::fs::metadata(linked).unwrap().len()
    };
    let more = bytes_of(program, "with") - bytes_of(without, "without");
    assert!((20_000..82 << 10).contains(&more), "{more} bytes");
}

/// A reference that is kept while another is made from the head would be a second one to the same pool. So what stands for a
/// pool across calls is an address, and no struct of the library has a field of such a type. (Closures that are passed down
/// are none of the pool's parts.)
#[test]
fn no_struct_keeps_a_reference_to_a_pool_that_can_change_it() {
    let parts = ["Face", "Growth", "Head", "Outside", "Packed", "Slots", "Whole"];
    let keeps = |body: &str| {
        // A marker has nothing.
        body.replace("PhantomData<&", "").split('&').skip(1).any(|reference| {
            let words = reference.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
            let mut words =
                words.filter(|word| !word.is_empty() && !word.starts_with('\'')).take(3);
            words.next() == Some("mut") && words.any(|word| parts.contains(&word))
        })
    };
    assert!(keeps("{ face: &'p mut dyn Face, }") && keeps("(Option<&'a mut Outside>);"));
    assert!(
        !keeps("{ face: NonNull<dyn Face>, pool: &'p Head }")
            && !keeps("(&'f mut dyn FnMut(u64));")
    );
    let mut structs = 0;
    for entry in std::fs::read_dir(here().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code: String = lines.map(|line| format!("{line}\n")).collect();
        for (at, _) in code.match_indices("struct ") {
            let rest = &code[at..];
            // To the end of the struct: its brace at the beginning of a line, or the semicolon of one without names.
            let end = match (rest.find(";\n"), rest.find("{\n")) {
                (Some(end), Some(brace)) if end < brace => end,
                (_, Some(_)) => rest.find("\n}").unwrap(),
                (end, None) => end.unwrap(),
            };
            structs += 1;
            assert!(!keeps(&rest[..end]), "{}: {}", path.display(), &rest[..end]);
        }
    }
    assert!(structs > 30, "{structs} structs were looked at");
}

/// The layout that was recorded last, and the members that it has.
const RECORDED: (u32, [(&str, &str); 2]) = (
    9,
    [
        (
            "mp_pool",
            "void *private_[5]; ptrdiff_t quick_top_; uint32_t slow_from_minus_1_; uint32_t value_bytes, value_align; \
             uint16_t kind_; uint16_t slow_; uint32_t used_, start_; uint32_t peak_, retired_; \
             size_t slot_bytes_, slot_align_; void *entries_; size_t entry_count_; size_t bit_words_; mp_bits_ *bits_; \
             bool is_lent_; uint32_t age_lower_, age_upper_; size_t slots_; unsigned char *values_; void *words_; \
             uint64_t inserted_, removed_; uint32_t fast_below_, slow_from_; ptrdiff_t stack_top_; \
             uint32_t fresh_from_, fresh_until_;",
        ),
        (
            "mp_packed",
            "void *private_[3]; void *aids_; unsigned char *values_; mp_handle *handles_; size_t count_; \
             uint32_t value_bytes, value_align; mp_pool slots_;",
        ),
    ],
);

/// A program that was built with other members has their old meaning in its inline functions, even if all offsets are the
/// same: the library knows it by the number of the layout.
#[test]
fn other_members_are_another_layout() {
    let header = header();
    let (recorded, structs) = RECORDED;
    for (name, members) in structs {
        let (_, rest) = header.split_once(&format!("typedef struct {name} {{")).unwrap();
        let (body, _) = rest.split_once(&format!("}} {name};")).unwrap();
        let mut code = String::new();
        for part in body.split("/*") {
            code += part.rsplit("*/").next().unwrap();
            code += " ";
        }
        let found = code.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            found, members,
            "count `MP_LAYOUT_` and `LAYOUT` up, and record the members of {name}"
        );
    }
    assert!(header.contains(&format!("#define MP_LAYOUT_ {recorded}u\n")));
}
