//! What the maps have that become a `VecPool`, beside what is in `growing.rs`.

use super::every_map::three;

#[test]
fn get_unchecked() {
    let (old, keys, new, handles) = three();
    // SAFETY: the keys are live.
    let olds = keys.map(|key| unsafe { *old.get_unchecked(key) });
    // SAFETY: the handles are live.
    assert_eq!(olds, handles.map(|handle| unsafe { *new.get_unchecked(handle) }));
}

#[test]
fn get_unchecked_mut() {
    let (mut old, keys, mut new, handles) = three();
    // SAFETY: the key is live.
    unsafe { *old.get_unchecked_mut(keys[1]) += 1 };
    // SAFETY: the handle is live.
    unsafe { *new.get_unchecked_mut(handles[1]) += 1 };
    assert_eq!(old[keys[1]], new[handles[1]]);
}
