# jsonnetfmt formats a file of 3,000 objects, with the tokens of its lexer in an arena (arena.c).

PROGRAM=jsonnetfmt
FOLLOWED="an arena"
LIBRARY=$work/libarena.so
command -v jsonnetfmt > /dev/null || { echo "run: jsonnet is not installed (apt-get install jsonnet)" >&2; exit 2; }
cc -O2 -shared -fPIC "$study/arena.c" -o "$LIBRARY"

python3 -c '
print("[")
for i in range(3000):
    print(f"  {{ kind: \"imp\", at: [{i}, {i}+1], name: \"e%d\" % {i}, f(x):: x * {i} }},")
print("]")
' > "$work/data.jsonnet"
# A longer name would be copied into each tree, to a block of its own: see README.md.
set -- data.jsonnet
