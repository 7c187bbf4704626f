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
"""

import lldb

DEAD = 0x80000000


def number(value, *path):
    for name in path:
        value = value.GetChildMemberWithName(name)
    return value.GetValueAsUnsigned()


def handle_text(bits):
    return "none" if bits == 0 else "%dv%d" % (bits >> 32, bits & 0xFFFFFFFF)


def pool_text(pool):
    live = number(pool, "inserted_") - number(pool, "removed_")
    most = max(live, number(pool, "peak_"))
    return "%d of %d live, at most %d" % (live, number(pool, "slots_"), most)


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
        slots = packed.GetChildMemberWithName("slots_")
        self.of = self.value.GetType().GetTemplateArgumentType(0)
        self.values = number(packed, "values_")
        words = self.numbers(number(slots, "words_"), number(slots, "slots_"))
        order = self.numbers(number(packed, "order_"), number(packed, "count_"))
        self.handles = ["[%dv%d]" % (slot, words[slot]) for slot in order if slot < len(words)]

    def num_children(self):
        return len(self.handles)

    def get_child_index(self, name):
        return self.handles.index(name) if name in self.handles else -1

    def get_child_at_index(self, at):
        place = self.values + at * self.of.GetByteSize()
        return self.value.CreateValueFromAddress(self.handles[at], place, self.of)


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
        ("pool_summary", "^mp_pool$"),
        ("typed_pool_summary", "^millpond::pool<.+>$"),
        ("packed_summary", "^mp_packed$"),
        ("typed_packed_summary", "^millpond::packed_pool<.+>$"),
    ):
        expand = " -e" if kind in ("typed_pool_summary", "typed_packed_summary") else ""
        debugger.HandleCommand("type summary add%s -F %s.%s -x '%s'" % (expand, __name__, kind, pattern))
    # The names of pool types that a macro has made are the program's: see `millpond_pool`.
    debugger.HandleCommand("type summary add -e -F %s.use_handle_summary -x '^.+_id$'" % __name__)
    debugger.HandleCommand("command script add -f %s.millpond_pool millpond_pool" % __name__)
    debugger.HandleCommand("type synthetic add -l %s.LiveValues -x '^millpond::pool<.+>$'" % __name__)
    debugger.HandleCommand("type synthetic add -l %s.PackedValues -x '^millpond::packed_pool<.+>$'" % __name__)
