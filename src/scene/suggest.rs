//! Finds the known name that is most similar to an unknown one.

/// `did you mean …?` for the candidate most similar to `name`; `None` if none is similar.
pub(super) fn suggestion<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let name: Vec<char> = name.chars().take(64).collect();
    let limit = name.len().div_ceil(3).max(1);
    candidates
        .map(|candidate| (distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// The edit distance: characters to insert, remove or replace, ignoring case.
fn distance(name: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (line, wanted) in candidate.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, found) in name.iter().enumerate() {
            let exchange = diagonal + usize::from(!found.eq_ignore_ascii_case(&wanted));
            diagonal = row[column + 1];
            row[column + 1] = exchange.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_wins_and_strangers_are_not_suggested() {
        let names = ["screen", "shadow", "shadow_map"];
        assert_eq!(suggestion("shadw", names.into_iter()), Some("did you mean `shadow`?".to_owned()));
        assert_eq!(suggestion("Screen", names.into_iter()), Some("did you mean `screen`?".to_owned()));
        assert_eq!(suggestion("teapot", names.into_iter()), None);
        assert_eq!(suggestion("", names.into_iter()), None);
    }
}
