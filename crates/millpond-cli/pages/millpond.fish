# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_millpond_global_optspecs
    string join \n color= h/help V/version
end

function __fish_millpond_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_millpond_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_millpond_using_subcommand
    set -l cmd (__fish_millpond_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c millpond -n "__fish_millpond_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_needs_command" -s V -l version -d 'Print version'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "plan" -d 'Work out how many slots each pool needs, and check it by replaying the recording on real pools'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "record" -d 'Record the memory of a running program with Tracy\'s client, for `millpond plan`'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "export" -d 'Write a recording for other tools to standard output'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "check" -d 'Check whether recordings fit into the pools of a budget'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "diff" -d 'Compare two recordings of a program: what has grown, what is new, what lives longer, and whose peak is at another time'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "merge" -d 'Work out how many slots each pool needs, so that no pool is full in a given share of many sessions'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "replay" -d 'Time a recording with each pool type, each reuse order and Box, and recommend the fastest'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "odds" -d 'Print how likely it is that a handle is not unique, for every handle layout'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "generate" -d 'Write a made-up trace of any length to standard output'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "man" -d 'Print the manual page of the tool or of one command'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "watch" -d 'Show the pools or lenders of a running program, from the live trace that it writes'
complete -c millpond -n "__fish_millpond_needs_command" -f -a "soak" -d 'Run random operations on every pool for minutes to days, and check every result'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l tracy -d 'Record a running program with Tracy\'s client until it ends, and plan its pools, as `millpond record --tracy` and `millpond plan` do. Without a host, the program runs on this machine' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l seconds -d 'End the recording after this many seconds' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -s o -l output -d 'Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l headroom -d 'Extra slots above the most objects that were alive at once, in per cent' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l tick-rate -d 'The number of ticks per second of a lifetime trace. The default is the trace\'s own clock (a column `ms`); without either, times are in ticks, and no handles are proposed' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l session-hours -d 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l class -d 'Show only classes whose name matches, with all tables; `*` matches any text. This does not filter the advice and the budget' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l skip-caller -d 'Skip matching functions when determining which function allocates; `*` matches any text. May be given more than once' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l run-ms -d 'How long the program takes without the recorder, in milliseconds. heaptrack and other recorders slow a program, so what is saved is a larger share of this time than of the recording\'s. A trial then leaves out what may save less than a hundredth of it, which any change of the code may take or give. For one trace' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l blocks-at-hand -d 'How many freed blocks of each size your allocator keeps at hand for each thread; glibc keeps 7. Calls that are served from them cost less. Use 0 for an allocator that keeps none' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l prices -d 'Rank by these prices instead of those measured on this machine, so that the output is the same everywhere: `reference`, or nanoseconds for an object from birth to death, such as `at-hand=9..14,small=25,large=60,pool=4`' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l trial-ms -d 'How long the first proposals are tried on this machine, in milliseconds for all traces together: the recorded calls are replayed with the system\'s allocator and with the proposal, in turns. 0 tries none, and ranks by prices alone' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l report -d 'The file for the report. It replaces an earlier report, and no other file' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l budget -d 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each trace. An earlier budget is replaced unless it has been edited' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l summary -d 'Write a summary of each recording to this file: a table (CSV) with a line for each class. `millpond merge` plans from the summaries of many sessions. An earlier summary is replaced' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l tag -d 'Add a column with this value to the summary, such as the level or the platform. May be given more than once' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l session -d 'The session\'s name in the summary' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l size-classes -d 'Also compute the classes of a `millpond_memory::SizeClasses` from a recording of the heap, for requests of up to BYTES bytes (512 if not given): the slot sizes that waste least, the number of slots of each, and the code for the program' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l top -d 'How many classes the tables show' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l wait-p99-ms -d 'Plan for loans: 99 % of the callers wait at most this long. The traces are those of a `millpond_lend::Lender` (lines `asked_us,got_us,returned_us,pool`), or PostgreSQL\'s csvlog with the durations of statements' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l skip-statement -d 'For loans, in a server\'s log: leave out statements whose text matches, such as `DISCARD ALL` of a pool in the program; `*` matches any text. Upper and lower case are the same, and a semicolon at the end does not count. May be given more than once' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l open-ms -d 'For loans: how long opening one more object takes' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l closed -d 'For loans: replay callers instead of requests. Each caller requests a loan, returns it, thinks for as long as recorded, and requests the next, so those who wait less also request more. CALLERS is how many there are, such as the program\'s worker threads' -r
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l json -d 'Print the plan as JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l csv -d 'Print the classes as CSV, for spreadsheets'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l no-handles -d 'Propose no handles, for programs that do not refer to objects by handle'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l all -d 'Show all proposals, classes and tables, and put all classes into the budget, including those that are not worth a pool'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l with-profiler -d 'Plan also for blocks that a recording from Tracy\'s client has of the profiler itself: those of Rust\'s `tracing`, for spans and the log. Otherwise they are left out and counted'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l measure -d 'Show all proposals, and try up to ten of them on this machine for longer than --trial-ms does, by replaying the recorded calls with the system\'s allocator and with pools. This takes a few seconds'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l allocators -d 'Also tell what other installed allocators (mimalloc, jemalloc, tcmalloc) would save, their start counted, and how to try them. A program may crash under another allocator'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l no-report -d 'Write no report'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -l whole -d 'Refuse a trace that is cut short. Otherwise the plan is of what is there, says where the trace ends, and the exit code is 3'
complete -c millpond -n "__fish_millpond_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand record" -l tracy -d 'The machine on which the program runs; without a host, this one' -r
complete -c millpond -n "__fish_millpond_using_subcommand record" -s o -l output -d 'The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand record" -l seconds -d 'End the recording after this many seconds' -r
complete -c millpond -n "__fish_millpond_using_subcommand record" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand export" -l tick-rate -d 'The number of ticks per second of a lifetime trace without a clock of its own' -r
complete -c millpond -n "__fish_millpond_using_subcommand export" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand export" -l chrome -d 'Write counters in Chrome\'s trace event format'
complete -c millpond -n "__fish_millpond_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand check" -l scenario -d 'The scenario of the budget' -r
complete -c millpond -n "__fish_millpond_using_subcommand check" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand check" -l json -d 'Print JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand check" -l markdown -d 'Print a table in Markdown, for a comment on a pull request'
complete -c millpond -n "__fish_millpond_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand diff" -l threshold -d 'The share by which numbers have to grow or shrink to be told, in per cent, and by more than chance explains unless it is less than 10. Lives have to become longer or shorter by five times as much' -r
complete -c millpond -n "__fish_millpond_using_subcommand diff" -l report -d 'Write a report to this file. It replaces an earlier report, and no other file' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand diff" -l json -d 'Print JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand diff" -l markdown -d 'Print a table in Markdown, for a comment on a pull request'
complete -c millpond -n "__fish_millpond_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l partial -d 'Print no plan, but write to this file what the next step needs of these sessions: their counts or, with --counts, those of them that may be given up. An earlier such file is replaced' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l counts -d 'The counts of all sessions, which `merge --partial` has written. All of the following steps need the same' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l quantile -d 'The share of sessions in which no pool may be full, in per cent' -r
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l headroom -d 'Extra room above the need of these sessions, in per cent' -r
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l by -d 'Make a separate plan for each value of this column, such as the level (`plan --tag`)' -r
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l session-hours -d 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations' -r
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l budget -d 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each value of --by. An earlier budget is replaced unless it has been edited' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l top -d 'How many classes the tables show' -r
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l all -d 'Plan all classes, including those that are not worth a pool in any session, and show all tables'
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l no-handles -d 'Propose no handles, for programs that do not refer to objects by handle'
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l json -d 'Print the plan as JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand merge" -l csv -d 'Print the classes as CSV, for spreadsheets'
complete -c millpond -n "__fish_millpond_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l bytes -d 'The size of all objects, instead of the sizes of the trace. Objects without a size have 64 bytes' -r
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l rounds -d 'The number of rounds' -r
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l events -d 'Replay at most this many insertions and removals, from the beginning of the trace' -r
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l memory -d 'The maximum size of all pools\' slots together, in MiB' -r
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l heap -d 'Instead of timing, replay the trace in a model of the system\'s allocator, and draw its memory, its free memory and its largest hole over time, compared with the same program in pools. The file is an SVG; an earlier drawing is replaced, any other file is not overwritten' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l walk -d 'Iterate over all objects at the end of each tick with an insertion or removal, as games do. Times and the recommendation are then for whole ticks'
complete -c millpond -n "__fish_millpond_using_subcommand replay" -l json -d 'Print the figures as JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l slots -d 'The number of slots of each pool' -r
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l free -d 'The number of free slots, in place of --slots: the odds for a pool of which --busy slots stay in use, and these are used again and again' -r
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l busy -d 'The number of slots that stay in use, with --free' -r
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l rounds -d 'The number of handles that each simulation compares' -r
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l seed -d 'The seed of the random numbers' -r
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand odds" -l json -d 'Print the odds as JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand odds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l events -d 'The number of insertions and removals' -r
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l live -d 'The approximate number of objects alive at once' -r
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l days -d 'The number of days that the game runs, at ten ticks per second' -r
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l heaptrack -d 'Write heaptrack\'s format instead of a lifetime trace'
complete -c millpond -n "__fish_millpond_using_subcommand generate" -l game -d 'Write lifetimes and sizes of a game that runs for days: sparks, bullets, paths, sounds, texts, decals'
complete -c millpond -n "__fish_millpond_using_subcommand generate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand man" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand watch" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand watch" -l interval -d 'Seconds between two updates' -r
complete -c millpond -n "__fish_millpond_using_subcommand watch" -l once -d 'Print the current state and exit'
complete -c millpond -n "__fish_millpond_using_subcommand watch" -l json -d 'Print JSON, one object per line, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand watch" -s V -l version -d 'Print version'
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l color -d 'When to use colour' -r -f -a "auto\t'If standard output is a terminal and `NO_COLOR` is not set'
always\t'Always'
never\t'Never'"
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l for -d 'The duration: a number and s, m, h or d' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l seed -d 'The seed of the random numbers' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l capacity -d 'The number of slots of each pool' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l trace -d 'Insert and remove as in this trace, repeatedly, in pools as large as its peak' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l only -d 'Soak only pools whose name contains this' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l steps -d 'End when each pool has done N operations' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l checkpoint -d 'Go on from the state in this file, and leave the new state there' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l threads -d 'Use a `SyncPool` and a `SyncRecycler` from N threads, instead of all other pools from one' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l live -d 'The live trace that the recorder of PROGRAM writes' -r -F
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l warm-up -d 'How long PROGRAM may allocate memory and reach new peaks' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l drift -d 'By how many KiB the resident memory of PROGRAM may grow' -r
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l system-allocator -d 'Use boxes of the system\'s allocator instead of pools'
complete -c millpond -n "__fish_millpond_using_subcommand soak" -l json -d 'Print the summary as JSON, for programs'
complete -c millpond -n "__fish_millpond_using_subcommand soak" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c millpond -n "__fish_millpond_using_subcommand soak" -s V -l version -d 'Print version'
