# HTML Tidy's library (Debian's libtidy-dev), which takes its memory from functions that a program gives it, cleans a page with
# many faults (source/clean.c). The pool is in the program; the library is as it is.

need /usr/include/tidy/tidy.h
PROGRAM=clean
PLACE="(no name) < prvTidytidyMessageCreateWithNode"
FOLLOWED="a pool"
awk 'BEGIN {
    print "<html><body>"
    for (part = 0; part < 3000; part++)
        printf "<div class=a%d><p>Text <b>%d<i>x</b></i> <a href=\"#%d\">link</a><table><tr><td>%d</table></div>\n", part, part, part, part
}' > "$work/page.html"
set -- "$work/page.html"

source_of_study() {
    echo "$study/source"
}

build() {
    # shellcheck disable=SC2086 # no word or one
    cc -O2 -g1 $layout -I/usr/include/tidy -o "$1/$PROGRAM" "$1/clean.c" -ltidy
}

# Both write the same page and the same messages.
tests() {
    "$work/before/$PROGRAM" "$work/page.html" > "$work/expected"
    "$1/$PROGRAM" "$work/page.html" > "$work/found"
    cmp "$work/expected" "$work/found"
    valgrind -q --error-exitcode=1 "$1/$PROGRAM" "$work/page.html" > "$work/found"
    echo "both write the same $(wc -l < "$work/expected") lines, and valgrind has nothing to say"
}
