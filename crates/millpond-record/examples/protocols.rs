//! Prints what is known of each protocol, for `ci/tracy/check`, which compares it with the client's headers.

fn main() {
    print!("{}", millpond_record::tracy::protocol_tables());
}
