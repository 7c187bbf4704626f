"""A file of JSON: 300 orders of 8 to 24 things, always the same."""
import json

print(json.dumps([
    {
        "id": n,
        "things": [{"id": n * 31 + k, "name": f"item {k}", "price": k * 1.5, "tags": [f"t{k % 7}", "x"]}
                   for k in range(8 + n % 17)],
    }
    for n in range(300)
]))
