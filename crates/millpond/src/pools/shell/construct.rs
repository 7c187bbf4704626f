/// `typed_builder`, of this builder.
#[cfg(feature = "alloc")]
macro_rules! typed_builder_method {
    ($builder:ty, example $type:literal, $finish:literal) => {
        /// A builder of pools of exactly this type. `builder` starts with the default reuse order and handles; this
        /// one starts with those of `Self`.
        ///
        /// ```
        /// use millpond::reuse::Fifo;
        /// use millpond::*;
        ///
        /// handle_type! { struct Key; }
        #[doc = concat!("type Keyed = ", $type, ";")]
        #[doc = concat!("let pool = Keyed::typed_builder().name(\"nodes\")", $finish, ";")]
        /// assert_eq!(pool.name(), Some("nodes"));
        /// ```
        pub fn typed_builder() -> $builder {
            <$builder>::new()
        }
    };
}
#[cfg(feature = "alloc")]
pub(crate) use typed_builder_method;
