# GNU bc, a calculator of any precision in C, with a script that draws and counts (bench.bc).

need make
PROGRAM=bc/bc
FOLLOWED="one pool"
set -- -q "$study/bench.bc"

source_of_study() {
    debian_source bc
}

build() {
    (cd "$1" && ./configure CFLAGS="-O2 -g1 $layout" && make -s -C lib && make -s -C bc) > "$work/build.log" 2>&1
}

# The archive's tests have no results: both programs have to say the same to them.
tests() {
    for test in exp ln sine atan jn div mul raise sqrt array aryprm fact; do
        echo halt | "$work/before/$PROGRAM" -l "$1/Test/$test.b"
    done > "$work/expected" 2>&1
    for test in exp ln sine atan jn div mul raise sqrt array aryprm fact; do
        echo halt | valgrind -q --error-exitcode=1 "$1/$PROGRAM" -l "$1/Test/$test.b"
    done > "$work/found" 2>&1
    cmp "$work/expected" "$work/found"
    "$work/before/$PROGRAM" -q "$study/bench.bc" < /dev/null > "$work/expected-bench"
    "$1/$PROGRAM" -q "$study/bench.bc" < /dev/null | cmp "$work/expected-bench" -
    echo "both say the same $(wc -l < "$work/expected") lines to twelve tests of the archive, and valgrind has nothing to say"
}
