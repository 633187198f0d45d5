//! Drives the parser of a language over the statements of a text, and recovers after an error to report several.

use super::cursor::{Cursor, Parsed};
use super::diagnostic::{Diagnostic, ErrorList};

/// Reads the statements of one language.
pub(super) trait ReadStatement<'text> {
    /// What an error calls the end of the text after END.
    const NOTHING_AFTER_END: &'static str = "nothing behind END";

    /// Reads one statement, label or declaration.
    ///
    /// # Errors
    /// When it does not fit the grammar.
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()>;

    /// The error that ends reading because the text exceeds a limit of the processor.
    fn over_limit(&self, _cursor: &Cursor<'text>) -> Option<Diagnostic> {
        None
    }

    /// The error for a text without END, given the errors that were found before.
    fn missing_end(&self, cursor: &Cursor<'text>, _errors: &ErrorList) -> Option<Diagnostic> {
        Some(cursor.unexpected("END").note("a program ends with END"))
    }
}

/// Reads all statements and END, and adds what is wrong to `errors`. Returns whether END was reached.
pub(super) fn read_statements<'text, Reader: ReadStatement<'text>>(
    cursor: &mut Cursor<'text>,
    reader: &mut Reader,
    errors: &mut ErrorList,
) -> bool {
    while !cursor.accept_word("END") {
        if cursor.peek().is_none() {
            errors.extend(reader.missing_end(cursor, errors));
            return false;
        }
        if let Err(error) = reader.read_statement(cursor) {
            errors.push(error);
            if errors.is_full() {
                return false;
            }
            cursor.recover();
        }
        if let Some(error) = reader.over_limit(cursor) {
            errors.push(error);
            return false;
        }
    }
    if cursor.peek().is_some() {
        errors.push(cursor.unexpected(Reader::NOTHING_AFTER_END));
    }
    true
}
