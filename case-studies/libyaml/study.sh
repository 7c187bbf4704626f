# libyaml, a library for YAML in C, reads sixty documents of some rows each, and writes them again (reformat.c).

PROGRAM=reformat
PLACE=yaml_parser_scan_plain_scalar
FOLLOWED="a pool"
awk 'BEGIN {
    for (document = 0; document < 60; document++) {
        print "---"
        for (item = 0; item < 60; item++) {
            printf "- id: %d\n  name: item %d of %d\n", item * 7919, item, document
            printf "  at: [%d, %d]\n  tags: {kind: path, lanes: %d}\n", item * 31 % 97, document * 17 % 89, item % 3
        }
    }
}' > "$work/items.yaml"
set -- "$work/items.yaml"

# What libyaml's own build says of its version.
options="-DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING=\"0.2.5\""

source_of_study() {
    debian_source libyaml
}

build() {
    # shellcheck disable=SC2086 # options are words
    cc -O2 -g1 -w $layout $options -I"$1/include" -I"$1/src" -o "$1/$PROGRAM" "$study/reformat.c" "$1"/src/*.c
}

# libyaml's own tests of its reader, its examples through its scanner, parser, loader and both writers, and both programs
# have to write the same.
tests() {
    for test in test-version test-reader run-scanner run-parser run-loader run-emitter run-dumper; do
        # shellcheck disable=SC2086 # options are words
        cc -O1 -w $options -I"$1/include" -I"$1/src" -o "$1/$test" "$1/tests/$test.c" "$1"/src/*.c
    done
    "$1/test-version" > /dev/null
    "$1/test-reader" > /dev/null
    for test in run-scanner run-parser run-loader run-emitter run-dumper; do
        if "$1/$test" "$1"/examples/*.yaml | grep -q FAILURE; then
            echo "libyaml: $test failed" >&2
            return 1
        fi
    done
    "$work/before/$PROGRAM" "$work/items.yaml" > "$work/expected"
    "$1/$PROGRAM" "$work/items.yaml" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$work/items.yaml" > "$work/found"
    echo "libyaml's tests hold, both write the same, and valgrind has nothing to say"
}
