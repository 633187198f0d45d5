//! The runner's own tests: it detects wrong expectations and rejects files without any.

use libtest_mimic::{Failed, Trial};

use super::engines;
use super::file::ProgramTest;

/// A file that passes.
const FILE: &str = "# Doubles.
# test assemble, roundtrip, reference, kernels

!!VP2.0
ADD o[HPOS], v[0], v[0];
END

# run: v[0]=1,2,0.25,-3 -> o[HPOS]=2,4,0.5,-6
# run: v[0]=1,0,0,0 -> o[HPOS]=2,0,0,0 ~2ulp
";

/// Edits that make it fail, and a part of the message for each.
const MISTAKES: [(&str, &str, &str); 14] = [
    ("=2,4,0.5,-6", "=2,4,0.5,0xc0c00001", "expected"),
    ("=2,4,0.5,-6", "=2,4,0.5,6", "expected"),
    ("=2,0,0,0 ~", "=0x40000003,0,0,0 ~", "expected"),
    ("=2,4,0.5,-6", "=2,4,0.5,-6 o[COL0]=0,0,0,1", "no result o[COL0]"),
    ("-> o[HPOS]=2,4,0.5,-6", "-> discarded", "not discarded"),
    ("# run: v[0]=1,2", "# ran: v[0]=1,2", "unknown directive \"ran:\""),
    ("# run: v[0]=1,2", "run: v[0]=1,2", "neither a comment"),
    ("v[0]=1,2,", "w[0]=1,2,", "is not an input"),
    (" kernels", " kernel", "unknown check"),
    ("# test assemble, roundtrip, reference, kernels\n", "", "nothing is checked"),
    (", reference, kernels", "", "no engine runs"),
    ("ADD", "ADDD", "ADDD"),
    ("# Doubles.", "# words: 401f9c6c 0040000d 8106c083 6041ff81", "other words"),
    ("~2ulp", "~ulp", "not a tolerance"),
];

fn outcome(text: &str) -> Result<(), String> {
    engines::check("own", &ProgramTest::parse(text)?)
}

fn mistakes_are_found() -> Result<(), Failed> {
    outcome(FILE)?;
    outcome(&FILE.replace("=2,0,0,0 ~", "=0x40000002,0,0,0 ~"))?;
    for (from, to, message) in MISTAKES {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE, "{from}");
        // Each engine detects it alone, too.
        let alone = text.replace("reference, ", "");
        for text in [&text, &alone] {
            match outcome(text) {
                Ok(()) => return Err(format!("not found: {to}").into()),
                Err(error) if error.contains(message) => {}
                Err(error) => return Err(format!("{to}: {error}").into()),
            }
        }
    }
    Ok(())
}

fn files_without_checks_fail() -> Result<(), Failed> {
    let no_lines: String =
        FILE.lines().filter(|line| !line.starts_with("# run")).map(|line| format!("{line}\n")).collect();
    for text in ["", "# test reference\n", "!!VP2.0\n", no_lines.as_str()] {
        if outcome(text).is_ok() {
            return Err(format!("accepted: {text:?}").into());
        }
    }
    Ok(())
}

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("mistakes_are_found", mistakes_are_found),
        Trial::test("files_without_checks_fail", files_without_checks_fail),
    ]
}
