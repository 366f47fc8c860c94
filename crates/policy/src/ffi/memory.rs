//! Borrows of what a C caller points to.

use core::ffi::c_void;
use core::slice;

use crate::state::{Head, Table};

/// # Safety
/// `pointer` is null or has `length` bytes.
pub(super) unsafe fn bytes_of<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { slice::from_raw_parts(pointer, length) }
}

/// # Safety
/// `memory` is null or has `bytes` bytes that nobody else touches.
pub(super) unsafe fn words_of<'a>(memory: *mut c_void, bytes: usize) -> Option<&'a mut [u64]> {
    let words = memory.cast::<u64>();
    if words.is_null() || !words.is_aligned() {
        return None;
    }
    // SAFETY: as the caller promises, and aligned.
    Some(unsafe { slice::from_raw_parts_mut(words, bytes / 8) })
}

/// The head of a table and the table's bytes, where there is one.
///
/// # Safety
/// `memory` is null or has a head's bytes that nobody writes to.
pub(super) unsafe fn head_of<'a>(memory: *const Head) -> Option<(&'a Head, usize)> {
    if !memory.is_aligned() {
        return None;
    }
    // SAFETY: as the caller promises, and aligned; any bytes make a head.
    let head = unsafe { memory.as_ref() }?;
    head.bytes().map(|bytes| (head, bytes))
}

/// # Safety
/// `memory` is null or begins a table's memory that nobody else touches.
pub(super) unsafe fn table_of<'a>(memory: *mut c_void) -> Option<Table<'a>> {
    // SAFETY: as the caller promises.
    let (_, bytes) = unsafe { head_of(memory.cast_const().cast()) }?;
    // SAFETY: the head, which is sealed, says how many bytes it begins.
    Table::open_sealed(unsafe { words_of(memory, bytes) }?).ok()
}
