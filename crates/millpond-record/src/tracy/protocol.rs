//! What Tracy's stream looks like in each of the protocols that are known.
//!
//! The numbers are those of `TracyQueue.hpp` and `TracyProtocol.hpp` in the versions of the crate `tracy-client-sys` that
//! `ci/tracy` names; `ci/tracy/check` compares them with those headers.

/// One version of the protocol.
#[derive(Debug)]
pub(super) struct Protocol {
    /// Its number, which both sides say first.
    pub(super) number: u32,
    /// The versions of Tracy that speak it.
    pub(super) versions: &'static str,
    /// The bytes of the message that the client begins with.
    pub(super) welcome_bytes: usize,
    /// Where its flags and the program's name are in it.
    pub(super) flags_at: usize,
    pub(super) name_at: usize,
    /// The size of each event in bytes, with its number, and without a text after it.
    pub(super) sizes: &'static [u8],
    /// The numbers of the events that count here.
    pub(super) numbers: Numbers,
}

/// The numbers of events in a protocol. Those that are not named follow from these: they come in the same order everywhere.
#[derive(Debug)]
pub(super) struct Numbers {
    /// `MemAlloc`, the first of eight; before it seven of locks.
    pub(super) memory: u8,
    /// Whether `MemDiscard` and `MemDiscardCallstack` come after the eight.
    pub(super) has_discard: bool,
    /// `PlotDataInt`; before it five of zones of the graphics card.
    pub(super) plot: u8,
    pub(super) frame_size: u8,
    pub(super) terminate: u8,
    pub(super) crash: u8,
    pub(super) frame_mark: u8,
    pub(super) callstack_frame: u8,
    /// `SingleStringData`, then `SecondStringData`.
    pub(super) single_string: u8,
    /// Whether both come again, with a length of one byte; then 256 is subtracted from the length of two bytes.
    pub(super) has_short_strings: bool,
    pub(super) pool_name: u8,
    /// `StringData`, the first of thirteen with a text.
    pub(super) string: u8,
}

/// The protocols, the newest first.
pub(super) static PROTOCOLS: [Protocol; 4] = [
    Protocol {
        number: 82,
        versions: "0.14",
        welcome_bytes: 1170,
        flags_at: 64,
        name_at: 82,
        sizes: &[
            1, 1, 10, 13, 10, 13, 9, 9, 9, 1, 1, 1, 13, 9, 7, 13, 9, 7, 10, 17, 13, 11, 17, 13, 11,
            9, 5, 3, 17, 17, 13, 17, 17, 17, 5, 27, 27, 21, 21, 27, 27, 21, 21, 21, 21, 24, 24, 16,
            16, 16, 24, 24, 16, 16, 16, 25, 21, 25, 23, 16, 12, 2, 10, 10, 13, 1, 1, 1, 25, 13, 15,
            13, 3, 1, 1, 5, 26, 18, 1, 17, 5, 4, 9, 17, 17, 17, 13, 32, 22, 13, 17, 17, 20, 17, 20,
            28, 17, 13, 25, 17, 17, 17, 17, 17, 17, 17, 16, 18, 1, 5, 1, 17, 1, 1, 1, 1, 9, 9, 24,
            9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ],
        numbers: Numbers {
            memory: 35,
            has_discard: true,
            plot: 55,
            frame_size: 63,
            terminate: 73,
            crash: 79,
            frame_mark: 83,
            callstack_frame: 96,
            single_string: 112,
            has_short_strings: true,
            pool_name: 116,
            string: 119,
        },
    },
    Protocol {
        number: 76,
        versions: "0.13",
        welcome_bytes: 1170,
        flags_at: 64,
        name_at: 82,
        sizes: &[
            1, 1, 9, 12, 9, 12, 9, 9, 9, 1, 1, 1, 13, 13, 10, 17, 17, 9, 17, 17, 13, 17, 17, 17, 5,
            27, 27, 21, 21, 27, 27, 21, 21, 21, 21, 24, 24, 16, 16, 16, 24, 24, 16, 16, 16, 25, 21,
            25, 23, 16, 12, 2, 10, 10, 13, 1, 1, 1, 25, 13, 1, 1, 5, 26, 18, 1, 17, 5, 4, 9, 17,
            17, 17, 13, 32, 22, 13, 17, 17, 20, 17, 20, 28, 17, 13, 25, 17, 17, 17, 17, 17, 17, 17,
            16, 18, 1, 5, 1, 17, 1, 1, 9, 9, 24, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ],
        numbers: Numbers {
            memory: 25,
            has_discard: true,
            plot: 45,
            frame_size: 53,
            terminate: 60,
            crash: 66,
            frame_mark: 70,
            callstack_frame: 83,
            single_string: 99,
            has_short_strings: false,
            pool_name: 101,
            string: 104,
        },
    },
    Protocol {
        number: 74,
        versions: "0.12",
        welcome_bytes: 1178,
        flags_at: 72,
        name_at: 90,
        sizes: &[
            1, 1, 9, 12, 9, 12, 9, 9, 9, 1, 1, 1, 13, 13, 10, 17, 17, 9, 17, 17, 13, 17, 17, 17, 5,
            27, 27, 21, 21, 27, 27, 21, 21, 21, 21, 24, 24, 16, 16, 16, 24, 24, 16, 16, 16, 25, 21,
            25, 23, 16, 12, 2, 10, 13, 1, 1, 1, 25, 13, 1, 1, 5, 26, 18, 1, 17, 5, 4, 9, 17, 17,
            17, 13, 32, 22, 13, 17, 17, 20, 17, 20, 28, 17, 13, 25, 17, 17, 17, 17, 17, 17, 17, 16,
            18, 1, 5, 1, 17, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ],
        numbers: Numbers {
            memory: 25,
            has_discard: true,
            plot: 45,
            frame_size: 52,
            terminate: 59,
            crash: 65,
            frame_mark: 69,
            callstack_frame: 82,
            single_string: 98,
            has_short_strings: false,
            pool_name: 100,
            string: 102,
        },
    },
    Protocol {
        number: 69,
        versions: "0.11.1",
        welcome_bytes: 1178,
        flags_at: 72,
        name_at: 90,
        sizes: &[
            1, 1, 9, 12, 9, 12, 9, 9, 9, 1, 1, 1, 13, 13, 10, 17, 17, 9, 17, 17, 13, 17, 17, 17, 5,
            27, 27, 21, 21, 27, 27, 21, 21, 24, 24, 16, 16, 16, 24, 24, 16, 16, 16, 25, 21, 25, 20,
            13, 12, 2, 10, 13, 1, 1, 1, 25, 13, 1, 1, 5, 26, 18, 1, 17, 5, 4, 9, 17, 17, 17, 13,
            32, 22, 13, 17, 17, 20, 17, 20, 28, 17, 13, 25, 17, 17, 17, 17, 17, 17, 17, 16, 18, 1,
            5, 1, 17, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ],
        numbers: Numbers {
            memory: 25,
            has_discard: false,
            plot: 43,
            frame_size: 50,
            terminate: 57,
            crash: 63,
            frame_mark: 67,
            callstack_frame: 80,
            single_string: 96,
            has_short_strings: false,
            pool_name: 98,
            string: 100,
        },
    },
];

/// What an event means here, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has no meaning here, and no text after it.
    Other,
    /// A text follows that has no meaning here; its length has two or four bytes.
    OtherText,
    OtherLongText,
    /// The call stack in `Stack` is that of the next event of the serial queue.
    StackSerial,
    /// The call stack in `Stack` is that of an event without meaning here.
    StackElsewhere,
    /// An event without meaning here whose time the next one counts from; it is in these bytes.
    Time {
        at: usize,
    },
    /// A birth, in a pool with a name or with a call stack.
    Birth {
        is_named: bool,
        has_stack: bool,
    },
    Death {
        is_named: bool,
    },
    Discard,
    /// So many functions at an address follow, each with a text for its name and one for its file before it. The text
    /// before this is its program or library.
    FrameSize,
    Frame,
    Terminate,
    /// The program has crashed: the address of a text that says of what.
    Crash,
    FrameMark,
    /// A text, with a length of one or of two bytes.
    Single {
        is_short: bool,
    },
    Second {
        is_short: bool,
    },
    PoolName,
    /// The text of a string.
    String,
    /// The addresses of a call stack.
    Stack,
}

impl Protocol {
    /// All that is here, in a line.
    pub(super) fn line(&self) -> String {
        let of = &self.numbers;
        let sizes: Vec<String> = self.sizes.iter().map(u8::to_string).collect();
        format!(
            "protocol {} welcome {} memory {} discard {} plot {} frame_size {} terminate {} crash {} \
             frame_mark {} callstack_frame {} single {} short {} pool_name {} string {} sizes {}",
            self.number,
            self.welcome_bytes,
            of.memory,
            u8::from(of.has_discard),
            of.plot,
            of.frame_size,
            of.terminate,
            of.crash,
            of.frame_mark,
            of.callstack_frame,
            of.single_string,
            u8::from(of.has_short_strings),
            of.pool_name,
            of.string,
            sizes.join(" ")
        )
    }

    /// What each event means, by its number.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let of = &self.numbers;
        let mut kinds = vec![Kind::Other; self.sizes.len()];
        let mut set = |number: u8, kind: Kind| kinds[usize::from(number)] = kind;
        // The numbers of what has a call stack beside it: `CallstackSerial`, `Callstack`, `CallstackAlloc`.
        set(9, Kind::StackSerial);
        set(10, Kind::StackElsewhere);
        set(11, Kind::StackElsewhere);
        // `LockWait`, `LockObtain`, `LockRelease`, and the same of locks that are shared.
        let locks = of.memory - 7;
        for (lock, at) in [(0, 9), (1, 9), (2, 5), (3, 9), (4, 9), (5, 5)] {
            set(locks + lock, Kind::Time { at });
        }
        for event in 0..8 {
            let (is_named, has_stack) = (event % 2 == 1, event >= 4);
            let kind = match event & 2 {
                0 => Kind::Birth { is_named, has_stack },
                _ => Kind::Death { is_named },
            };
            set(of.memory + event, kind);
        }
        if of.has_discard {
            set(of.memory + 8, Kind::Discard);
            set(of.memory + 9, Kind::Discard);
        }
        for zone in 1..=5 {
            set(of.plot - zone, Kind::Time { at: 1 });
        }
        set(of.frame_size, Kind::FrameSize);
        set(of.callstack_frame, Kind::Frame);
        set(of.terminate, Kind::Terminate);
        set(of.crash, Kind::Crash);
        set(of.frame_mark, Kind::FrameMark);
        for short in 0..=u8::from(of.has_short_strings) {
            let is_short = short == 1;
            set(of.single_string + 2 * short, Kind::Single { is_short });
            set(of.single_string + 2 * short + 1, Kind::Second { is_short });
        }
        set(of.pool_name, Kind::PoolName);
        // `StringData`, `ThreadName`, `PlotName`, `SourceLocationPayload`, `CallstackPayload`, `CallstackAllocPayload`,
        // `FrameName`, `FrameImageData`, `ExternalName`, `ExternalThreadName`, `SymbolCode`, `SourceCode`, `FiberName`.
        for text in 0..13 {
            let kind = match text {
                0 => Kind::String,
                4 => Kind::Stack,
                7 | 10 | 11 => Kind::OtherLongText,
                _ => Kind::OtherText,
            };
            set(of.string + text, kind);
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_as_long_as_what_is_read_of_it() {
        for protocol in &PROTOCOLS {
            let kinds = protocol.kinds();
            for (number, (kind, &size)) in kinds.iter().zip(protocol.sizes).enumerate() {
                let wanted = match kind {
                    Kind::Birth { .. } => 27,
                    Kind::Death { .. } | Kind::Discard => 21,
                    Kind::Time { at } => (at + 8) as u8,
                    Kind::FrameSize => 10,
                    Kind::Frame | Kind::FrameMark | Kind::Crash => 17,
                    Kind::PoolName | Kind::String | Kind::Stack => 9,
                    Kind::OtherText | Kind::OtherLongText => 9,
                    Kind::Terminate | Kind::Single { .. } | Kind::Second { .. } => 1,
                    Kind::StackSerial | Kind::StackElsewhere => 1,
                    Kind::Other => 0,
                };
                assert!(size >= wanted.max(1), "protocol {}, event {number}", protocol.number);
            }
            // Its texts are the last events.
            assert_eq!(usize::from(protocol.numbers.string) + 13, protocol.sizes.len());
        }
    }
}
