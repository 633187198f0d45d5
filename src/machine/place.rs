//! Converts byte offsets in a text into lines and columns.

/// Line and column of a byte offset, both counted from 1; columns are characters.
pub(super) fn place(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Lines and columns of many byte offsets in ascending order, in one pass over the text.
pub(super) fn places(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let (mut line, mut column) = (1, 1);
    let mut letters = text.char_indices().peekable();
    let advance = |offset: usize| {
        while let Some((_, letter)) = letters.next_if(|(at, letter)| at + letter.len_utf8() <= offset) {
            (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        (line, column)
    };
    offsets.map(advance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "a\n×b\n";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, 2), (2, 1));
        // An offset inside a character belongs to its column.
        assert_eq!(place(text, 3), (2, 1));
        assert_eq!(place(text, 4), (2, 2));
        assert_eq!(place(text, 6), (3, 1));
        assert_eq!(place(text, 600), (3, 1));
        let offsets = [0, 1, 1, 2, 3, 4, 5, 6, 600];
        assert_eq!(places(text, offsets.into_iter()), offsets.map(|offset| place(text, offset)));
    }
}
