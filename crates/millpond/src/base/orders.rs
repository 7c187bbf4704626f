//! Orders of atomic accesses, each with its name, which `ci/loom` weakens one at a time.

macro_rules! orders {
    ($($(#[$why:meta])* $name:ident: $order:ident, weaker $($weaker:ident)|+;)*) => {
        $(
            $(#[$why])*
            #[inline(always)]
            pub(super) fn $name() -> core::sync::atomic::Ordering {
                #[cfg(all(test, loom))]
                {
                    $(
                        if $crate::base::orders::is_weakened(concat!(stringify!($name), "=", stringify!($weaker))) {
                            return core::sync::atomic::Ordering::$weaker;
                        }
                    )+
                }
                core::sync::atomic::Ordering::$order
            }
        )*

        /// Each order with each of its weaker ones, as the environment variable names them.
        #[cfg(all(test, loom))]
        pub(crate) const WEAKENED: &[&str] =
            &[$($(concat!(stringify!($name), "=", stringify!($weaker)),)+)*];
    };
}

pub(crate) use orders;

/// Whether the environment selects this weaker order.
#[cfg(all(test, loom))]
pub(crate) fn is_weakened(order: &str) -> bool {
    use std::string::String;
    use std::sync::OnceLock;

    static ASKED: OnceLock<Option<String>> = OnceLock::new();
    ASKED.get_or_init(|| std::env::var("MILLPOND_WEAKEN").ok()).as_deref() == Some(order)
}
