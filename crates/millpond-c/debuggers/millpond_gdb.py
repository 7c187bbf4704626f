"""Shows millpond's handles and pools in gdb: `source millpond_gdb.py`.

    (gdb) print bullet
    $1 = 3v7
    (gdb) print bullets
    $2 = 2 of 100 live, at most 5 = {[0v1] = {...}, [3v7] = {...}}
"""

import gdb
import gdb.printing

DEAD = 0x80000000


def handle_text(bits):
    return "none" if bits == 0 else "%dv%d" % (bits >> 32, bits & 0xFFFFFFFF)


class Handle:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return handle_text(int(self.value["bits"]))


class TypedHandle(Handle):
    def to_string(self):
        return handle_text(int(self.value["raw_"]["bits"]))


def pool_text(pool):
    live = int(pool["births_"]) - int(pool["deaths_"])
    return "%d of %d live, at most %d" % (live, int(pool["slots_"]), max(live, int(pool["peak_"])))


def live_slots(pool):
    """The slots that are live, each with its generation."""
    words = pool["words_"].cast(gdb.lookup_type("unsigned int").pointer())
    for index in range(int(pool["slots_"])):
        generation = int(words[index])
        if generation < DEAD:
            yield index, generation


class Pool:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return pool_text(self.value)

    def children(self):
        for name in ("births_", "deaths_", "peak_", "retired_"):
            yield name.rstrip("_"), self.value[name]


class TypedPool:
    """`millpond::pool<T>`, or what `MP_POOL` makes: with its values."""

    def __init__(self, pool, of):
        self.pool = pool
        self.of = of

    def to_string(self):
        return "no pool" if int(self.pool) == 0 else pool_text(self.pool.dereference())

    def children(self):
        if int(self.pool) != 0:
            pool = self.pool.dereference()
            values = pool["values_"].cast(self.of.pointer())
            for index, generation in live_slots(pool):
                yield "[%dv%d]" % (index, generation), values[index]


class TypedPacked:
    """`millpond::packed_pool<T>`: with its values, in their order."""

    def __init__(self, packed, of):
        self.packed = packed.dereference()
        self.of = of

    def to_string(self):
        return pool_text(self.packed["slots_"])

    def children(self):
        words = self.packed["slots_"]["words_"].cast(gdb.lookup_type("unsigned int").pointer())
        values = self.packed["values_"].cast(self.of.pointer())
        for place in range(int(self.packed["count_"])):
            slot = int(self.packed["order_"][place])
            yield "[%dv%d]" % (slot, int(words[slot])), values[place]


class Printers(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("millpond")

    def __call__(self, value):
        type_ = value.type.strip_typedefs()
        name = type_.tag or ""
        if name == "mp_handle":
            return Handle(value)
        if name == "mp_pool":
            return Pool(value)
        if name == "mp_packed":
            return Pool(value["slots_"])
        if name.startswith("millpond::handle<"):
            return TypedHandle(value)
        if name.startswith("millpond::pool<") and name.endswith(">"):
            return TypedPool(value["raw_"], type_.template_argument(0))
        if name.startswith("millpond::packed_pool<") and name.endswith(">"):
            return TypedPacked(value["raw_"], type_.template_argument(0))
        return None


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
