"""Shows millpond's handles and pools in gdb: `source millpond_gdb.py`.

    (gdb) print bullet
    $1 = 3v7
    (gdb) print bullets
    $2 = 2 of 100 live, at most 5 = {[0v1] = {...}, [3v7] = {...}}

Pools in C, of the types that `MP_POOL` and `MP_PACKED` make, have their values if the program contains one of the
functions that return them (`sparks_next_run`, …); handles of four bytes are shown as numbers. The pools of
millpond_small.hpp, `mps::pool<T>` and its kin, are shown as those of millpond.hpp.

The slots of a pool with a name begin at a generation of its own, which is large: such handles are shown with the lifetime
that they name, `0v1672015165`, and their pool with the generation at which it begins.
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


def counts_text(live, slots, peak, start):
    """`start` is the first generation, which is 1 unless the pool has a name."""
    text = "%d of %d live, at most %d" % (live, slots, max(live, peak))
    return text if start == 1 else text + ", generations from %d" % start


def pool_text(pool):
    live = int(pool["inserted_"]) - int(pool["removed_"])
    return counts_text(live, int(pool["slots_"]), int(pool["peak_"]), int(pool["start_"]))


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
        values = self.packed["values_"].cast(self.of.pointer())
        for place in range(int(self.packed["count_"])):
            bits = int(self.packed["handles_"][place]["bits"])
            yield "[%dv%d]" % (bits >> 32, bits & 0xFFFFFFFF), values[place]


class GrowingPool:
    """`millpond::growing_pool<T>`: with its objects, by the chunk and the place in it."""

    LIVE = 1

    def __init__(self, value, of):
        self.value = value
        self.of = of

    def to_string(self):
        return "%d of %d live, in %d chunks" % tuple(int(self.value[name]) for name in ("size_", "slots_", "chunk_count_"))

    def children(self):
        chunk, number = self.value["chunks_"], 0
        byte = gdb.lookup_type("unsigned char").pointer()
        pointer = gdb.lookup_type("void").pointer().sizeof
        align = max(self.of.alignof, pointer)
        stride = max(self.of.sizeof, -(-pointer // self.of.alignof) * self.of.alignof)
        while int(chunk) != 0:
            slots = int(chunk["slots"])
            memory = chunk.cast(byte) + -(-chunk.dereference().type.sizeof // align) * align
            for slot in range(slots):
                if int(memory[slots * stride + slot]) == self.LIVE:
                    yield "[%d.%d]" % (number, slot), (memory + slot * stride).cast(self.of.pointer()).dereference()
            chunk, number = chunk["next"], number + 1


class SmallPool:
    """`mps::pool<T>`, `mps::growing_pool<T>`: with their values, in the order of their slots."""

    def __init__(self, value, of):
        self.value = value
        self.slots = value["slots_of_"]
        self.of = of

    def live(self):
        freed = int(self.slots["counts"]) & 0xFFFFFFFF
        taken, *free = (int(self.slots[name]) for name in ("used", "filled", "retired", "absent"))
        return taken - freed - sum(free)

    def to_string(self):
        slots = self.slots
        live = self.live()
        text = counts_text(live, int(slots["count"]), int(slots["used"]), int(slots["start"]))
        return text if int(slots["name"]) == 0 else '"%s": %s' % (slots["name"].string(), text)

    def place(self, slot):
        return self.value["values_"] + slot

    def children(self):
        words = self.slots["words"]
        for slot in range(int(self.slots["used"])):
            word = int(words[slot])
            if word < DEAD:
                yield "[%dv%d]" % (slot, word), self.place(slot).dereference()


class SmallGrowingPool(SmallPool):
    def place(self, slot):
        chunk = 64
        while chunk * 2 * self.of.sizeof <= 16384 and chunk < 4096:
            chunk *= 2
        return self.value["values_"][slot // chunk] + slot % chunk


class SmallPackedPool(SmallPool):
    """`mps::packed_pool<T>`: with its values, in their order."""

    def children(self):
        for place in range(self.live()):
            yield "[%s]" % handle_text(int(self.value["owners_"][place])), self.place(place).dereference()


# Of pools in C++: what shows a value of the type with this template argument.
OF_TEMPLATES = {
    "millpond::pool": lambda value, of: TypedPool(value["raw_"], of),
    "millpond::vec_pool": lambda value, of: TypedPool(value["raw_"], of),
    "millpond::packed_pool": lambda value, of: TypedPacked(value["raw_"], of),
    "millpond::growing_pool": GrowingPool,
    "mps::pool": SmallPool,
    "mps::growing_pool": SmallGrowingPool,
    "mps::packed_pool": SmallPackedPool,
}


class SmallHandle(Handle):
    def to_string(self):
        return handle_text(int(self.value["bits_"]))


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
        if name.startswith("mps::handle<"):
            return SmallHandle(value)
        if name.split("<")[0] in OF_TEMPLATES and name.endswith(">"):
            return OF_TEMPLATES[name.split("<")[0]](value, type_.template_argument(0))
        if name.endswith("_id") and fields_of(type_) == ["bits"] and type_.sizeof == 8 and pool_of_use(name[:-3]):
            return Handle(value)
        if fields_of(type_) == ["pool"] and pool_of_use(name):
            return use(value, name, pool_of_use(name))
        return None


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
