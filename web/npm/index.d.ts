/** A recording: its file's name, which says the format only where the bytes do not, and its bytes, compressed or not. */
export interface Recording {
  name: string;
  bytes: Uint8Array;
}

/** The options of `millpond plan`, by their names there. What is left out is as the command has it. */
export interface Options {
  /** Per cent on top of the peak; 25. */
  headroom?: number;
  /** Ticks a second, where the recording has ticks only. */
  tick_rate?: number;
  /** How long handles have to last; hours. */
  session_hours?: number;
  /** Callers that are passed over: wrappers of the allocator. */
  skip_caller?: string[];
  /** The classes to list, if not 10. */
  top?: number;
  /** Only classes that fit this pattern. */
  class?: string;
  /** Lists everything. */
  all?: boolean;
  no_handles?: boolean;
  /** Size classes up to this many bytes are planned too. */
  size_classes?: number;
  blocks_at_hand?: number;
  /** Prices of calls, as `millpond plan --prices` reads them; those of the reference if there are none. */
  prices?: string;
  /** The recordings are of loans, and this is the longest wait of 99 of 100; milliseconds. */
  wait_p99_ms?: number;
  open_ms?: number;
  closed?: number;
  /** The most memory that the plan may take; 4 GiB if there is no such limit. */
  memory_bytes_max?: number;
}

/** What the command prints and writes. */
export interface Results {
  /** With a terminal's colours. */
  text: string;
  /** A page of HTML that needs nothing else. */
  report: string;
  /** `--json`, as text. */
  json: string;
  csv: string;
  /** `budget.toml`, or why there is none. */
  budget: { Ok: string } | { Err: string };
  /** For `millpond merge`; none for loans and for sums. */
  summary: string | null;
}

/** What a plan fails with: the line that `millpond plan` would print. */
export class PlanError extends Error {}

/**
 * Plans recordings: how many slots each pool needs. It runs on the thread that calls it, so call it in a worker if that
 * thread draws. A plan's trial, which replays the recording on this machine, is left to the command.
 */
export function plan(files: Recording[], options?: Options): Promise<Results>;
