
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'millpond' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'millpond'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'millpond' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Work out how many slots each pool needs, and check it by replaying the recording on real pools')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record the memory of a running program with Tracy''s client, for `millpond plan`')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a recording for other tools to standard output')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check whether recordings fit into the pools of a budget')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two recordings of a program: what has grown, what is new, what lives longer, and whose peak is at another time')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Work out how many slots each pool needs, so that no pool is full in a given share of many sessions')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Time a recording with each pool type, each reuse order and Box, and recommend the fastest')
            [CompletionResult]::new('odds', 'odds', [CompletionResultType]::ParameterValue, 'Print how likely it is that a handle is not unique, for every handle layout')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write a made-up trace of any length to standard output')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of the tool or of one command')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Show the pools or lenders of a running program, from the live trace that it writes')
            [CompletionResult]::new('soak', 'soak', [CompletionResultType]::ParameterValue, 'Run random operations on every pool for minutes to days, and check every result')
            break
        }
        'millpond;plan' {
            [CompletionResult]::new('--tracy', '--tracy', [CompletionResultType]::ParameterName, 'Record a running program with Tracy''s client until it ends, and plan its pools, as `millpond record --tracy` and `millpond plan` do. Without a host, the program runs on this machine')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'End the recording after this many seconds')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file')
            [CompletionResult]::new('--headroom', '--headroom', [CompletionResultType]::ParameterName, 'Extra slots above the most objects that were alive at once, in per cent')
            [CompletionResult]::new('--tick-rate', '--tick-rate', [CompletionResultType]::ParameterName, 'The number of ticks per second of a lifetime trace. The default is the trace''s own clock (a column `ms`); without either, times are in ticks, and no handles are proposed')
            [CompletionResult]::new('--session-hours', '--session-hours', [CompletionResultType]::ParameterName, 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations')
            [CompletionResult]::new('--class', '--class', [CompletionResultType]::ParameterName, 'Show only classes whose name matches, with all tables; `*` matches any text. This does not filter the advice and the budget')
            [CompletionResult]::new('--skip-caller', '--skip-caller', [CompletionResultType]::ParameterName, 'Skip matching functions when determining which function allocates; `*` matches any text. May be given more than once')
            [CompletionResult]::new('--run-ms', '--run-ms', [CompletionResultType]::ParameterName, 'How long the program takes without the recorder, in milliseconds. heaptrack and other recorders slow a program, so what is saved is a larger share of this time than of the recording''s. A trial then leaves out what may save less than a hundredth of it, which any change of the code may take or give. For one trace')
            [CompletionResult]::new('--blocks-at-hand', '--blocks-at-hand', [CompletionResultType]::ParameterName, 'How many freed blocks of each size your allocator keeps at hand for each thread; glibc keeps 7. Calls that are served from them cost less. Use 0 for an allocator that keeps none')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Rank by these prices instead of those measured on this machine, so that the output is the same everywhere: `reference`, or nanoseconds for an object from birth to death, such as `at-hand=9..14,small=25,large=60,pool=4`')
            [CompletionResult]::new('--trial-ms', '--trial-ms', [CompletionResultType]::ParameterName, 'How long the first proposals are tried on this machine, in milliseconds for all traces together: the recorded calls are replayed with the system''s allocator and with the proposal, in turns. 0 tries none, and ranks by prices alone')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'The file for the report. It replaces an earlier report, and no other file')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each trace. An earlier budget is replaced unless it has been edited')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'Write a summary of each recording to this file: a table (CSV) with a line for each class. `millpond merge` plans from the summaries of many sessions. An earlier summary is replaced')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Add a column with this value to the summary, such as the level or the platform. May be given more than once')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session''s name in the summary')
            [CompletionResult]::new('--size-classes', '--size-classes', [CompletionResultType]::ParameterName, 'Also compute the classes of a `millpond_memory::SizeClasses` from a recording of the heap, for requests of up to BYTES bytes (512 if not given): the slot sizes that waste least, the number of slots of each, and the code for the program')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'How many classes the tables show')
            [CompletionResult]::new('--wait-p99-ms', '--wait-p99-ms', [CompletionResultType]::ParameterName, 'Plan for loans: 99 % of the callers wait at most this long. The traces are those of a `millpond_lend::Lender` (lines `asked_us,got_us,returned_us,pool`), or PostgreSQL''s csvlog with the durations of statements')
            [CompletionResult]::new('--skip-statement', '--skip-statement', [CompletionResultType]::ParameterName, 'For loans, in a server''s log: leave out statements whose text matches, such as `DISCARD ALL` of a pool in the program; `*` matches any text. Upper and lower case are the same, and a semicolon at the end does not count. May be given more than once')
            [CompletionResult]::new('--open-ms', '--open-ms', [CompletionResultType]::ParameterName, 'For loans: how long opening one more object takes')
            [CompletionResult]::new('--closed', '--closed', [CompletionResultType]::ParameterName, 'For loans: replay callers instead of requests. Each caller requests a loan, returns it, thinks for as long as recorded, and requests the next, so those who wait less also request more. CALLERS is how many there are, such as the program''s worker threads')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the plan as JSON, for programs')
            [CompletionResult]::new('--csv', '--csv', [CompletionResultType]::ParameterName, 'Print the classes as CSV, for spreadsheets')
            [CompletionResult]::new('--no-handles', '--no-handles', [CompletionResultType]::ParameterName, 'Propose no handles, for programs that do not refer to objects by handle')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show all proposals, classes and tables, and put all classes into the budget, including those that are not worth a pool')
            [CompletionResult]::new('--with-profiler', '--with-profiler', [CompletionResultType]::ParameterName, 'Plan also for blocks that a recording from Tracy''s client has of the profiler itself: those of Rust''s `tracing`, for spans and the log. Otherwise they are left out and counted')
            [CompletionResult]::new('--measure', '--measure', [CompletionResultType]::ParameterName, 'Show all proposals, and try up to ten of them on this machine for longer than --trial-ms does, by replaying the recorded calls with the system''s allocator and with pools. This takes a few seconds')
            [CompletionResult]::new('--allocators', '--allocators', [CompletionResultType]::ParameterName, 'Also tell what other installed allocators (mimalloc, jemalloc, tcmalloc) would save, their start counted, and how to try them. A program may crash under another allocator')
            [CompletionResult]::new('--no-report', '--no-report', [CompletionResultType]::ParameterName, 'Write no report')
            [CompletionResult]::new('--whole', '--whole', [CompletionResultType]::ParameterName, 'Refuse a trace that is cut short. Otherwise the plan is of what is there, says where the trace ends, and the exit code is 3')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;record' {
            [CompletionResult]::new('--tracy', '--tracy', [CompletionResultType]::ParameterName, 'The machine on which the program runs; without a host, this one')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'End the recording after this many seconds')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;export' {
            [CompletionResult]::new('--tick-rate', '--tick-rate', [CompletionResultType]::ParameterName, 'The number of ticks per second of a lifetime trace without a clock of its own')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--chrome', '--chrome', [CompletionResultType]::ParameterName, 'Write counters in Chrome''s trace event format')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;check' {
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The scenario of the budget')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON, for programs')
            [CompletionResult]::new('--markdown', '--markdown', [CompletionResultType]::ParameterName, 'Print a table in Markdown, for a comment on a pull request')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;diff' {
            [CompletionResult]::new('--threshold', '--threshold', [CompletionResultType]::ParameterName, 'The share by which numbers have to grow or shrink to be told, in per cent, and by more than chance explains unless it is less than 10. Lives have to become longer or shorter by five times as much')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a report to this file. It replaces an earlier report, and no other file')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON, for programs')
            [CompletionResult]::new('--markdown', '--markdown', [CompletionResultType]::ParameterName, 'Print a table in Markdown, for a comment on a pull request')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;merge' {
            [CompletionResult]::new('--partial', '--partial', [CompletionResultType]::ParameterName, 'Print no plan, but write to this file what the next step needs of these sessions: their counts or, with --counts, those of them that may be given up. An earlier such file is replaced')
            [CompletionResult]::new('--counts', '--counts', [CompletionResultType]::ParameterName, 'The counts of all sessions, which `merge --partial` has written. All of the following steps need the same')
            [CompletionResult]::new('--quantile', '--quantile', [CompletionResultType]::ParameterName, 'The share of sessions in which no pool may be full, in per cent')
            [CompletionResult]::new('--headroom', '--headroom', [CompletionResultType]::ParameterName, 'Extra room above the need of these sessions, in per cent')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Make a separate plan for each value of this column, such as the level (`plan --tag`)')
            [CompletionResult]::new('--session-hours', '--session-hours', [CompletionResultType]::ParameterName, 'How long handles must last: the hours that the program may run until the slot that is reused most has used up its generations')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each value of --by. An earlier budget is replaced unless it has been edited')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'How many classes the tables show')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Plan all classes, including those that are not worth a pool in any session, and show all tables')
            [CompletionResult]::new('--no-handles', '--no-handles', [CompletionResultType]::ParameterName, 'Propose no handles, for programs that do not refer to objects by handle')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the plan as JSON, for programs')
            [CompletionResult]::new('--csv', '--csv', [CompletionResultType]::ParameterName, 'Print the classes as CSV, for spreadsheets')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;replay' {
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'The size of all objects, instead of the sizes of the trace. Objects without a size have 64 bytes')
            [CompletionResult]::new('--rounds', '--rounds', [CompletionResultType]::ParameterName, 'The number of rounds')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Replay at most this many insertions and removals, from the beginning of the trace')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'The maximum size of all pools'' slots together, in MiB')
            [CompletionResult]::new('--heap', '--heap', [CompletionResultType]::ParameterName, 'Instead of timing, replay the trace in a model of the system''s allocator, and draw its memory, its free memory and its largest hole over time, compared with the same program in pools. The file is an SVG; an earlier drawing is replaced, any other file is not overwritten')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--walk', '--walk', [CompletionResultType]::ParameterName, 'Iterate over all objects at the end of each tick with an insertion or removal, as games do. Times and the recommendation are then for whole ticks')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the figures as JSON, for programs')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;odds' {
            [CompletionResult]::new('--slots', '--slots', [CompletionResultType]::ParameterName, 'The number of slots of each pool')
            [CompletionResult]::new('--free', '--free', [CompletionResultType]::ParameterName, 'The number of free slots, in place of --slots: the odds for a pool of which --busy slots stay in use, and these are used again and again')
            [CompletionResult]::new('--busy', '--busy', [CompletionResultType]::ParameterName, 'The number of slots that stay in use, with --free')
            [CompletionResult]::new('--rounds', '--rounds', [CompletionResultType]::ParameterName, 'The number of handles that each simulation compares')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The seed of the random numbers')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the odds as JSON, for programs')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;generate' {
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'The number of insertions and removals')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'The approximate number of objects alive at once')
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'The number of days that the game runs, at ten ticks per second')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--heaptrack', '--heaptrack', [CompletionResultType]::ParameterName, 'Write heaptrack''s format instead of a lifetime trace')
            [CompletionResult]::new('--game', '--game', [CompletionResultType]::ParameterName, 'Write lifetimes and sizes of a game that runs for days: sparks, bullets, paths, sounds, texts, decals')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'millpond;watch' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Seconds between two updates')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'Print the current state and exit')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON, one object per line, for programs')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'millpond;soak' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'The duration: a number and s, m, h or d')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The seed of the random numbers')
            [CompletionResult]::new('--capacity', '--capacity', [CompletionResultType]::ParameterName, 'The number of slots of each pool')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Insert and remove as in this trace, repeatedly, in pools as large as its peak')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Soak only pools whose name contains this')
            [CompletionResult]::new('--steps', '--steps', [CompletionResultType]::ParameterName, 'End when each pool has done N operations')
            [CompletionResult]::new('--checkpoint', '--checkpoint', [CompletionResultType]::ParameterName, 'Go on from the state in this file, and leave the new state there')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use a `SyncPool` and a `SyncRecycler` from N threads, instead of all other pools from one')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'The live trace that the recorder of PROGRAM writes')
            [CompletionResult]::new('--warm-up', '--warm-up', [CompletionResultType]::ParameterName, 'How long PROGRAM may allocate memory and reach new peaks')
            [CompletionResult]::new('--drift', '--drift', [CompletionResultType]::ParameterName, 'By how many KiB the resident memory of PROGRAM may grow')
            [CompletionResult]::new('--system-allocator', '--system-allocator', [CompletionResultType]::ParameterName, 'Use boxes of the system''s allocator instead of pools')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the summary as JSON, for programs')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
