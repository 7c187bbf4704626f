# ENet, a library in C that carries the messages of games, in a match of twelve players on a network of memory (match.c). Its source
# comes with the crate enet-sys.

PROGRAM=match
PLACE=enet_peer_queue_outgoing_command
FOLLOWED="a pool"
set --

source_of_study() {
    echo "$(crate_source enet-sys 1.0.5)/vendor/enet"
}

build() {
    parts=
    for part in callbacks compress host list packet peer protocol; do
        parts="$parts $1/$part.c"
    done
    # shellcheck disable=SC2086 # parts are words
    cc -O2 -g1 $layout -DHAS_SOCKLEN_T=1 -I"$1/include" -o "$1/$PROGRAM" "$study/match.c" $parts
}

# Each player has to hear the same messages in the same order.
tests() {
    "$work/before/$PROGRAM" > "$work/expected"
    "$1/$PROGRAM" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" > "$work/found"
    cmp "$work/expected" "$work/found"
    echo "all $(wc -l < "$work/expected") hear the same, and valgrind has nothing to say"
}
