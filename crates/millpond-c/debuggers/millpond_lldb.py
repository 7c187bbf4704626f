"""Shows millpond's handles and pools in lldb: `command script import millpond_lldb.py`.

    (lldb) frame variable bullet
    (millpond::handle<Bullet>) bullet = 3v7
    (lldb) frame variable bullets
    (millpond::pool<Bullet>) bullets = 2 of 100 live, at most 5 {
      [0v1] = (...)
      [3v7] = (...)
    }
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
    live = number(pool, "births_") - number(pool, "deaths_")
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
            if error.Success() and generation < DEAD:
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


def __lldb_init_module(debugger, _):
    for kind, pattern in (
        ("handle_summary", "^mp_handle$"),
        ("typed_handle_summary", "^millpond::handle<.+>$"),
        ("pool_summary", "^mp_pool$"),
        ("typed_pool_summary", "^millpond::pool<.+>$"),
    ):
        expand = " -e" if kind == "typed_pool_summary" else ""
        debugger.HandleCommand("type summary add%s -F %s.%s -x '%s'" % (expand, __name__, kind, pattern))
    debugger.HandleCommand("type synthetic add -l %s.LiveValues -x '^millpond::pool<.+>$'" % __name__)
