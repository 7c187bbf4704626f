# Mines, a game of Simon Tatham's collection in C, lays out boards that can be solved without a guess (generate.c).

PROGRAM=mines
PLACE=ss_add
FOLLOWED="a pool"
set --

source_of_study() {
    debian_source sgt-puzzles
}

build() {
    # shellcheck disable=SC2086 # no word or one
    (cd "$1" && cc -O2 -g1 $layout -w -I. -o mines "$study/generate.c" mines.c tree234.c random.c misc.c malloc.c nullfe.c -lm)
}

# Both programs lay out the same boards.
tests() {
    "$work/before/$PROGRAM" > "$work/expected"
    "$1/$PROGRAM" > "$work/found"
    cmp "$work/expected" "$work/found"
    echo "$(wc -l < "$work/expected") boards are the same"
}
