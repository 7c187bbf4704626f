
use builtin;
use str;

set edit:completion:arg-completer[millpond] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'millpond'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'millpond'= {
            cand --color 'When to use colour'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand plan 'Work out how many slots each pool needs, and check it by replaying the recording on real pools'
            cand record 'Record the memory of a running program with Tracy''s client, for `millpond plan`'
            cand export 'Write a recording for other tools to standard output'
            cand check 'Check whether recordings fit into the pools of a budget'
            cand diff 'Compare two recordings of a program: what has grown, what is new, what lives longer, and whose peak is at another time'
            cand merge 'Work out how many slots each pool needs, so that no pool is full in a given share of many sessions'
            cand replay 'Time a recording with each pool type, each reuse order and Box, and recommend the fastest'
            cand odds 'Print how likely it is that a handle is not unique, for every handle layout'
            cand generate 'Write a made-up trace of any length to standard output'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page of the tool or of one command'
            cand watch 'Show the pools or lenders of a running program, from the live trace that it writes'
            cand soak 'Run random operations on every pool for minutes to days, and check every result'
        }
        &'millpond;plan'= {
            cand --tracy 'Record a running program with Tracy''s client until it ends, and plan its pools, as `millpond record --tracy` and `millpond plan` do. Without a host, the program runs on this machine'
            cand --seconds 'End the recording after this many seconds'
            cand -o 'Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file'
            cand --output 'Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file'
            cand --headroom 'Extra slots above the most objects that were alive at once, in per cent'
            cand --tick-rate 'The number of ticks per second of a lifetime trace. The default is the trace''s own clock (a column `ms`); without either, times are in ticks, and no handles are proposed'
            cand --session-hours 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations'
            cand --class 'Show only classes whose name matches, with all tables; `*` matches any text. This does not filter the advice and the budget'
            cand --skip-caller 'Skip matching functions when determining which function allocates; `*` matches any text. May be given more than once'
            cand --run-ms 'How long the program takes without the recorder, in milliseconds. heaptrack and other recorders slow a program, so what is saved is a larger share of this time than of the recording''s. A trial then leaves out what may save less than a hundredth of it, which any change of the code may take or give. For one trace'
            cand --blocks-at-hand 'How many freed blocks of each size your allocator keeps at hand for each thread; glibc keeps 7. Calls that are served from them cost less. Use 0 for an allocator that keeps none'
            cand --prices 'Rank by these prices instead of those measured on this machine, so that the output is the same everywhere: `reference`, or nanoseconds for an object from birth to death, such as `at-hand=9..14,small=25,large=60,pool=4`'
            cand --trial-ms 'How long the first proposals are tried on this machine, in milliseconds for all traces together: the recorded calls are replayed with the system''s allocator and with the proposal, in turns. 0 tries none, and ranks by prices alone'
            cand --report 'The file for the report. It replaces an earlier report, and no other file'
            cand --budget 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each trace. An earlier budget is replaced unless it has been edited'
            cand --summary 'Write a summary of each recording to this file: a table (CSV) with a line for each class. `millpond merge` plans from the summaries of many sessions. An earlier summary is replaced'
            cand --tag 'Add a column with this value to the summary, such as the level or the platform. May be given more than once'
            cand --session 'The session''s name in the summary'
            cand --size-classes 'Also compute the classes of a `millpond_memory::SizeClasses` from a recording of the heap, for requests of up to BYTES bytes (512 if not given): the slot sizes that waste least, the number of slots of each, and the code for the program'
            cand --top 'How many classes the tables show'
            cand --wait-p99-ms 'Plan for loans: 99 % of the callers wait at most this long. The traces are those of a `millpond_lend::Lender` (lines `asked_us,got_us,returned_us,pool`), or PostgreSQL''s csvlog with the durations of statements'
            cand --skip-statement 'For loans, in a server''s log: leave out statements whose text matches, such as `DISCARD ALL` of a pool in the program; `*` matches any text. Upper and lower case are the same, and a semicolon at the end does not count. May be given more than once'
            cand --open-ms 'For loans: how long opening one more object takes'
            cand --closed 'For loans: replay callers instead of requests. Each caller requests a loan, returns it, thinks for as long as recorded, and requests the next, so those who wait less also request more. CALLERS is how many there are, such as the program''s worker threads'
            cand --color 'When to use colour'
            cand --json 'Print the plan as JSON, for programs'
            cand --csv 'Print the classes as CSV, for spreadsheets'
            cand --no-handles 'Propose no handles, for programs that do not refer to objects by handle'
            cand --all 'Show all proposals, classes and tables, and put all classes into the budget, including those that are not worth a pool'
            cand --with-profiler 'Plan also for blocks that a recording from Tracy''s client has of the profiler itself: those of Rust''s `tracing`, for spans and the log. Otherwise they are left out and counted'
            cand --measure 'Show all proposals, and try up to ten of them on this machine for longer than --trial-ms does, by replaying the recorded calls with the system''s allocator and with pools. This takes a few seconds'
            cand --allocators 'Also tell what other installed allocators (mimalloc, jemalloc, tcmalloc) would save, their start counted, and how to try them. A program may crash under another allocator'
            cand --no-report 'Write no report'
            cand --whole 'Refuse a trace that is cut short. Otherwise the plan is of what is there, says where the trace ends, and the exit code is 3'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;record'= {
            cand --tracy 'The machine on which the program runs; without a host, this one'
            cand -o 'The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file'
            cand --output 'The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file'
            cand --seconds 'End the recording after this many seconds'
            cand --color 'When to use colour'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;export'= {
            cand --tick-rate 'The number of ticks per second of a lifetime trace without a clock of its own'
            cand --color 'When to use colour'
            cand --chrome 'Write counters in Chrome''s trace event format'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;check'= {
            cand --scenario 'The scenario of the budget'
            cand --color 'When to use colour'
            cand --json 'Print JSON, for programs'
            cand --markdown 'Print a table in Markdown, for a comment on a pull request'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;diff'= {
            cand --threshold 'The share by which numbers have to grow or shrink to be told, in per cent, and by more than chance explains unless it is less than 10. Lives have to become longer or shorter by five times as much'
            cand --report 'Write a report to this file. It replaces an earlier report, and no other file'
            cand --color 'When to use colour'
            cand --json 'Print JSON, for programs'
            cand --markdown 'Print a table in Markdown, for a comment on a pull request'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;merge'= {
            cand --partial 'Print no plan, but write to this file what the next step needs of these sessions: their counts or, with --counts, those of them that may be given up. An earlier such file is replaced'
            cand --counts 'The counts of all sessions, which `merge --partial` has written. All of the following steps need the same'
            cand --quantile 'The share of sessions in which no pool may be full, in per cent'
            cand --headroom 'Extra room above the need of these sessions, in per cent'
            cand --by 'Make a separate plan for each value of this column, such as the level (`plan --tag`)'
            cand --session-hours 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations'
            cand --budget 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each value of --by. An earlier budget is replaced unless it has been edited'
            cand --top 'How many classes the tables show'
            cand --color 'When to use colour'
            cand --all 'Plan all classes, including those that are not worth a pool in any session, and show all tables'
            cand --no-handles 'Propose no handles, for programs that do not refer to objects by handle'
            cand --json 'Print the plan as JSON, for programs'
            cand --csv 'Print the classes as CSV, for spreadsheets'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;replay'= {
            cand --bytes 'The size of all objects, instead of the sizes of the trace. Objects without a size have 64 bytes'
            cand --rounds 'The number of rounds'
            cand --events 'Replay at most this many insertions and removals, from the beginning of the trace'
            cand --memory 'The maximum size of all pools'' slots together, in MiB'
            cand --heap 'Instead of timing, replay the trace in a model of the system''s allocator, and draw its memory, its free memory and its largest hole over time, compared with the same program in pools. The file is an SVG; an earlier drawing is replaced, any other file is not overwritten'
            cand --color 'When to use colour'
            cand --walk 'Iterate over all objects at the end of each tick with an insertion or removal, as games do. Times and the recommendation are then for whole ticks'
            cand --json 'Print the figures as JSON, for programs'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;odds'= {
            cand --slots 'The number of slots of each pool'
            cand --free 'The number of free slots, in place of --slots: the odds for a pool of which --busy slots stay in use, and these are used again and again'
            cand --busy 'The number of slots that stay in use, with --free'
            cand --rounds 'The number of handles that each simulation compares'
            cand --seed 'The seed of the random numbers'
            cand --color 'When to use colour'
            cand --json 'Print the odds as JSON, for programs'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;generate'= {
            cand --events 'The number of insertions and removals'
            cand --live 'The approximate number of objects alive at once'
            cand --days 'The number of days that the game runs, at ten ticks per second'
            cand --color 'When to use colour'
            cand --heaptrack 'Write heaptrack''s format instead of a lifetime trace'
            cand --game 'Write lifetimes and sizes of a game that runs for days: sparks, bullets, paths, sounds, texts, decals'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;completions'= {
            cand --color 'When to use colour'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;man'= {
            cand --color 'When to use colour'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'millpond;watch'= {
            cand --color 'When to use colour'
            cand --interval 'Seconds between two updates'
            cand --once 'Print the current state and exit'
            cand --json 'Print JSON, one object per line, for programs'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'millpond;soak'= {
            cand --color 'When to use colour'
            cand --for 'The duration: a number and s, m, h or d'
            cand --seed 'The seed of the random numbers'
            cand --capacity 'The number of slots of each pool'
            cand --trace 'Insert and remove as in this trace, repeatedly, in pools as large as its peak'
            cand --only 'Soak only pools whose name contains this'
            cand --steps 'End when each pool has done N operations'
            cand --checkpoint 'Go on from the state in this file, and leave the new state there'
            cand --threads 'Use a `SyncPool` and a `SyncRecycler` from N threads, instead of all other pools from one'
            cand --live 'The live trace that the recorder of PROGRAM writes'
            cand --warm-up 'How long PROGRAM may allocate memory and reach new peaks'
            cand --drift 'By how many KiB the resident memory of PROGRAM may grow'
            cand --system-allocator 'Use boxes of the system''s allocator instead of pools'
            cand --json 'Print the summary as JSON, for programs'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
    ]
    $completions[$command]
}
