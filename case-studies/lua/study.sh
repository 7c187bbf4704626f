# The interpreter of Lua, with a script that makes points, closures and texts.

PROGRAM=src/lua
FOLLOWED="one pool"
set -- "$study/bench.lua"

source_of_study() {
    debian_source lua5.4
}

build() {
    make -s -C "$1/src" linux CFLAGS="-O2 -g1 $layout -DLUA_COMPAT_5_3" > "$work/build.log" 2>&1
}

# The archive has no tests: both programs have to say the same to a script that goes through most of the library.
tests() {
    "$work/before/$PROGRAM" "$study/check.lua" > "$work/expected"
    "$1/$PROGRAM" "$study/check.lua" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$study/check.lua" > "$work/found"
    echo "$(wc -l < "$work/expected") lines of check.lua agree, and valgrind has nothing to say"
}
