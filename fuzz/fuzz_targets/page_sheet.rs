#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pronghorn_fuzz_targets::page_sheet(bytes));
