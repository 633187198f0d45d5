//! Prints a profile as a table: a line for each draw, and below it a line for each of its kernels.

use std::fmt::Write as _;

use super::rows::{DrawRow, KernelRow, Order, Profile};
use crate::plural::counted;

/// The titles of the columns.
const HEAD: &str = "   draw  frame  primitive        device ms   share    host ms   compile ms      quads  fragments   \
                    read KiB  written KiB  path";

impl Profile {
    /// The table of the `most` first draws in an order.
    #[must_use]
    pub fn table(&self, order: Order, most: usize) -> String {
        let mut text = format!("kernels on {}\n{HEAD}\n", self.adapter);
        let rows = self.sorted(order, most);
        rows.iter().for_each(|row| self.add_draw(&mut text, row));
        let left = self.draws.len() - rows.len();
        if left > 0 {
            let _ = writeln!(text, "({}; --top lists them)", counted(left, "more draw"));
        }
        if !self.others.is_empty() {
            text += "other commands\n";
            self.others.iter().for_each(|kernel| self.add_kernel(&mut text, kernel));
        }
        let Self { device_milliseconds: device, host_milliseconds: host, compile_milliseconds: compile, .. } = self;
        let _ =
            writeln!(text, "total: {device:.3} ms on the device, {host:.3} ms on the host, {compile:.1} ms to compile");
        text
    }

    fn add_draw(&self, text: &mut String, row: &DrawRow) {
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        let device = or_dash(row.device_milliseconds.map(|time| format!("{time:.3}")));
        let share = or_dash(row.device_milliseconds.map(|time| self.share(time)));
        let count = |count: &dyn Fn(_) -> String| or_dash(row.counts.map(count));
        let kibibytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1024.0);
        let _ = write!(
            text,
            "{:>7}{:>7}  {:<16}{device:>10}{share:>8}{:>11.3}{:>13.1}{:>11}{:>11}{:>11}{:>13}  {}",
            row.draw,
            or_dash(row.frame.map(|frame| frame.to_string())),
            row.primitive,
            row.host_milliseconds,
            row.compile_milliseconds,
            count(&|counts| counts.quads.to_string()),
            count(&|counts| counts.fragments.to_string()),
            count(&|counts| kibibytes(counts.bytes_read)),
            count(&|counts| kibibytes(counts.bytes_written)),
            row.path_text,
        );
        if let ([next, ..], false) = (&row.together_with[..], row.path == "merged") {
            let last = row.together_with.last().unwrap_or(next);
            let _ = match next == last {
                true => write!(text, "; together with draw {next}"),
                false => write!(text, "; together with {} more, up to draw {last}", row.together_with.len()),
            };
        }
        if let Some(reason) = &row.separation {
            let _ = write!(text, "; not merged: {reason}");
        }
        text.push('\n');
        row.kernels.iter().for_each(|kernel| self.add_kernel(text, kernel));
    }

    fn add_kernel(&self, text: &mut String, kernel: &KernelRow) {
        let KernelRow { name, path, milliseconds, passes, compiled, compile_milliseconds } = kernel;
        let (title, share) = (KernelRow::title(name, *path), self.share(*milliseconds));
        let state = match compiled {
            0 => "found in the cache".to_owned(),
            1 => format!("compiled in {compile_milliseconds:.1} ms"),
            several => format!("{} compiled in {compile_milliseconds:.1} ms", counted(several, "kernel")),
        };
        let passes = counted(passes, "pass");
        let _ = writeln!(text, "{:16}{title:<28}{milliseconds:>12.3}{share:>8}{passes:>14}  {state}", "");
    }

    /// The share of a time on the device.
    fn share(&self, milliseconds: f64) -> String {
        format!("{:.1} %", 100.0 * milliseconds / self.device_milliseconds.max(f64::MIN_POSITIVE))
    }
}
