//! The C ABI; `include/pronghorn_policy.h` says what each function does. No panic leaves here: there is nothing in this crate that
//! panics, and were there, the process would abort rather than go on.

mod memory;
mod types;

use alloc::boxed::Box;
use alloc::string::ToString;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::{ptr, str};

use self::memory::{bytes_of, head_of, table_of, words_of};
pub use self::types::{CAsk, CDecision, CError, CSample};
use self::types::{protocol_of, tell};

use crate::decision::{Action, Arm, Decision, Reason};
use crate::key::{self, Keys};
use crate::policy::Policy;
use crate::snapshot::{self, Snapshot};
use crate::state::{ABI, Head, Table};

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn pronghorn_policy_abi() -> u32 {
    ABI
}

/// See the header.
///
/// # Safety
/// `text` has `length` bytes; `error` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_policy_parse(
    text: *const c_char,
    length: usize,
    error: *mut CError,
) -> *mut Policy {
    // SAFETY: as the caller promises.
    let bytes = unsafe { bytes_of(text.cast(), length) };
    let refused = |line, reason: &str| {
        // SAFETY: as the caller promises.
        unsafe { tell(error, line, reason) };
        ptr::null_mut()
    };
    match str::from_utf8(bytes) {
        Err(wrong) => {
            let before = bytes.get(..wrong.valid_up_to()).unwrap_or(bytes);
            let ends = before.iter().filter(|byte| **byte == b'\n').count();
            refused(ends as u32 + 1, "this is no UTF-8")
        }
        Ok(text) => match Policy::parse(text) {
            Ok(policy) => Box::into_raw(Box::new(policy)),
            Err(wrong) => refused(wrong.line, &wrong.reason),
        },
    }
}

/// See the header.
///
/// # Safety
/// `policy` is null or comes from `pronghorn_policy_parse` and is used by nobody afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_policy_free(policy: *mut Policy) {
    if !policy.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(policy) });
    }
}

/// See the header.
///
/// # Safety
/// `policy` is null or comes from `pronghorn_policy_parse`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_policy_epoch_s(policy: *const Policy) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { policy.as_ref() }.map_or(0, |policy| policy.steering().epoch_s)
}

/// See the header.
///
/// # Safety
/// `policy` is null or comes from `pronghorn_policy_parse`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_policy_lease_most_s(policy: *const Policy) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { policy.as_ref() }.map_or(0, |policy| {
        let steering = policy.steering();
        steering.lease_most_s.max(steering.lease_s)
    })
}

/// See the header.
///
/// # Safety
/// `policy` is null or comes from `pronghorn_policy_parse`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_policy_holdout(policy: *const Policy) -> f32 {
    // SAFETY: as the caller promises.
    unsafe { policy.as_ref() }.map_or(0.0, |policy| policy.steering().holdout as f32)
}

/// See the header.
///
/// # Safety
/// `table` begins a table's memory that nobody else touches in the meantime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_table_begin_holdout(
    table: *mut c_void,
    holdout: f32,
    leases_s: u32,
    now_ms: u64,
) {
    // SAFETY: as the caller promises.
    if let Some(mut table) = unsafe { table_of(table) } {
        table.begin_holdout(f64::from(holdout), leases_s, now_ms);
    }
}

/// See the header.
///
/// # Safety
/// `memory` has `bytes` bytes that nobody else touches in the meantime, `secret` 16; `error` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_table_init(
    memory: *mut c_void,
    bytes: usize,
    secret: *const u8,
    error: *mut CError,
) -> c_int {
    // SAFETY: as the caller promises.
    let refused = |reason: &str| unsafe {
        tell(error, 0, reason);
        -1
    };
    if secret.is_null() {
        return refused("there is no secret");
    }
    // SAFETY: as the caller promises.
    let secret = unsafe { *secret.cast::<[u8; 16]>() };
    // SAFETY: as the caller promises.
    let Some(memory) = (unsafe { words_of(memory, bytes) }) else {
        return refused("the table's memory isn't aligned to 8 bytes");
    };
    match Table::init(memory, secret) {
        Ok(_) => 0,
        Err(wrong) => refused(&wrong.to_string()),
    }
}

/// See the header.
///
/// # Safety
/// `memory` has `bytes` bytes that nobody writes to in the meantime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_table_check(memory: *const c_void, bytes: usize) -> c_int {
    if bytes < size_of::<Head>() {
        return -1;
    }
    // SAFETY: as the caller promises; the head lies within the bytes.
    match unsafe { head_of(memory.cast()) } {
        Some((_, whole)) if whole == bytes / 8 * 8 => 0,
        _ => -1,
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn pronghorn_table_capacity(bytes: usize) -> usize {
    Table::capacity(bytes)
}

/// See the header.
///
/// # Safety
/// `table` begins a table's memory, `address` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_keys_of(
    table: *const c_void,
    address: *const u8,
    length: usize,
    own_bits: u8,
    parent_bits: u8,
) -> Keys {
    // SAFETY: as the caller promises.
    let (head, bytes) = unsafe { (head_of(table.cast()), bytes_of(address, length)) };
    let address = if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        IpAddr::V4(Ipv4Addr::from(v4))
    } else if let Ok(v6) = <[u8; 16]>::try_from(bytes) {
        IpAddr::V6(Ipv6Addr::from(v6))
    } else {
        IpAddr::V6(Ipv6Addr::UNSPECIFIED)
    };
    let secret = head.map_or([0; 16], |(head, _)| head.secret);
    key::keys_of(&secret, address, own_bits, parent_bits)
}

/// See the header.
///
/// # Safety
/// `policy` comes from `pronghorn_policy_parse`, `table` begins a table's memory that nobody else touches in the meantime, `sample` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_observe(
    policy: *const Policy,
    table: *mut c_void,
    keys: Keys,
    protocol: u8,
    sample: *const CSample,
    now_ms: u64,
) {
    // SAFETY: as the caller promises.
    let parts = unsafe { (policy.as_ref(), table_of(table), sample.as_ref()) };
    if let (Some(policy), Some(mut table), Some(sample)) = parts {
        table.observe(
            policy,
            keys,
            protocol_of(protocol),
            &sample.natural(),
            now_ms,
        );
    }
}

/// See the header.
///
/// # Safety
/// As of `pronghorn_observe`; `ask` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_decide(
    policy: *const Policy,
    table: *mut c_void,
    keys: Keys,
    protocol: u8,
    ask: *const CAsk,
    now_ms: u64,
) -> CDecision {
    // SAFETY: as the caller promises.
    let parts = unsafe { (policy.as_ref(), table_of(table), ask.as_ref()) };
    let decision = match parts {
        (Some(policy), Some(mut table), Some(ask)) => {
            table.decide(policy, keys, protocol_of(protocol), &ask.natural(), now_ms)
        }
        _ => Decision::NO_TABLE,
    };
    CDecision::of(&decision)
}

/// See the header.
///
/// # Safety
/// As of `pronghorn_observe`, though the table is only read; `snapshot` may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pronghorn_snapshot_of(
    policy: *const Policy,
    table: *const c_void,
    now_ms: u64,
    snapshot: *mut Snapshot,
) {
    if snapshot.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    let parts = unsafe { (policy.as_ref(), head_of(table.cast())) };
    match parts {
        (Some(policy), Some((head, _))) => {
            let taken = snapshot::of_head(head, policy, now_ms);
            // SAFETY: as the caller promises.
            unsafe { snapshot.write(taken) };
        }
        // SAFETY: as the caller promises; all fields are numbers, which may be 0.
        _ => unsafe { snapshot.write_bytes(0, 1) },
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn pronghorn_reason_name(reason: u8) -> *const c_char {
    name_of(&Reason::ALL, reason, |reason| reason.c_name())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn pronghorn_arm_name(arm: u8) -> *const c_char {
    let arms = [Arm::Steered, Arm::PinnedH2, Arm::PinnedH3];
    name_of(&arms, arm, |arm| arm.c_name())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn pronghorn_action_name(action: u8) -> *const c_char {
    let actions = [Action::Nothing, Action::Advertise, Action::Clear];
    name_of(&actions, action, |action| action.c_name())
}

fn name_of<T: Copy>(all: &[T], number: u8, name: fn(T) -> &'static CStr) -> *const c_char {
    let known = all.get(usize::from(number)).copied();
    known.map_or(c"unknown", name).as_ptr()
}
