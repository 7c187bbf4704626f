"""Shows millpond's handles and pools in lldb: `command script import millpond_lldb.py`.

    (lldb) frame variable bullet
    (millpond::handle<Bullet>) bullet = 3v7
    (lldb) frame variable bullets
    (millpond::pool<Bullet>) bullets = 2 of 100 live, at most 5 {
      [0v1] = (...)
      [3v7] = (...)
    }

Pools in C, of the types that `MP_POOL` and `MP_PACKED` make, after `millpond_pool` with their names:

    (lldb) millpond_pool sparks
    (lldb) frame variable all
    (sparks) all = 2 of 100 live, at most 5

The pools of millpond_small.hpp, `mps::pool<T>` and its kin, are shown as those of millpond.hpp. The slots of a pool with a
name begin at a generation of its own, which is large: the pool is shown with it.
"""

import lldb

DEAD = 0x80000000


def number(value, *path):
    for name in path:
        value = value.GetChildMemberWithName(name)
    return value.GetValueAsUnsigned()


def handle_text(bits):
    return "none" if bits == 0 else "%dv%d" % (bits >> 32, bits & 0xFFFFFFFF)


def counts_text(live, slots, peak, start):
    """`start` is the first generation, which is 1 unless the pool has a name."""
    text = "%d of %d live, at most %d" % (live, slots, max(live, peak))
    return text if start == 1 else text + ", generations from %d" % start


def pool_text(pool):
    live = number(pool, "inserted_") - number(pool, "removed_")
    return counts_text(live, number(pool, "slots_"), number(pool, "peak_"), number(pool, "start_"))


def handle_summary(value, _):
    return handle_text(number(value.GetNonSyntheticValue(), "bits"))


def typed_handle_summary(value, _):
    return handle_text(number(value.GetNonSyntheticValue(), "raw_", "bits"))


def pool_summary(value, _):
    return pool_text(value.GetNonSyntheticValue())


def typed_pool_summary(value, _):
    pool = value.GetNonSyntheticValue().GetChildMemberWithName("raw_")
    return "no pool" if pool.GetValueAsUnsigned() == 0 else pool_text(pool.Dereference())


def packed_summary(value, _):
    return pool_text(value.GetNonSyntheticValue().GetChildMemberWithName("slots_"))


def typed_packed_summary(value, _):
    return packed_summary(value.GetNonSyntheticValue().GetChildMemberWithName("raw_").Dereference(), _)


class LiveValues:
    """The children of a `millpond::pool<T>`: its live values, by their handles."""

    def __init__(self, value, _):
        self.value = value
        self.live = []

    def update(self):
        self.live = []
        pointer = self.value.GetChildMemberWithName("raw_")
        if pointer.GetValueAsUnsigned() == 0:
            return
        pool = pointer.Dereference()
        self.of = self.value.GetType().GetTemplateArgumentType(0)
        self.values = number(pool, "values_")
        word = self.value.GetTarget().GetBasicType(lldb.eBasicTypeUnsignedInt)
        slots = number(pool, "slots_")
        if slots == 0:
            return
        words = self.value.CreateValueFromAddress("words", number(pool, "words_"), word.GetArrayType(slots))
        read = words.GetData()
        error = lldb.SBError()
        for index in range(slots):
            generation = read.GetUnsignedInt32(error, index * 4)
            if error.Success() and 0 < generation < DEAD:
                self.live.append((index, generation))

    def num_children(self):
        return len(self.live)

    def get_child_index(self, name):
        names = ["[%dv%d]" % slot for slot in self.live]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, at):
        index, generation = self.live[at]
        place = self.values + index * self.of.GetByteSize()
        return self.value.CreateValueFromAddress("[%dv%d]" % (index, generation), place, self.of)


class PackedValues:
    """The children of a `millpond::packed_pool<T>`: its values in their order, by their handles."""

    def __init__(self, value, _):
        self.value = value
        self.handles = []

    def numbers(self, start, count):
        """So many numbers of 32 bits."""
        word = self.value.GetTarget().GetBasicType(lldb.eBasicTypeUnsignedInt)
        if start == 0 or count == 0:
            return []
        read = self.value.CreateValueFromAddress("numbers", start, word.GetArrayType(count)).GetData()
        error = lldb.SBError()
        return [read.GetUnsignedInt32(error, at * 4) for at in range(count)]

    def update(self):
        packed = self.value.GetChildMemberWithName("raw_").Dereference()
        self.of = self.value.GetType().GetTemplateArgumentType(0)
        self.values = number(packed, "values_")
        halves = self.numbers(number(packed, "handles_"), 2 * number(packed, "count_"))
        self.handles = ["[%dv%d]" % (slot, generation) for generation, slot in zip(halves[::2], halves[1::2])]

    def num_children(self):
        return len(self.handles)

    def get_child_index(self, name):
        return self.handles.index(name) if name in self.handles else -1

    def get_child_at_index(self, at):
        place = self.values + at * self.of.GetByteSize()
        return self.value.CreateValueFromAddress(self.handles[at], place, self.of)


def growing_pool_summary(value, _):
    value = value.GetNonSyntheticValue()
    return "%d of %d live, in %d chunks" % tuple(number(value, name) for name in ("size_", "slots_", "chunk_count_"))


class Shown:
    """Children that `found` lists as their names and addresses."""

    def __init__(self, value, _):
        self.value = value
        self.children = []

    def numbers(self, start, count, bits):
        """So many numbers of 8, 32 or 64 bits."""
        basic = {8: lldb.eBasicTypeUnsignedChar, 32: lldb.eBasicTypeUnsignedInt, 64: lldb.eBasicTypeUnsignedLongLong}[bits]
        if start == 0 or count == 0:
            return []
        type_ = self.value.GetTarget().GetBasicType(basic).GetArrayType(count)
        read, error = self.value.CreateValueFromAddress("numbers", start, type_).GetData(), lldb.SBError()
        get = {8: read.GetUnsignedInt8, 32: read.GetUnsignedInt32, 64: read.GetUnsignedInt64}[bits]
        return [get(error, at * bits // 8) for at in range(count)]

    def update(self):
        self.of = self.value.GetType().GetTemplateArgumentType(0)
        self.children = list(self.found())

    def num_children(self):
        return len(self.children)

    def get_child_index(self, name):
        names = [child[0] for child in self.children]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, at):
        name, address = self.children[at]
        return self.value.CreateValueFromAddress(name, address, self.of)


class GrowingObjects(Shown):
    """The objects of a `millpond::growing_pool<T>`, by the chunk and the place in it."""

    def found(self):
        pointer = self.value.GetTarget().GetAddressByteSize()
        align = self.of.GetByteAlign() if hasattr(self.of, "GetByteAlign") else pointer
        chunk, chunks = self.value.GetChildMemberWithName("chunks_"), 0
        while chunk.GetValueAsUnsigned() != 0:
            slots = number(chunk, "slots")
            stride = max(self.of.GetByteSize(), -(-pointer // align) * align)
            memory = chunk.GetValueAsUnsigned() + -(-2 * pointer // max(align, pointer)) * max(align, pointer)
            for slot, state in enumerate(self.numbers(memory + slots * stride, slots, 8)):
                if state == 1:
                    yield "[%d.%d]" % (chunks, slot), memory + slot * stride
            chunk, chunks = chunk.GetChildMemberWithName("next"), chunks + 1


def small_slots(value):
    """The slots of a pool of millpond_small.hpp, which may be in its base."""
    value = value.GetNonSyntheticValue()
    slots = value.GetChildMemberWithName("slots_of_")
    return slots if slots.IsValid() else value.GetChildAtIndex(0).GetChildMemberWithName("slots_of_")


def small_live(slots):
    freed = number(slots, "counts") & 0xFFFFFFFF
    return number(slots, "used") - freed - sum(number(slots, name) for name in ("filled", "retired", "absent"))


def small_pool_summary(value, _):
    slots = small_slots(value)
    text = counts_text(small_live(slots), number(slots, "count"), number(slots, "used"), number(slots, "start"))
    name = slots.GetChildMemberWithName("name")
    return text if name.GetValueAsUnsigned() == 0 else "%s: %s" % (name.GetSummary(), text)


def small_handle_summary(value, _):
    return handle_text(number(value.GetNonSyntheticValue(), "bits_"))


class SmallValues(Shown):
    """The values of a `mps::pool<T>`, in the order of their slots."""

    def values(self):
        values = self.value.GetChildMemberWithName("values_")
        return values if values.IsValid() else self.value.GetChildAtIndex(0).GetChildMemberWithName("values_")

    def place(self, slot):
        return self.values().GetValueAsUnsigned() + slot * self.of.GetByteSize()

    def found(self):
        slots = small_slots(self.value)
        for slot, word in enumerate(self.numbers(number(slots, "words"), number(slots, "used"), 32)):
            if word < DEAD:
                yield "[%dv%d]" % (slot, word), self.place(slot)


class SmallGrowingValues(SmallValues):
    def place(self, slot):
        chunk, size = 64, self.of.GetByteSize()
        while chunk * 2 * size <= 16384 and chunk < 4096:
            chunk *= 2
        table = self.values().GetValueAsUnsigned()
        return self.numbers(table + slot // chunk * 8, 1, 64)[0] + slot % chunk * size


class SmallPackedValues(SmallValues):
    """The values of a `mps::packed_pool<T>`, in their order."""

    def found(self):
        owners = number(self.value, "owners_")
        for place, word in enumerate(self.numbers(owners, small_live(small_slots(self.value)), 64)):
            yield "[%s]" % handle_text(word), self.place(place)


def use_summary(value, _):
    """What `MP_POOL(name, T)` or `MP_PACKED(name, T)` makes."""
    pointer = value.GetNonSyntheticValue().GetChildMemberWithName("pool")
    if pointer.GetValueAsUnsigned() == 0:
        return "no pool"
    pool = pointer.Dereference()
    slots = pool.GetChildMemberWithName("slots_") if pool.GetTypeName() == "mp_packed" else pool
    return pool_text(slots)


def use_handle_summary(value, _):
    """`NAME_id` of eight bytes, where `NAME` is what `MP_POOL` or `MP_PACKED` made."""
    value = value.GetNonSyntheticValue()
    bits = value.GetChildMemberWithName("bits")
    if value.GetNumChildren() != 1 or not bits.IsValid() or value.GetByteSize() != 8:
        return ""
    return handle_text(bits.GetValueAsUnsigned())


def millpond_pool(debugger, names, answer, _):
    """Shows pools of these types, which MP_POOL or MP_PACKED has made: millpond_pool sparks bullets"""
    for name in names.split():
        debugger.HandleCommand("type summary add -F %s.use_summary %s" % (__name__, name))


def __lldb_init_module(debugger, _):
    for kind, pattern in (
        ("handle_summary", "^mp_handle$"),
        ("typed_handle_summary", "^millpond::handle<.+>$"),
        ("small_handle_summary", "^mps::handle<.+>$"),
        ("pool_summary", "^mp_pool$"),
        ("packed_summary", "^mp_packed$"),
        ("typed_pool_summary -e", "^millpond::(vec_)?pool<.+>$"),
        ("typed_packed_summary -e", "^millpond::packed_pool<.+>$"),
        ("growing_pool_summary -e", "^millpond::growing_pool<.+>$"),
        ("small_pool_summary -e", "^mps::(growing_|packed_)?pool<.+>$"),
    ):
        debugger.HandleCommand("type summary add -F %s.%s -x '%s'" % (__name__, kind, pattern))
    for kind, pattern in (
        ("LiveValues", "^millpond::(vec_)?pool<.+>$"),
        ("PackedValues", "^millpond::packed_pool<.+>$"),
        ("GrowingObjects", "^millpond::growing_pool<.+>$"),
        ("SmallValues", "^mps::pool<.+>$"),
        ("SmallGrowingValues", "^mps::growing_pool<.+>$"),
        ("SmallPackedValues", "^mps::packed_pool<.+>$"),
    ):
        debugger.HandleCommand("type synthetic add -l %s.%s -x '%s'" % (__name__, kind, pattern))
    # The names of pool types that a macro has made are the program's: see `millpond_pool`.
    debugger.HandleCommand("type summary add -e -F %s.use_handle_summary -x '^.+_id$'" % __name__)
    debugger.HandleCommand("command script add -f %s.millpond_pool millpond_pool" % __name__)
