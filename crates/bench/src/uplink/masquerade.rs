//! Source address translation of what a host passes on to its uplink: nftables' `masquerade`, asked for
//! by netlink (`nft(8)`; linux/netfilter/nf_tables.h).

use nix::errno::Errno;

use crate::netlink::{Batch, Request, Socket};

const TABLE: &[u8] = b"pronghorn\0";
const CHAIN: &[u8] = b"uplink\0";

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
const NFTA_CMP_SREG: u16 = 1;
const NFTA_CMP_OP: u16 = 2;
const NFTA_CMP_DATA: u16 = 3;
const NFTA_DATA_VALUE: u16 = 1;

const POSTROUTING: u32 = 4;
const PRIORITY_SOURCE_NAT: u32 = 100;
const REGISTER: u32 = 1;
const OUTPUT_DEVICE: u32 = 5;
const EQUAL: u32 = 0;

/// Has everything that leaves the calling thread's network namespace by the device `index` bear that
/// device's address.
///
/// # Errors
/// The kernel's: it has no nftables, no masquerading, or doesn't permit it.
pub(super) fn masquerade(index: u32) -> Result<(), Errno> {
    let table = message(NEW_TABLE).attribute(NFTA_TABLE_NAME, TABLE);
    let chain = message(NEW_CHAIN)
        .attribute(NFTA_CHAIN_TABLE, TABLE)
        .attribute(NFTA_CHAIN_NAME, CHAIN)
        .nest(NFTA_CHAIN_HOOK | NESTED, |hook| {
            hook.attribute(NFTA_HOOK_HOOKNUM, &POSTROUTING.to_be_bytes())
                .attribute(NFTA_HOOK_PRIORITY, &PRIORITY_SOURCE_NAT.to_be_bytes())
        })
        .attribute(NFTA_CHAIN_TYPE, b"nat\0");
    let rule = message(NEW_RULE)
        .attribute(NFTA_RULE_TABLE, TABLE)
        .attribute(NFTA_RULE_CHAIN, CHAIN)
        .nest(NFTA_RULE_EXPRESSIONS | NESTED, |list| {
            let list = expression(list, b"meta\0", |meta| {
                meta.attribute(NFTA_META_KEY, &OUTPUT_DEVICE.to_be_bytes())
                    .attribute(NFTA_META_DREG, &REGISTER.to_be_bytes())
            });
            let list = expression(list, b"cmp\0", |compare| {
                compare
                    .attribute(NFTA_CMP_SREG, &REGISTER.to_be_bytes())
                    .attribute(NFTA_CMP_OP, &EQUAL.to_be_bytes())
                    .nest(NFTA_CMP_DATA | NESTED, |data| {
                        data.attribute(NFTA_DATA_VALUE, &index.to_ne_bytes())
                    })
            });
            expression(list, b"masq\0", |masquerade| masquerade)
        });
    Socket::of_netfilter()?.ask_all(Batch {
        begin: mark(NFNL_MSG_BATCH_BEGIN),
        requests: vec![table, chain, rule],
        end: mark(NFNL_MSG_BATCH_END),
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
