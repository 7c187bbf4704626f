# An interpreter of Lisp in Rust, with a script that sorts lists.

PROGRAM=target/release/rust_lisp
# The flags of a layout are for C.
LAYOUTS=
FOLLOWED="for this place"
# The program is given as an argument, in one line, without comments.
set -- "$(sed 's/;.*//' "$study/bench.lisp" | tr '\n' ' ')"

source_of_study() {
    crate_source rust_lisp 0.18.0
}

build() {
    # A workspace of its own, with line numbers for the plan.
    printf '\n[workspace]\n\n[profile.release]\ndebug = "line-tables-only"\n' >> "$1/Cargo.toml"
    (cd "$1" && cargo build --release --quiet) > "$work/build.log" 2>&1
}

tests() {
    (cd "$1" && cargo test --quiet > "$work/tests.log" 2>&1)
    sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$work/tests.log" \
        | awk '{ passed += $1 } END { print "All " passed " tests passed." }'
    expected=$("$work/before/$PROGRAM" "$(sed 's/;.*//' "$study/bench.lisp" | tr '\n' ' ')")
    found=$("$1/$PROGRAM" "$(sed 's/;.*//' "$study/bench.lisp" | tr '\n' ' ')")
    [ "$expected" = "$found" ] && [ -n "$found" ]
}
