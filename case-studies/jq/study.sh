# jq, a JSON processor, reads 4,000 objects and writes a part of each; on mimalloc instead of the system's allocator.

PROGRAM=jq
FOLLOWED="mimalloc:"
# The library of Debian's package, wherever it is.
LIBRARY=$(ls /usr/lib/*/libmimalloc.so.2* 2> /dev/null | head -n 1)
[ -n "$LIBRARY" ] || { echo "run: mimalloc is not installed (apt-get install libmimalloc2.0)" >&2; exit 2; }

python3 -c '
import json
rows = [{"id": i, "name": f"item {i}", "tags": ["a", "b", str(i)], "at": {"x": i, "y": -i}} for i in range(4000)]
print(json.dumps(rows))
' > "$work/data.json"
set -- -c ".[]|{id,name:.name,n:(.tags|length)}" "$work/data.json"
