//! The tool as its users call it: a file for each command, or for what all of them promise.
//!
//! They are one program, so that tests that wait for others run beside tests that compute. One file alone:
//! `cargo test -p millpond-cli --test tool heap_picture`.

mod common;

#[cfg(unix)]
mod action;
mod advice;
mod bad_input;
mod budget;
mod bundled_traces;
mod command_line;
mod compare;
mod cut;
#[cfg(unix)]
mod external;
mod failed_statements;
mod foreign_files;
mod heap_picture;
mod heap_recordings;
mod heaptrack_raw;
mod hostile_bytes;
mod hostile_names;
mod importers_against_reference;
#[cfg(target_os = "linux")]
mod interrupted;
mod json_schema;
mod live_traces;
mod loans;
mod many_summaries;
mod measure;
mod merge;
mod merge_in_parts;
mod odds;
mod one_word;
mod other_tools;
mod passed_over;
mod profiler;
mod replay;
mod report_file;
mod second_lines;
mod server_logs;
mod size_classes;
mod sums;
mod tracy;
mod words;
