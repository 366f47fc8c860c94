//! The Huffman code of RFC 7541 Appendix B, built at compile time.
//!
//! The code is canonical: codes of one length follow each other in the order of their symbols, and
//! the next length goes on where the last one ended. So the lengths alone define it.

/// The symbol that ends a string and must never be sent (RFC 7541 §5.2).
pub(super) const EOS: u16 = 256;

/// The longest code, in bits.
pub(super) const LONGEST: usize = 30;

/// Bits by which [`SHORT`] is indexed.
pub(super) const SHORT_BITS: usize = 10;

/// The length of each symbol's code in bits; the last is [`EOS`].
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5,
    5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6,
    6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22,
    23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22,
    21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20,
    22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19,
    21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22,
    22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];

/// One symbol's code, right-aligned, and its length in bits.
#[derive(Clone, Copy)]
pub(super) struct Codeword {
    pub(super) bits: u32,
    pub(super) length: u8,
}

/// The codes of one length: the first of them, how many there are, and where in [`SYMBOLS`] their
/// symbols begin.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) offset: u32,
}

/// What the next [`SHORT_BITS`] bits begin with; a length of 0 where the code is longer than that.
#[derive(Clone, Copy)]
pub(super) struct Short {
    pub(super) symbol: u8,
    pub(super) length: u8,
}

/// The codes by symbol.
pub(super) static CODEWORDS: [Codeword; 257] = codewords();
/// The codes by length.
pub(super) static RANKS: [Rank; LONGEST + 1] = ranks();
/// The symbols in the order of their codes.
pub(super) static SYMBOLS: [u16; 257] = symbols();
/// The short codes by the bits that begin with them.
pub(super) static SHORT: [Short; 1 << SHORT_BITS] = short();

const fn ranks() -> [Rank; LONGEST + 1] {
    let mut ranks = [Rank {
        first: 0,
        count: 0,
        offset: 0,
    }; LONGEST + 1];
    let mut symbol = 0;
    while symbol < LENGTHS.len() {
        ranks[LENGTHS[symbol] as usize].count += 1;
        symbol += 1;
    }
    let mut length = 1;
    while length <= LONGEST {
        let shorter = ranks[length - 1];
        ranks[length].first = (shorter.first + shorter.count) << 1;
        ranks[length].offset = shorter.offset + shorter.count;
        length += 1;
    }
    ranks
}

const fn codewords() -> [Codeword; 257] {
    let mut next = ranks();
    let mut codewords = [Codeword { bits: 0, length: 0 }; 257];
    let mut symbol = 0;
    while symbol < LENGTHS.len() {
        let length = LENGTHS[symbol];
        codewords[symbol] = Codeword {
            bits: next[length as usize].first,
            length,
        };
        next[length as usize].first += 1;
        symbol += 1;
    }
    codewords
}

const fn symbols() -> [u16; 257] {
    let mut next = ranks();
    let mut symbols = [0; 257];
    let mut symbol = 0;
    while symbol < LENGTHS.len() {
        let rank = &mut next[LENGTHS[symbol] as usize];
        symbols[rank.offset as usize] = symbol as u16;
        rank.offset += 1;
        symbol += 1;
    }
    symbols
}

const fn short() -> [Short; 1 << SHORT_BITS] {
    let codewords = codewords();
    let mut short = [Short {
        symbol: 0,
        length: 0,
    }; 1 << SHORT_BITS];
    let mut symbol = 0;
    while symbol < 256 {
        let Codeword { bits, length } = codewords[symbol];
        if length as usize <= SHORT_BITS {
            let spare = SHORT_BITS - length as usize;
            let start = (bits as usize) << spare;
            let mut index = start;
            while index < start + (1 << spare) {
                short[index] = Short {
                    symbol: symbol as u8,
                    length,
                };
                index += 1;
            }
        }
        symbol += 1;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_complete() {
        let kraft: u64 = LENGTHS
            .iter()
            .map(|&length| 1 << (LONGEST - usize::from(length)))
            .sum();
        assert_eq!(kraft, 1 << LONGEST);
    }

    #[test]
    fn codes_are_those_of_the_appendix() {
        let expected: [(u8, u32, u8); 8] = [
            (b'0', 0x0, 5),
            (b'a', 0x3, 5),
            (b' ', 0x14, 6),
            (b'&', 0xf8, 8),
            (b'Z', 0xfd, 8),
            (b'\\', 0x7fff0, 19),
            (0, 0x1ff8, 13),
            (255, 0x3ff_ffee, 26),
        ];
        for (symbol, bits, length) in expected {
            let code = CODEWORDS[usize::from(symbol)];
            assert_eq!((code.bits, code.length), (bits, length), "symbol {symbol}");
        }
        assert_eq!(CODEWORDS[usize::from(EOS)].bits, 0x3fff_ffff);
    }
}
