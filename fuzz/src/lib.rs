//! Fuzz targets, for a fuzzer or without one.
//!
//! Under `cargo fuzz` a target is libFuzzer's. Built like any other program it goes through its
//! seeds and through changed copies of them for some seconds, which needs no special compiler and
//! therefore runs with the tests. It finds less; what it finds, it prints.

#[cfg(fuzzing)]
pub use libfuzzer_sys;

#[cfg(not(fuzzing))]
pub mod plain;

/// Declares the program of a target.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: $kind:ty| $body:block) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|$input: $kind| $body);

        #[cfg(not(fuzzing))]
        fn main() {
            fn once($input: $kind) $body
            $crate::plain::run(env!("CARGO_BIN_NAME"), |bytes| {
                if let Some(input) = $crate::plain::Input::of(bytes) {
                    once(input);
                }
            });
        }
    };
}
