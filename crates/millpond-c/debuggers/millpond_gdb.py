"""Shows millpond's handles and pools in gdb: `source millpond_gdb.py`.

    (gdb) print bullet
    $1 = 3v7
    (gdb) print bullets
    $2 = 2 of 100 live, at most 5 = {[0v1] = {...}, [3v7] = {...}}

Pools in C, of the types that `MP_POOL` and `MP_PACKED` make, have their values if the program contains one of the
functions that return them (`sparks_next_run`, …); handles of four bytes are shown as numbers.
"""

import gdb
import gdb.printing

DEAD = 0x80000000


def fields_of(type_):
    return [field.name for field in type_.fields()] if type_.code == gdb.TYPE_CODE_STRUCT else []


def pool_of_use(name):
    """What `MP_POOL(name, T)` or `MP_PACKED(name, T)` points to, "mp_pool" or "mp_packed"; otherwise nothing."""
    try:
        use = gdb.lookup_type(name).strip_typedefs()
    except gdb.error:
        return None
    if fields_of(use) != ["pool"]:
        return None
    pool = use.fields()[0].type
    if pool.code != gdb.TYPE_CODE_PTR:
        return None
    name = pool.target().strip_typedefs().tag
    return name if name in ("mp_pool", "mp_packed") else None


def value_type_of_use(name):
    """The values' type, as a function of the use returns it; nothing if the program has none of them."""
    for function in ("_next_run", "_next", "_get", "_insert", "_values"):
        symbol = gdb.lookup_static_symbol(name + function) or gdb.lookup_global_symbol(name + function)
        if symbol is not None:
            return symbol.type.target().target()
    return None


def handle_text(bits):
    return "none" if bits == 0 else "%dv%d" % (bits >> 32, bits & 0xFFFFFFFF)


class Handle:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return handle_text(int(self.value["bits"]))


class Summary:
    """A pool whose values' type is not known."""

    def __init__(self, text):
        self.text = text

    def to_string(self):
        return self.text


def use(value, name, kind):
    """What `MP_POOL(name, T)` or `MP_PACKED(name, T)` makes."""
    pointer = value["pool"]
    if int(pointer) == 0:
        return Summary("no pool")
    of = value_type_of_use(name)
    if of is not None:
        return TypedPacked(pointer, of) if kind == "mp_packed" else TypedPool(pointer, of)
    return Summary(pool_text(pointer["slots_"] if kind == "mp_packed" else pointer.dereference()))


class TypedHandle(Handle):
    def to_string(self):
        return handle_text(int(self.value["raw_"]["bits"]))


def pool_text(pool):
    live = int(pool["inserted_"]) - int(pool["removed_"])
    return "%d of %d live, at most %d" % (live, int(pool["slots_"]), max(live, int(pool["peak_"])))


def live_slots(pool):
    """The slots that are live, each with its generation."""
    words = pool["words_"].cast(gdb.lookup_type("unsigned int").pointer())
    for index in range(int(pool["slots_"])):
        generation = int(words[index])
        if 0 < generation < DEAD:
            yield index, generation


class Pool:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return pool_text(self.value)

    def children(self):
        for name in ("inserted_", "removed_", "peak_", "retired_"):
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
        if name.endswith("_id") and fields_of(type_) == ["bits"] and type_.sizeof == 8 and pool_of_use(name[:-3]):
            return Handle(value)
        if fields_of(type_) == ["pool"] and pool_of_use(name):
            return use(value, name, pool_of_use(name))
        return None


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
