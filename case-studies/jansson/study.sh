# Jansson, a library for JSON in C, reads and writes a map: ways of a few hundred points each (reformat.c).

PROGRAM=reformat
PLACE=json_array
FOLLOWED="an arena"
awk 'BEGIN {
    printf "["
    for (way = 0; way < 120; way++) {
        printf "%s{\"id\": %d, \"name\": \"way %d\", \"tags\": {\"highway\": \"path\", \"lanes\": %d}, \"points\": [", way ? "," : "", way * 7919, way, way % 3
        for (at = 0; at < 300; at++)
            printf "%s[%.6f, %.6f]", at ? "," : "", 52 + way / 97 + at / 3571, 13 + way / 89 + at / 2897
        printf "]}"
    }
    print "]"
}' > "$work/ways.json"
set -- "$work/ways.json"

# What Jansson's own build finds on Linux.
options="-DINITIAL_HASHTABLE_ORDER=3"
for has in STDINT_H UNISTD_H FCNTL_H SYS_TIME_H SYS_TYPES_H GETTIMEOFDAY GETPID OPEN READ CLOSE LOCALECONV ATOMIC_BUILTINS; do
    options="$options -DHAVE_$has=1"
done

source_of_study() {
    debian_source jansson
}

build() {
    sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/1/' \
        -e 's/@json_have_atomic_builtins@/1/' -e 's/@json_have_sync_builtins@/1/' \
        "$1/src/jansson_config.h.in" > "$1/src/jansson_config.h"
    echo '/* The compiler is told what Linux has. */' > "$1/src/jansson_private_config.h"
    # shellcheck disable=SC2086 # options are words
    cc -O2 -g1 $layout $options -I"$1/src" -o "$1/$PROGRAM" "$study/reformat.c" "$1"/src/*.c -lm
}

# Jansson's own tests of its interface, and both programs have to write the same.
tests() {
    for test in "$1"/test/suites/api/test_*.c; do
        suite=$(basename "$test" .c)
        [ "$suite" = test_cpp ] && continue
        # shellcheck disable=SC2086 # options are words
        cc -O1 $options -I"$1/src" -o "$1/$suite" "$test" "$1"/src/*.c -lm
        (cd "$1/test/suites/api" && "$1/$suite" > /dev/null)
    done
    "$work/before/$PROGRAM" "$work/ways.json" > "$work/expected"
    "$1/$PROGRAM" "$work/ways.json" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$work/ways.json" > "$work/found"
    echo "Jansson's tests of its interface hold, both write the same, and valgrind has nothing to say"
}
