"""A file of JSON: 1,500 small objects, always the same."""
import json

print(json.dumps([
    {"id": n, "name": f"item {n}", "tags": [f"t{n % 7}", "x"], "pos": {"x": n * 1.5, "y": -n, "z": 0}, "ok": n % 2 == 0}
    for n in range(1500)
]))
