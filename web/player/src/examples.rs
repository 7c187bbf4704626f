//! The worked examples of the published texts, and of the guide, step by step.

use crate::json;

/// An example: a world, and what is done to it.
#[derive(Debug)]
pub struct Example {
    /// Its name in links.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it shows, in a sentence.
    pub shows: &'static str,
    /// The link of the world that it begins with: its kind and its slots.
    pub world: &'static str,
    /// The pools that are shown; all if empty.
    pub only: &'static [&'static str],
    /// Its steps.
    pub steps: &'static [Step],
}

/// A step: a script, and what it shows.
#[derive(Debug)]
pub struct Step {
    /// What is done.
    pub script: &'static str,
    /// What there is to see.
    pub says: &'static str,
}

const fn step(script: &'static str, says: &'static str) -> Step {
    Step { script, says }
}

/// All examples.
pub const EXAMPLES: &[Example] = &[
    Example {
        id: "stale",
        title: "A stale handle is refused",
        shows: "A handle is a slot and a generation. Once its object is removed, it finds nothing, whatever reuses the slot.",
        world: "orders/8",
        only: &["Lifo"],
        steps: &[
            step("i", "A takes slot 0. Its handle is 0v1: slot 0, generation 1."),
            step("i", "B takes slot 1: 1v1."),
            step("i", "C takes slot 2: 2v1."),
            step("g1", "Look up 1v1: the slot's generation is 1, too. It finds B."),
            step("r1", "Remove B. Slot 1 is free; you still have the handle 1v1."),
            step("g1", "Look up 1v1: nothing lives in slot 1. Refused."),
            step("i", "D takes slot 1, which was freed last. Its handle is 1v2: generation 2."),
            step(
                "g1",
                "Look up 1v1 once more: the slot is live, but in generation 2. Refused: it does not find D.",
            ),
            step("g3", "D's own handle, 1v2, finds D."),
        ],
    },
    Example {
        id: "orders",
        title: "Four reuse orders, the same calls",
        shows: "Which free slot comes next? Each order answers differently, at its own cost.",
        world: "orders/8",
        only: &[],
        steps: &[
            step("6xi", "Six objects. In a new pool, every order begins with slots 0, 1, 2, …"),
            step("r1", "Remove B, in slot 1. It is at the head of Lifo, and at the tail of Fifo."),
            step("r4", "Remove E, in slot 4."),
            step("r2", "Remove C, in slot 2."),
            step(
                "i",
                "G: Lifo and Roster reuse slot 2, freed last; LowestFirst takes slot 1; Fifo takes one that was never used.",
            ),
            step("i", "H: in Fifo, every slot gets its turn before one is reused."),
            step("i", "I: the live objects of LowestFirst stay together at low addresses."),
            step("g1", "B's handle is refused by all of them, whatever is in slot 1 now."),
        ],
    },
    Example {
        id: "roster",
        title: "Roster and partition: 5 4 3 2 1 0",
        shows: "The swap-delete pool of two published texts: six slots, five allocated, slot 4 freed.",
        world: "roster/6",
        only: &[],
        steps: &[
            step(
                "i",
                "The roster is 5 4 3 2 1 0. The entry at the partition comes first: slot 5. The partition moves up.",
            ),
            step("i", "B gets slot 4."),
            step("i", "C gets slot 3."),
            step("i", "D gets slot 2."),
            step("i", "E gets slot 1. The partition is 5, and slot 0 comes next."),
            step(
                "r1",
                "Free slot 4: its entry, at position 1, and the one below the partition, at position 4, change places. The partition is 4.",
            ),
            step(
                "i",
                "The next allocation returns slot 4 again: the slot freed last. No search, no list.",
            ),
            step(
                "g1",
                "The old handle of slot 4 is refused: the slot is in its second generation.",
            ),
        ],
    },
    Example {
        id: "bytemap",
        title: "The byte map's odds",
        shows: "A slot's byte counts 128 uses, and then begins again: a handle that was kept so long finds another object.",
        world: "bytemap/4",
        only: &[],
        steps: &[
            step(
                "4xi",
                "Four cars. A handle is index << 8 | byte: A's is 0x0001. The pool is full.",
            ),
            step("g0", "A's handle finds A."),
            step(
                "c0",
                "A goes, E comes: slot 0 again, the only free one, with the next seed: 0x0002.",
            ),
            step("g0", "A's handle is refused: the byte is another."),
            step("126xc0", "126 uses later, the seed of slot 0 is 0: it has gone round."),
            step("g0", "A's handle is still refused."),
            step("c0", "One more use, the 128th: the byte is 0x01 again."),
            step(
                "g0",
                "A's handle is accepted, and finds somebody else. millpond's own pools retire such a slot.",
            ),
            step(
                "r1.r2",
                "Two slots become free: more handles are in play, and the odds are better.",
            ),
            step(
                "m",
                "Measured, as the command millpond odds does: how often is a kept handle the one that is issued next?",
            ),
        ],
    },
    Example {
        id: "particles",
        title: "A free list through dead particles",
        shows: "A dead particle needs no memory of its own: the list of free slots is threaded through it.",
        world: "particles/8",
        only: &[],
        steps: &[
            step("i1", "A takes slot 0, the head of the list, for one frame."),
            step("i2", "B takes slot 1, for two frames."),
            step("i3", "C takes slot 2, for three."),
            step(
                "t",
                "One frame: all move. A's time is up, and in the same pass its slot becomes the head of the list.",
            ),
            step("i5", "D takes slot 0: the slot freed last."),
            step("t", "B's time is up."),
            step("t", "C's time is up. The list begins with 2, 1."),
            step(
                "8xi9",
                "Eight more: the pool is full after seven, and the last one is not created. Nobody notices a missing spark.",
            ),
        ],
    },
    Example {
        id: "full",
        title: "A full pool, under each policy",
        shows: "Five ways to handle the fifth sound in a pool of four.",
        world: "full/4",
        only: &[],
        steps: &[
            step(
                "i40.i90.i20.i70",
                "Four sounds. C, with 20 dB, is the quietest; A is the oldest.",
            ),
            step(
                "i60",
                "The fifth: refuse returns it; evict-least removes C; evict-oldest removes A; spill has a second pool; grow takes more slots.",
            ),
            step(
                "i10",
                "F is quieter than all others: evict-least puts it in the place of the quietest, all the same.",
            ),
            step("g0", "A's handle: refused where A was evicted, good everywhere else."),
            step("i80.i50.i30", "Three more: spill and grow reach their limits, too, and refuse."),
        ],
    },
    Example {
        id: "generations",
        title: "Generations run out: retire or wrap",
        shows: "Handles with only three bits of generation. A slot has seven lifetimes; then it retires, or begins again.",
        world: "generations/3",
        only: &[],
        steps: &[
            step("i", "A takes slot 0: 0v1."),
            step(
                "6xc0",
                "Six more objects, one after the other, in the same slot: it is in its seventh and last lifetime.",
            ),
            step("g0", "A's handle is refused by both pools."),
            step(
                "c0",
                "The next one: on the left, slot 0 has retired, and slot 1 is used; on the right, slot 0 is in generation 1 again.",
            ),
            step(
                "g0",
                "A's handle: the pool that retires slots still rejects it. The pool that wraps finds another object.",
            ),
        ],
    },
    Example {
        id: "debug",
        title: "Lifo hides a stale pointer, Fifo shows it",
        shows: "With Fifo a freed slot rests as long as possible, so that a use after the removal finds a dead slot.",
        world: "orders/6",
        only: &["Lifo", "Fifo"],
        steps: &[
            step("3xi", "Three objects in slots 0, 1, 2."),
            step("r1", "Remove B from slot 1. Somewhere, code still uses slot 1."),
            step(
                "i",
                "D: Lifo puts it into slot 1 at once, so the stale user finds a live object. Fifo takes slot 3.",
            ),
            step("i", "E: Fifo takes slot 4. Slot 1 still rests."),
            step("i", "F: the last slot that was never used."),
            step("r0.i", "A goes, G comes: now Fifo reuses slot 1, after all others."),
        ],
    },
];

/// All examples as JSON, for the page.
#[must_use]
pub fn examples_json() -> String {
    json::list(EXAMPLES.iter().map(|example| {
        let steps = example.steps.iter().map(|step| {
            format!("{{\"script\":{},\"says\":{}}}", json::text(step.script), json::text(step.says))
        });
        format!(
            "{{\"id\":{},\"title\":{},\"shows\":{},\"world\":{},\"only\":{},\"steps\":{}}}",
            json::text(example.id),
            json::text(example.title),
            json::text(example.shows),
            json::text(example.world),
            json::list(example.only.iter().map(|name| json::text(name))),
            json::list(steps),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;

    /// The states of an example, one after the other.
    fn played(id: &str) -> Vec<String> {
        let example = EXAMPLES.iter().find(|example| example.id == id).unwrap();
        let mut world = World::of_link(example.world).unwrap();
        let step = |step: &Step| {
            world.run(step.script).unwrap();
            world.state()
        };
        example.steps.iter().map(step).collect()
    }

    #[test]
    fn the_roster_is_that_of_the_text() {
        let states = played("roster");
        assert!(states[4].contains(r#""roster":[5,4,3,2,1,0],"partition":5"#), "{}", states[4]);
        assert!(states[5].contains(r#""roster":[5,1,3,2,4,0],"partition":4"#), "{}", states[5]);
        assert!(states[6].contains(r#""did":"F takes slot 4: 4v2""#), "{}", states[6]);
        assert!(states[7].contains("4v1 is refused: stale"), "{}", states[7]);
    }

    #[test]
    fn a_seed_comes_again_after_128_uses_and_not_before() {
        let states = played("bytemap");
        assert!(states[1].contains("0x0001 finds A"), "{}", states[1]);
        assert!(states[5].contains("0x0001 is refused"), "{}", states[5]);
        assert!(states[7].contains("0x0001 is accepted, and finds"), "{}", states[7]);
        assert!(states[8].contains("2 free × 128 + 2 busy"), "{}", states[8]);
        assert!(states[9].contains("the formula says 775"), "{}", states[9]);
    }

    #[test]
    fn particles_are_reused_in_the_order_of_the_list() {
        let states = played("particles");
        assert!(states[3].contains(r#""next":[0,3,4,5,6,7]"#), "{}", states[3]);
        assert!(states[6].contains(r#""next":[2,1,3,4,5,6,7]"#), "{}", states[6]);
        assert!(
            states[7].contains("8 of 8 slots live") && states[7].contains("1 refused"),
            "{}",
            states[7]
        );
    }

    #[test]
    fn each_policy_does_what_its_example_says() {
        let states = played("full");
        for words in [
            "full: the value is returned",
            "C goes, E takes slot 2",
            "A goes, E takes slot 0",
            "in the second pool",
            "which is new",
        ] {
            assert!(states[1].contains(words), "{words}: {}", states[1]);
        }
        assert!(states[3].matches("is refused").count() == 2, "{}", states[3]);
        assert_eq!(states[4].matches("1 refused").count(), 2, "{}", states[4]);
    }

    #[test]
    fn a_handle_lies_only_where_generations_wrap() {
        let states = played("generations");
        let last = states.last().unwrap();
        assert_eq!(
            (last.matches("is refused").count(), last.matches("is accepted").count()),
            (1, 1),
            "{last}"
        );
        for example in ["stale", "orders", "roster", "particles", "full", "debug"] {
            assert!(
                played(example).iter().all(|state| !state.contains("is accepted")),
                "{example}"
            );
        }
    }

    #[test]
    fn the_orders_are_as_their_example_says() {
        let states = played("orders");
        let took = |state: &str, slot: &str| state.matches(&format!("takes slot {slot}:")).count();
        assert_eq!(
            (took(&states[4], "2"), took(&states[4], "1"), took(&states[4], "6")),
            (2, 1, 1)
        );
        assert_eq!(states[7].matches("is refused: stale").count(), 4);
        let states = played("debug");
        let fifo = |state: &str| state.split(r#""name":"Fifo""#).nth(1).unwrap().to_owned();
        assert!(
            fifo(&states[2]).contains("takes slot 3") && fifo(&states[5]).contains("takes slot 1")
        );
        assert!(played("stale")[7].contains("1v1 is refused: stale"));
    }
}
