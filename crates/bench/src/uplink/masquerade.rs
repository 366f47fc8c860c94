//! Source address translation of what a host passes on to its uplink: nftables' `masquerade`, asked for
//! by netlink (`nft(8)`; linux/netfilter/nf_tables.h).

use std::fs;
use std::net::Ipv4Addr;

use nix::errno::Errno;

use crate::network::netlink::{Batch, Request, Socket};

const TABLE: &[u8] = b"pronghorn\0";
const UPLINK: &[u8] = b"uplink\0";
const GUARD: &[u8] = b"guard\0";

const NFNL_SUBSYS_NFTABLES: u16 = 10;
const NFNL_MSG_BATCH_BEGIN: u16 = 0x10;
const NFNL_MSG_BATCH_END: u16 = 0x11;
const NEW_TABLE: u16 = NFNL_SUBSYS_NFTABLES << 8;
const NEW_CHAIN: u16 = NFNL_SUBSYS_NFTABLES << 8 | 3;
const NEW_RULE: u16 = NFNL_SUBSYS_NFTABLES << 8 | 6;

const NFTA_TABLE_NAME: u16 = 1;
const NFTA_CHAIN_TABLE: u16 = 1;
const NFTA_CHAIN_NAME: u16 = 3;
const NFTA_CHAIN_HOOK: u16 = 4;
const NFTA_CHAIN_TYPE: u16 = 7;
const NFTA_HOOK_HOOKNUM: u16 = 1;
const NFTA_HOOK_PRIORITY: u16 = 2;
const NFTA_RULE_TABLE: u16 = 1;
const NFTA_RULE_CHAIN: u16 = 2;
const NFTA_RULE_EXPRESSIONS: u16 = 4;
const NFTA_LIST_ELEM: u16 = 1;
const NFTA_EXPR_NAME: u16 = 1;
const NFTA_EXPR_DATA: u16 = 2;
const NFTA_META_DREG: u16 = 1;
const NFTA_META_KEY: u16 = 2;
const NFTA_PAYLOAD_DREG: u16 = 1;
const NFTA_PAYLOAD_BASE: u16 = 2;
const NFTA_PAYLOAD_OFFSET: u16 = 3;
const NFTA_PAYLOAD_LEN: u16 = 4;
const NFTA_CMP_SREG: u16 = 1;
const NFTA_CMP_OP: u16 = 2;
const NFTA_CMP_DATA: u16 = 3;
const NFTA_IMMEDIATE_DREG: u16 = 1;
const NFTA_IMMEDIATE_DATA: u16 = 2;
const NFTA_DATA_VALUE: u16 = 1;
const NFTA_DATA_VERDICT: u16 = 2;
const NFTA_VERDICT_CODE: u16 = 1;

const POSTROUTING: u32 = 4;
const PRIORITY_SOURCE_NAT: u32 = 100;
const PRIORITY_AFTER_NAT: u32 = 200;
const REGISTER: u32 = 1;
const VERDICT: u32 = 0;
const DROP: u32 = 0;
const OUTPUT_DEVICE: u32 = 5;
const NETWORK_HEADER: u32 = 1;
const SOURCE_OFFSET: u32 = 12;
const EQUAL: u32 = 0;
const UNEQUAL: u32 = 1;

/// What connection tracking does with the packets of a path: it translates damaged ones too, which are
/// for the receiver to find, and those that come late or twice (`nf_conntrack-sysctl.rst`).
const LENIENT: [(&str, &str); 2] = [
    ("nf_conntrack_checksum", "0"),
    ("nf_conntrack_tcp_be_liberal", "1"),
];

/// Has everything that leaves the calling thread's network namespace by the device `index` bear that
/// device's `address`. What can't be translated, such as a packet whose lengths or TCP flags make no sense, doesn't
/// leave.
///
/// # Errors
/// The kernel's: it has no nftables, no masquerading, or doesn't permit it.
pub(super) fn masquerade(index: u32, address: Ipv4Addr) -> Result<(), Errno> {
    let table = message(NEW_TABLE).attribute(NFTA_TABLE_NAME, TABLE);
    let translate = |list| expression(list, b"masq\0", |masquerade| masquerade);
    let stop = |list| drop(compare(source(list), UNEQUAL, &address.octets()));
    Socket::of_netfilter()?.ask_all(Batch {
        begin: mark(NFNL_MSG_BATCH_BEGIN),
        requests: vec![
            table,
            chain(UPLINK, b"nat\0", PRIORITY_SOURCE_NAT),
            rule(UPLINK, index, translate),
            chain(GUARD, b"filter\0", PRIORITY_AFTER_NAT),
            rule(GUARD, index, stop),
        ],
        end: mark(NFNL_MSG_BATCH_END),
    })?;
    for (setting, value) in LENIENT {
        // Where that is refused, what would be translated doesn't leave either.
        let _ = fs::write(format!("/proc/sys/net/netfilter/{setting}"), value);
    }
    Ok(())
}

/// A chain of packets that are about to leave.
fn chain(name: &[u8], kind: &[u8], priority: u32) -> Request {
    message(NEW_CHAIN)
        .attribute(NFTA_CHAIN_TABLE, TABLE)
        .attribute(NFTA_CHAIN_NAME, name)
        .nest(NFTA_CHAIN_HOOK | NESTED, |hook| {
            hook.attribute(NFTA_HOOK_HOOKNUM, &POSTROUTING.to_be_bytes())
                .attribute(NFTA_HOOK_PRIORITY, &priority.to_be_bytes())
        })
        .attribute(NFTA_CHAIN_TYPE, kind)
}

/// What a chain does with packets that leave by the device `index`.
fn rule(chain: &[u8], index: u32, then: impl FnOnce(Request) -> Request) -> Request {
    message(NEW_RULE)
        .attribute(NFTA_RULE_TABLE, TABLE)
        .attribute(NFTA_RULE_CHAIN, chain)
        .nest(NFTA_RULE_EXPRESSIONS | NESTED, |list| {
            let list = expression(list, b"meta\0", |meta| {
                meta.attribute(NFTA_META_KEY, &OUTPUT_DEVICE.to_be_bytes())
                    .attribute(NFTA_META_DREG, &REGISTER.to_be_bytes())
            });
            then(compare(list, EQUAL, &index.to_ne_bytes()))
        })
}

/// Reads the source address.
fn source(list: Request) -> Request {
    expression(list, b"payload\0", |payload| {
        payload
            .attribute(NFTA_PAYLOAD_DREG, &REGISTER.to_be_bytes())
            .attribute(NFTA_PAYLOAD_BASE, &NETWORK_HEADER.to_be_bytes())
            .attribute(NFTA_PAYLOAD_OFFSET, &SOURCE_OFFSET.to_be_bytes())
            .attribute(NFTA_PAYLOAD_LEN, &4u32.to_be_bytes())
    })
}

/// Goes on where what was read compares so.
fn compare(list: Request, how: u32, with: &[u8]) -> Request {
    expression(list, b"cmp\0", |compare| {
        compare
            .attribute(NFTA_CMP_SREG, &REGISTER.to_be_bytes())
            .attribute(NFTA_CMP_OP, &how.to_be_bytes())
            .nest(NFTA_CMP_DATA | NESTED, |data| {
                data.attribute(NFTA_DATA_VALUE, with)
            })
    })
}

fn drop(list: Request) -> Request {
    expression(list, b"immediate\0", |immediate| {
        immediate
            .attribute(NFTA_IMMEDIATE_DREG, &VERDICT.to_be_bytes())
            .nest(NFTA_IMMEDIATE_DATA | NESTED, |data| {
                data.nest(NFTA_DATA_VERDICT | NESTED, |verdict| {
                    verdict.attribute(NFTA_VERDICT_CODE, &DROP.to_be_bytes())
                })
            })
    })
}

const NESTED: u16 = libc::NLA_F_NESTED as u16;

fn expression(list: Request, name: &[u8], fill: impl FnOnce(Request) -> Request) -> Request {
    list.nest(NFTA_LIST_ELEM | NESTED, |element| {
        element
            .attribute(NFTA_EXPR_NAME, name)
            .nest(NFTA_EXPR_DATA | NESTED, fill)
    })
}

/// A message about IPv4 with its `nfgenmsg`.
fn message(kind: u16) -> Request {
    let flags = libc::NLM_F_CREATE | libc::NLM_F_APPEND;
    Request::new(kind, flags, &[libc::NFPROTO_IPV4 as u8, 0, 0, 0])
}

fn mark(kind: u16) -> Request {
    let [high, low] = NFNL_SUBSYS_NFTABLES.to_be_bytes();
    Request::new(kind, 0, &[libc::AF_UNSPEC as u8, 0, high, low])
}
