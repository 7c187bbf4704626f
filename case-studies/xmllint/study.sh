# xmllint reads a document of 8,000 items and writes it out again; libxml2 has its nodes and texts in an arena (arena.c).

PROGRAM=xmllint
FOLLOWED="an arena"
# libxml2 takes functions for its memory, so the arena is a library that is loaded before the program.
LIBRARY=$work/libarena.so
cc -O2 -shared -fPIC "$study/arena.c" -o "$LIBRARY"

python3 -c '
items = "".join(f"<item id=\"{i}\"><name>item {i}</name><tag>a</tag><tag>{i}</tag></item>" for i in range(8000))
print(f"<items>{items}</items>")
' > "$work/data.xml"
set -- "$work/data.xml"
