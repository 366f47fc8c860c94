//! Foreign text made visible, as `pronghorn/foreign.py` does it for all that Python shows.

/// `text` with each character that acts on a terminal, turns the order of what follows, or has no width, written as
/// JSON writes it: ESC is `\\u001b`. Tabs and line feeds stay.
pub(crate) fn visible(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut units = [0; 2];
    for char in text.chars() {
        if acts(char) {
            for unit in char.encode_utf16(&mut units) {
                told.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            told.push(char);
        }
    }
    told
}

fn acts(char: char) -> bool {
    (char.is_control() && !matches!(char, '\t' | '\n'))
        || matches!(char,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_acts_is_written_as_json_writes_it() {
        let hostile = "a\u{1b}[2J\u{9b}\r\u{202e}\u{200b}\u{e0041}\tb\nü页";
        assert_eq!(
            visible(hostile),
            "a\\u001b[2J\\u009b\\u000d\\u202e\\u200b\\udb40\\udc41\tb\nü页"
        );
    }
}
