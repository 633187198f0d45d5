//! Writes the results of checks as JUnit XML and as a table of values, and merges those of several machines.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{CheckError, CheckResult, Share, files};

/// The name of the property that says which share of its cases a suite has.
const SHARE: &str = "fraction";

/// The first line of a table.
const HEAD: &str = "file,case,engine,item,value";

/// The results of one or several check files.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The share of the cases that ran.
    pub share: Share,
    /// The results by file, in the order in which they were obtained.
    pub files: Vec<(PathBuf, Vec<CheckResult>)>,
}

impl Report {
    /// The JUnit report: a test suite for each file, a test case for each case and engine, both in the order of their names.
    ///
    /// # Errors
    /// When it cannot be written as XML.
    pub fn junit(&self) -> Result<String, CheckError> {
        let suites = self.files.iter().map(|(path, results)| {
            let mut suite = TestSuite::new(path.display().to_string());
            suite.add_property(Property::new(SHARE, self.share.to_string()));
            suite.add_test_cases(results.iter().map(|result| test_case(path, result)));
            suite
        });
        write_report(suites.collect())
    }

    /// The table of what the cases gave: a line for each case, engine and item, in the order of their text.
    #[must_use]
    pub fn table(&self) -> String {
        let results = self.files.iter().flat_map(|(path, results)| results.iter().map(move |result| (path, result)));
        let lines = results.flat_map(|(path, result)| {
            let CheckResult { case, engine, values, .. } = result;
            let (path, engine) = (path.display().to_string().replace([',', '"', '\n'], "_"), engine.name());
            values.iter().map(move |(item, value)| format!("{path},{case},{engine},{item},{value}"))
        });
        table_of(lines.collect())
    }
}

fn table_of(lines: BTreeSet<String>) -> String {
    std::iter::once(HEAD.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

fn test_case(path: &Path, result: &CheckResult) -> TestCase {
    let CheckResult { case, engine, differences, time, .. } = result;
    let status = match differences.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(first.as_str()).set_type("difference").set_description(differences.join("\n"));
            status
        }
    };
    let mut test_case = TestCase::new(format!("{case} [{}]", engine.name()), status);
    test_case.set_classname(path.display().to_string()).set_time(*time);
    test_case
}

fn write_report(mut suites: Vec<TestSuite>) -> Result<String, CheckError> {
    let mut report = quick_junit::Report::new("curie check");
    suites.sort_by(|left, right| left.name.cmp(&right.name));
    for suite in &mut suites {
        suite.test_cases.sort_by(|left, right| left.name.cmp(&right.name));
    }
    report.add_test_suites(suites);
    report.to_string().map_err(|error| CheckError::run(&error))
}

/// Merges JUnit reports of shares into one, and returns it with what is wrong with them: shares that are missing, and cases
/// that are in several reports. A failed case stays a failed case.
///
/// # Errors
/// When a file cannot be read or is not a report.
pub fn merge_reports(paths: &[PathBuf]) -> Result<(String, Vec<String>), CheckError> {
    let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
    let mut shares: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut problems, mut names) = (Vec::new(), HashSet::new());
    for path in paths {
        let report = quick_junit::Report::deserialize_from_str(&files::read_text(path)?);
        let report = report.map_err(|error| CheckError::content(path, &error))?;
        for suite in report.test_suites {
            let name = suite.name.as_str().to_owned();
            let share = suite.properties.iter().find(|property| property.name.as_str() == SHARE);
            shares.entry(name.clone()).or_default().extend(share.map(|share| share.value.as_str().to_owned()));
            let merged = suites.entry(name.clone()).or_insert_with(|| TestSuite::new(name.clone()));
            for case in suite.test_cases {
                if !names.insert((name.clone(), case.name.as_str().to_owned())) {
                    problems.push(format!("{name}: {} is in several reports", case.name.as_str()));
                }
                merged.add_test_case(case);
            }
        }
    }
    for (name, found) in &shares {
        problems.extend(missing_shares(found).into_iter().map(|share| format!("{name}: the share {share} is missing")));
    }
    let failures = suites.iter().flat_map(|(name, suite)| suite.test_cases.iter().map(move |case| (name, case)));
    let failures = failures.filter(|(_, case)| !matches!(case.status, TestCaseStatus::Success { .. }));
    problems.extend(failures.map(|(name, case)| format!("{name}: {} failed", case.name.as_str())));
    for suite in suites.values_mut() {
        suite.add_property(Property::new(SHARE, Share::ALL.to_string()));
    }
    Ok((write_report(suites.into_values().collect())?, problems))
}

/// The shares that are missing of those that belong together.
fn missing_shares(found: &BTreeSet<String>) -> Vec<String> {
    let shares: Vec<Share> = found.iter().filter_map(|share| share.parse().ok()).collect();
    let counts: BTreeSet<usize> = shares.iter().map(|share| share.count()).collect();
    let all = counts.iter().flat_map(|count| (1..=*count).map(move |index| format!("{index}/{count}")));
    all.filter(|share| !found.contains(share)).collect()
}

/// Merges tables into one, and returns it with the items that have several values: on two engines, or on two machines.
///
/// # Errors
/// When a file cannot be read or is not a table.
pub fn merge_tables(paths: &[PathBuf]) -> Result<(String, Vec<String>), CheckError> {
    let mut lines = BTreeSet::new();
    let mut values: BTreeMap<[String; 3], BTreeSet<String>> = BTreeMap::new();
    for path in paths {
        let text = files::read_text(path)?;
        let mut rows = text.lines();
        let wrong =
            |line: usize, message: &str| CheckError::Line { path: path.clone(), line, message: message.to_owned() };
        if rows.next() != Some(HEAD) {
            return Err(wrong(1, &format!("not a table of checks, which begins with {HEAD}")));
        }
        for (number, row) in (2..).zip(rows) {
            let fields: Vec<&str> = row.split(',').collect();
            let [file, case, _, item, value] = fields[..] else { return Err(wrong(number, "five fields are needed")) };
            values.entry([file, case, item].map(str::to_owned)).or_default().insert(value.to_owned());
            lines.insert(row.to_owned());
        }
    }
    let differs = values.iter().filter(|(_, values)| values.len() > 1);
    let problems = differs.map(|([file, case, item], values)| {
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        format!("{file}: {case}: {item} has several values: {}", values.join(", "))
    });
    Ok((table_of(lines), problems.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Engine;
    use std::time::Duration;

    fn result(case: &str, differences: &[&str], hash: &str) -> CheckResult {
        CheckResult {
            case: case.to_owned(),
            engine: Engine::Reference,
            differences: differences.iter().map(|text| (*text).to_owned()).collect(),
            values: vec![("color0".to_owned(), hash.to_owned())],
            time: Duration::ZERO,
        }
    }

    fn report(share: &str, results: Vec<CheckResult>) -> Report {
        Report { share: share.parse().unwrap(), files: vec![("a.toml".into(), results)] }
    }

    /// Merges texts from files.
    fn merged<T>(merge: impl Fn(&[PathBuf]) -> T, texts: &[String]) -> T {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..texts.len()).map(|index| folder.path().join(index.to_string())).collect();
        paths.iter().zip(texts).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        merge(&paths)
    }

    #[test]
    fn merged_shares_are_what_one_run_writes() {
        let all = vec![result("a", &[], "1"), result("b", &["pixel <1>", "other"], "2"), result("c", &[], "3")];
        let whole = report("1/1", all.clone());
        let shares: Vec<_> = ["1/2", "2/2"]
            .iter()
            .map(|share| report(share, share.parse::<Share>().unwrap().of(all.clone()).collect()))
            .collect();
        let junit: Vec<_> = shares.iter().map(|share| share.junit().unwrap()).collect();
        let (report, problems) = merged(merge_reports, &junit).unwrap();
        assert_eq!(report, whole.junit().unwrap());
        assert_eq!(problems, ["a.toml: b [reference] failed"]);
        let tables: Vec<_> = shares.iter().map(Report::table).collect();
        assert_eq!(merged(merge_tables, &tables).unwrap(), (whole.table(), Vec::new()));
    }

    #[test]
    fn missing_and_repeated_shares_are_found() {
        let first = report("1/3", vec![result("a", &[], "1")]).junit().unwrap();
        let (_, problems) = merged(merge_reports, &[first.clone(), first]).unwrap();
        assert_eq!(
            problems,
            [
                "a.toml: a [reference] is in several reports",
                "a.toml: the share 2/3 is missing",
                "a.toml: the share 3/3 is missing"
            ]
        );
    }

    #[test]
    fn an_item_with_two_values_is_found() {
        let tables = ["1", "2"].map(|hash| report("1/1", vec![result("a", &[], hash)]).table());
        let (_, problems) = merged(merge_tables, &tables).unwrap();
        assert_eq!(problems, ["a.toml: a: color0 has several values: 1, 2"]);
        let mut kernels = result("a", &[], "3");
        kernels.engine = Engine::Kernels;
        let tables = [report("1/1", vec![result("a", &[], "1"), kernels]).table()];
        assert_eq!(merged(merge_tables, &tables).unwrap().1.len(), 1);
        let error = merged(merge_tables, &["x\n".to_owned()]).unwrap_err().to_string();
        assert!(error.contains(":1: not a table"), "{error}");
    }
}
