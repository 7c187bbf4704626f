# cmark, the reference implementation of CommonMark in C, turns its own specification into HTML, ten times over.

need cmake make
PROGRAM=build/src/cmark
PLACE=make_literal
FOLLOWED="an arena"
set -- "$work/spec.md"

source_of_study() {
    debian_source cmark
}

build() {
    cmake -S "$1" -B "$1/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-g1 $layout" -DCMARK_TESTS=OFF -DCMARK_SHARED=OFF \
        > "$work/build.log" 2>&1
    make -s -C "$1/build" >> "$work/build.log" 2>&1
    for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$1/test/spec.txt"; done > "$work/spec.md"
}

# The examples of the specification.
tests() {
    python3 "$1/test/spec_tests.py" --program "$1/$PROGRAM" --spec "$1/test/spec.txt"
    "$work/before/$PROGRAM" "$work/spec.md" > "$work/expected"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$1/test/spec.txt" > /dev/null
    "$1/$PROGRAM" "$work/spec.md" > "$work/found"
    cmp "$work/expected" "$work/found"
    echo "ten specifications are the same, and valgrind has nothing to say"
}
