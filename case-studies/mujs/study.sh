# MuJS, an interpreter of JavaScript in C, with a script that makes objects, arrays, closures and texts.

PROGRAM=mujs
PLACE=newproperty
FOLLOWED="a pool"
set -- "$study/bench.js"

source_of_study() {
    debian_source mujs
}

build() {
    # shellcheck disable=SC2086 # no word or one
    cc -O2 -g1 $layout -std=c99 -o "$1/mujs" "$1/one.c" "$1/main.c" -lm
}

# The archive has no tests: both programs have to say the same to a script that goes through most of the library.
tests() {
    "$work/before/$PROGRAM" "$study/check.js" > "$work/expected"
    "$1/$PROGRAM" "$study/check.js" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$study/check.js" > "$work/found"
    echo "$(wc -l < "$work/expected") lines of check.js agree, and valgrind has nothing to say"
}
