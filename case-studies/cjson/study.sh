# cJSON, a library of C, prints the 300 objects of a list as texts (print.c).

PROGRAM=print
FOLLOWED="reserving the final size"
set -- "$work/orders.json" 20

source_of_study() {
    debian_source cjson
}

build() {
    python3 "$study/orders.py" > "$work/orders.json"
    # shellcheck disable=SC2086 # no word or one
    (cd "$1" && cc -O2 -g1 $layout -I. cJSON.c "$study/print.c" -o "$PROGRAM")
}

# The archive's own tests, and the same texts from both programs.
tests() {
    (cd "$1" && cc -O2 -I. cJSON.c test.c -o own-test && ./own-test > /dev/null)
    "$work/before/$PROGRAM" "$work/orders.json" > "$work/expected"
    "$1/$PROGRAM" "$work/orders.json" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$work/orders.json" > "$work/found"
    echo "$(cat "$work/found"), as before, and valgrind has nothing to say"
}
