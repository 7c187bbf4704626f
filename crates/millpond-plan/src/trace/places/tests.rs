use super::*;
use crate::trace::stacks::CallStacks;

/// Allocations with these stacks: class (its size is its number + 1), stack node, births.
fn allocations(stacks: CallStacks, kinds: &[(u32, u32, u64)]) -> Allocations {
    let classes = kinds.iter().map(|kind| u64::from(kind.0) + 1).max().unwrap_or(0);
    Allocations {
        stacks,
        kinds: kinds
            .iter()
            .map(|&(class, stack, births)| KindCounts { class, stack, births })
            .collect(),
        neighbours: super::super::neighbours::NeighbourCounts::default(),
        sizes: (1..=classes).collect(),
    }
}

/// Stacks of functions of one program: each text is `inner < outer < …`.
fn stacks(of: &[&str]) -> (CallStacks, Vec<u32>) {
    let mut stacks = CallStacks::default();
    stacks.string(b"/home/me/game").expect("a string");
    let mut functions: Vec<&str> = of.iter().flat_map(|stack| stack.split(" < ")).collect();
    functions.sort_unstable();
    functions.dedup();
    for (number, function) in (2..).zip(&functions) {
        stacks.string(function.as_bytes()).expect("a string");
        stacks
            .instruction(format!("{number:x} 1 {number:x} 0 0").as_bytes())
            .expect("an instruction");
    }
    let mut nodes = 0;
    let mut innermost = Vec::new();
    for stack in of {
        let mut parent = 0;
        for function in stack.split(" < ").collect::<Vec<_>>().iter().rev() {
            let at = functions.binary_search(function).expect("is there") + 1;
            stacks.node(format!("{at:x} {parent:x}").as_bytes()).expect("a node");
            nodes += 1;
            parent = nodes;
        }
        innermost.push(parent);
    }
    (stacks, innermost)
}

fn functions(places: &Places, kinds: &[(u32, u32, u64)]) -> Vec<(String, u64)> {
    let births = kinds.iter().map(|kind| kind.2).enumerate();
    places.callers(births).into_iter().map(|c| (c.function, c.allocations)).collect()
}

#[test]
fn the_owner_is_the_innermost_function_that_is_no_wrapper() {
    let mut stacks = CallStacks::default();
    for string in ["/bin/game", "operator new(unsigned long)", "spawn()", "main"] {
        stacks.string(string.as_bytes()).unwrap();
    }
    // spawn() is inlined into main.
    stacks.instruction(b"1000 1 2").unwrap();
    stacks.instruction(b"2000 1 3 0 1 4 0 2").unwrap();
    stacks.instruction(b"3000 1").unwrap();
    // main > operator new, nameless > operator new, operator new, main > nameless.
    for node in ["2 0", "1 1", "3 0", "1 3", "1 0", "3 1"] {
        stacks.node(node.as_bytes()).unwrap();
    }
    let kinds = [(0, 2, 7), (0, 4, 9), (0, 5, 1), (0, 0, 2), (0, 6, 20)];
    let places = allocations(stacks, &kinds).places(&[]);
    let found = functions(&places, &kinds);
    let found: Vec<_> = found.iter().map(|(name, births)| (name.as_str(), *births)).collect();
    assert_eq!(
        found,
        [
            ("(no name) < spawn()", 20),
            ("(no symbols) game", 9),
            ("spawn()", 7),
            ("(no call stack)", 2),
            ("operator new(unsigned long)", 1)
        ]
    );
}

#[test]
fn what_is_written_in_a_standard_library_is_no_owner() {
    let mut stacks = CallStacks::default();
    let strings = ["/usr/bin/game", "grow_one", "spawn", "main", "/lib/libc.so.6", "opendir"];
    for string in strings {
        stacks.string(string.as_bytes()).unwrap();
    }
    stacks.string(b"/rustc/1234/library/alloc/src/raw_vec.rs").unwrap();
    stacks.string(b"/home/me/game/src/main.rs").unwrap();
    // grow_one is inlined into spawn; main calls both opendir and spawn.
    stacks.instruction(b"1000 1 2 7 50 3 8 9").unwrap();
    stacks.instruction(b"2000 1 4 8 1").unwrap();
    stacks.instruction(b"3000 5 6").unwrap();
    for node in ["2 0", "1 1", "3 1"] {
        stacks.node(node.as_bytes()).unwrap();
    }
    let kinds = [(0, 2, 7), (0, 3, 4)];
    let places = allocations(stacks, &kinds).places(&[]);
    let found = functions(&places, &kinds);
    assert_eq!(found, [("spawn".to_owned(), 7), ("main".to_owned(), 4)]);
    let inside: Vec<_> = places.places.iter().map(|place| place.inside.as_deref()).collect();
    assert_eq!(inside, [None, Some("libc")]);
}

#[test]
fn a_function_that_all_calls_pass_through_is_skipped() {
    let (stacks, nodes) = stacks(&[
        "take < take_checked < spawn < main",
        "take < take_checked < load < main",
        "take < take_checked < spawn < main",
        "other < main",
    ]);
    let kinds = [(0, nodes[0], 500), (1, nodes[1], 300), (2, nodes[2], 150), (0, nodes[3], 50)];
    let places = allocations(stacks, &kinds).places(&[]);
    let skipped: Vec<_> = places.wrappers.iter().map(|w| w.function.as_str()).collect();
    assert_eq!(skipped, ["take", "take_checked"]);
    assert_eq!(functions(&places, &kinds)[0], ("spawn".to_owned(), 650));
}

#[test]
fn wrappers_are_peeled_off_layer_by_layer() {
    let (stacks, nodes) = stacks(&[
        "take < checked < spawn < main",
        "take < zeroed < load < main",
        "take < checked < save < main",
    ]);
    let kinds = [(0, nodes[0], 920), (1, nodes[1], 30), (2, nodes[2], 50)];
    let places = allocations(stacks, &kinds).places(&[]);
    let skipped: Vec<_> = places.wrappers.iter().map(|w| w.function.as_str()).collect();
    assert_eq!(skipped, ["take", "checked"]);
    assert_eq!(places.wrappers[0].share, 1.0);
    assert_eq!(functions(&places, &kinds)[0], ("spawn".to_owned(), 920));
    assert_eq!(places.places[0].stack, ["spawn", "main"]);
}

#[test]
fn one_place_that_asks_for_one_size_is_no_wrapper_however_busy() {
    let (stacks, nodes) = stacks(&["spawn < update < main", "spawn < load < main", "load < main"]);
    let kinds = [(0, nodes[0], 900), (0, nodes[1], 99), (1, nodes[2], 1)];
    let places = allocations(stacks, &kinds).places(&[]);
    assert_eq!(places.wrappers, []);
    assert_eq!(functions(&places, &kinds)[0], ("spawn".to_owned(), 999));
}

#[test]
fn allocators_are_skipped_by_name_and_others_by_pattern() {
    let (stacks, nodes) = stacks(&[
        "my_xalloc < a < main",
        "my_xalloc < b < main",
        "my_xalloc < a < main",
        "grab < c < main",
    ]);
    let kinds = [(0, nodes[0], 10), (1, nodes[1], 10), (2, nodes[2], 10), (0, nodes[3], 70)];
    let allocations = allocations(stacks, &kinds);
    let named = |skip: &[Pattern]| functions(&allocations.places(skip), &kinds);
    let pairs = |of: &[(&str, u64)]| -> Vec<(String, u64)> {
        of.iter().map(|(name, births)| ((*name).to_owned(), *births)).collect()
    };
    assert_eq!(named(&[]), pairs(&[("grab", 70), ("a", 20), ("b", 10)]));
    assert_eq!(named(&[Pattern::new("gr*")]), pairs(&[("c", 70), ("a", 20), ("b", 10)]));
}

#[test]
fn what_grows_in_a_place_is_told_from_what_comes_and_goes() {
    let (stacks, nodes) = stacks(&["push < main", "push < main", "other < main"]);
    let kinds = [(0, nodes[0], 9), (7, nodes[1], 9), (3, nodes[2], 9)];
    let mut allocations = allocations(stacks, &kinds);
    allocations.neighbours.extend([((1, 0), 8), ((0, 1), 2), ((1, 2), 50)]);
    let places = allocations.places(&[]);
    assert_eq!((places.places[0].growths, places.places[0].shrinks), (8, 2));
    // What a function grows need not be what it allocated.
    let bytes = |class: usize| allocations.sizes()[class];
    assert!(bytes(7) > bytes(3) && bytes(3) > bytes(0));
    assert_eq!(places.places[0].replaced, (8 + 50, 8 * bytes(0) + 50 * bytes(3)));
}

#[test]
fn a_busy_function_with_one_vector_is_no_wrapper() {
    // `update` asks for sparks in one place and grows a vector in another.
    let mut stacks = CallStacks::default();
    for string in ["/home/me/game", "update", "run", "load", "main"] {
        stacks.string(string.as_bytes()).expect("a string");
    }
    for instruction in ["a 1 2 0 0", "b 1 2 0 0", "c 1 3 0 0", "d 1 4 0 0", "e 1 5 0 0"] {
        stacks.instruction(instruction.as_bytes()).expect("an instruction");
    }
    // main, run < main, load < main; then both places of update below run and load.
    for node in ["5 0", "3 1", "4 1", "1 2", "1 3", "2 2", "2 3"] {
        stacks.node(node.as_bytes()).expect("a node");
    }
    let kinds = [(0, 4, 900), (0, 5, 50), (1, 6, 10), (2, 7, 10), (3, 1, 5)];
    let places = allocations(stacks, &kinds).places(&[]);
    assert_eq!(places.wrappers, []);
    assert_eq!(functions(&places, &kinds)[0], ("update".to_owned(), 970));
}

#[test]
fn the_beginning_of_a_program_is_no_wrapper() {
    for name in ["main", "game::main", "_start", "main(int, char**)"] {
        assert!(is_entry(name), "{name}");
    }
    assert!(!is_entry("domain::load"));
}

/// A program without symbols: all its requests pass through one call of `malloc`, and those for texts also through
/// another call site.
#[test]
fn wrappers_without_names_are_skipped_by_what_they_do() {
    const TEXTS: u32 = 10;
    let mut stacks = CallStacks::default();
    stacks.string(b"/usr/games/server").unwrap();
    let mut nodes = 0;
    let mut stack = |addresses: &[u32]| {
        let mut parent = 0;
        for address in addresses.iter().rev() {
            // Each step is an instruction of its own, because only its address identifies it.
            stacks.instruction(format!("{address:x} 1").as_bytes()).unwrap();
            nodes += 1;
            stacks.node(format!("{nodes:x} {parent:x}").as_bytes()).unwrap();
            parent = nodes;
        }
        parent
    };
    let mut kinds = vec![
        (24, stack(&[0x10, 0x100, 0x900]), 5000),
        (48, stack(&[0x10, 0x101, 0x900]), 3000),
        (24, stack(&[0x10, 0x102, 0x900]), 10),
    ];
    for text in 0..TEXTS {
        kinds.push((text, stack(&[0x10, 0x20, 0x200 + text, 0x900]), 50));
    }
    let places = allocations(stacks, &kinds).places(&[]);
    assert!(places.places.iter().all(|place| place.is_nameless));
    assert_eq!(places.nameless_share, 1.0);
    // Each line of code that allocates is a place; none is a wrapper's, which would have all births or all those of
    // texts.
    let of_kind: HashSet<u32> = places.of_kind.iter().copied().collect();
    assert_eq!(of_kind.len(), kinds.len());
    assert_eq!(functions(&places, &kinds), [("(no symbols) server".to_owned(), 8510)]);
}

/// A stripped library: its own allocator has a name, and so has the function that a program calls; what is between them
/// has none.
#[test]
fn a_function_without_a_name_is_not_told_as_the_one_that_called_it() {
    let mut stacks = CallStacks::default();
    for string in
        ["/home/me/liblua.so", "lua_callk", "my_malloc", "lua_newtable", "/bin/game", "main"]
    {
        stacks.string(string.as_bytes()).expect("a string");
    }
    for instruction in ["a 1 3 0 0", "b 1", "c 1", "d 1 2 0 0", "e 1 4 0 0", "f 5 6 0 0", "9 1"] {
        stacks.instruction(instruction.as_bytes()).expect("an instruction");
    }
    // main; lua_callk and lua_newtable below it; two functions without names below lua_callk, and one more below
    // lua_newtable; all of them through my_malloc and a part of it without a name.
    for node in ["6 0", "4 1", "5 1", "2 2", "3 2", "1 4", "7 6", "1 5", "7 8", "1 3", "7 a"] {
        stacks.node(node.as_bytes()).expect("a node");
    }
    let kinds = [(0, 7, 60), (1, 9, 50), (2, 11, 10), (3, 7, 1)];
    let places = allocations(stacks, &kinds).places(&[]);
    let found = functions(&places, &kinds);
    let found: Vec<_> = found.iter().map(|(name, births)| (name.as_str(), *births)).collect();
    assert_eq!(found, [("(no name) < lua_callk", 111), ("lua_newtable", 10)]);
    assert_eq!(places.places[0].stack, ["(no name)", "lua_callk", "main"]);
    assert_eq!(places.of_kind, [0, 1, 2, 0], "each line of code is a place");
    assert_eq!(places.nameless_share, 111.0 / 121.0);
    let skipped: Vec<_> = places.wrappers.iter().map(|w| w.function.as_str()).collect();
    assert_eq!(skipped, ["my_malloc"]);
}
