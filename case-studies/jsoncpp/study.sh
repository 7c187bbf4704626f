# jsoncpp's own test program, which reads a file of JSON and writes it out again.

PROGRAM=test-runner
FOLLOWED="for this place"
# One build: gcc 12 does not link C++ with gaps before its functions.
LAYOUTS=
set -- "$work/orders.json"

source_of_study() {
    debian_source libjsoncpp
}

build() {
    python3 "$study/orders.py" > "$work/orders.json"
    # shellcheck disable=SC2086 # no word or one
    (cd "$1" && c++ -O2 -g1 $layout -Iinclude src/lib_json/*.cpp src/jsontestrunner/main.cpp -o "$PROGRAM")
}

tests() {
    (cd "$1/test" && python3 runjsontests.py "$1/$PROGRAM" 2> "$work/tests.log" | tail -n 1)
}
