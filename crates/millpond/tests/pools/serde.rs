//! Feature `serde`: handles and statistics through a format for humans (JSON) and a compact one
//! (postcard), and what is not a handle is refused with its reason.

use std::collections::HashMap;

use millpond::{Handle, Handle32, Pool, Stats};

#[test]
fn a_handle_is_its_text_for_humans() {
    let handle = Handle::<str>::from_parts(3, 7).unwrap();
    assert_eq!(serde_json::to_string(&handle).unwrap(), "\"3v7\"");
    assert_eq!(serde_json::from_str::<Handle<str>>("\"3v7\"").unwrap(), handle);
    let small = Handle32::<str, 24>::from_parts(3, 7).unwrap();
    assert_eq!(serde_json::to_string(&small).unwrap(), "\"3v7\"");
    assert_eq!(serde_json::from_str::<Handle32<str, 24>>("\"3v7\"").unwrap(), small);
    // An escape makes the text one that the format cannot lend out.
    assert_eq!(serde_json::from_str::<Handle<str>>(r#""3\u00767""#).unwrap(), handle);
}

#[test]
fn a_handle_is_its_bits_for_machines() {
    let handle = Handle::<str>::from_parts(3, 7).unwrap();
    let bytes = postcard::to_allocvec(&handle).unwrap();
    assert_eq!(bytes, postcard::to_allocvec(&handle.to_bits()).unwrap());
    assert_eq!(postcard::from_bytes::<Handle<str>>(&bytes).unwrap(), handle);
    let small = Handle32::<str, 24>::from_parts(3, 7).unwrap();
    let bytes = postcard::to_allocvec(&small).unwrap();
    assert_eq!(bytes, postcard::to_allocvec(&(3_u32 << 8 | 7)).unwrap());
    assert_eq!(postcard::from_bytes::<Handle32<str, 24>>(&bytes).unwrap(), small);
}

#[test]
fn a_handle_can_be_missing_and_can_be_a_key() {
    let none = postcard::to_allocvec(&None::<Handle<u64>>).unwrap();
    assert_eq!(postcard::from_bytes::<Option<Handle<u64>>>(&none).unwrap(), None);
    assert_eq!(serde_json::from_str::<Option<Handle<u64>>>("null").unwrap(), None);
    let handle = Handle::<u64>::from_parts(3, 7).unwrap();
    let names = HashMap::from([(handle, "ship")]);
    let text = serde_json::to_string(&names).unwrap();
    assert_eq!(text, r#"{"3v7":"ship"}"#);
    assert_eq!(serde_json::from_str::<HashMap<Handle<u64>, &str>>(&text).unwrap(), names);
}

#[test]
fn what_no_pool_can_issue_is_refused_with_the_reason() {
    let refused = |text: &str| serde_json::from_str::<Handle<u64>>(text).unwrap_err().to_string();
    let malformed = "not a handle: expected an index, `v` and a generation, such as `3v7`";
    for text in ["3-7", "", "v", "3v", "v7", "3v7v1", "+3v7", "3v+7", "03v7", "3v07", " 3v7", "3V7"]
    {
        let message = refused(&format!("{text:?}"));
        assert!(message.starts_with(malformed), "{text}: {message}");
    }
    let beyond = "no handle of this layout has such an index and generation";
    for text in ["3v0", "4294967295v1", "0v2147483648", "0v4294967296", "99999999999999999999v1"] {
        let message = refused(&format!("{text:?}"));
        assert!(message.starts_with(beyond), "{text}: {message}");
    }
    for text in ["7", "-7", "null", "[3,7]", "true", "{}", "1e3"] {
        let message = refused(text);
        assert!(message.contains("a handle as text, such as \"3v7\""), "{text}: {message}");
    }
    let narrow = serde_json::from_str::<Handle32<u64, 24>>("\"3v256\"").unwrap_err().to_string();
    assert!(narrow.starts_with(beyond), "{narrow}");
}

#[test]
fn bits_that_no_pool_can_issue_are_refused() {
    let wide = |bits: u64| {
        postcard::from_bytes::<Handle<u64>>(&postcard::to_allocvec(&bits).unwrap()).is_ok()
    };
    assert!(wide(1) && wide(0xffff_fffe_7fff_ffff));
    for bits in [0, 3 << 32, 0x8000_0000, 0xffff_ffff_0000_0001, u64::MAX] {
        assert!(!wide(bits), "{bits:x}");
    }
    let narrow = |bits: u64| {
        postcard::from_bytes::<Handle32<u64, 16>>(&postcard::to_allocvec(&bits).unwrap()).is_ok()
    };
    assert!(narrow(1) && narrow(0xffff_7fff));
    for bits in [0, 3 << 16, 0x8000, 1 << 32 | 1, u64::MAX] {
        assert!(!narrow(bits), "{bits:x}");
    }
    for bytes in [&[][..], &[0x80], &[0xff; 11]] {
        assert!(postcard::from_bytes::<Handle<u64>>(bytes).is_err());
    }
}

#[test]
fn statistics_go_there_and_back() {
    let mut pool = Pool::new(2);
    let a = pool.insert('a').unwrap();
    pool.insert('b').unwrap();
    assert!(pool.insert('c').is_err());
    pool.remove(a);
    let stats = pool.stats();
    let text = serde_json::to_string(&stats).unwrap();
    assert_eq!(
        text,
        r#"{"capacity":2,"live":1,"peak":2,"retired":0,"inserted":2,"removed":1,"refused":1,"evicted":0}"#
    );
    assert_eq!(serde_json::from_str::<Stats>(&text).unwrap(), stats);
    let bytes = postcard::to_allocvec(&stats).unwrap();
    assert_eq!(postcard::from_bytes::<Stats>(&bytes).unwrap(), stats);
    let short = text.replace(r#","refused":1"#, "");
    let error = serde_json::from_str::<Stats>(&short).unwrap_err().to_string();
    assert!(error.starts_with("missing field `refused`"), "{error}");
    let wrong = text.replace(r#""live":1"#, r#""live":-1"#);
    assert!(serde_json::from_str::<Stats>(&wrong).is_err());
}
