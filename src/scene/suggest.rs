//! Finds the known name that is most similar to an unknown one.

use crate::asm::diagnostic::edit_distance;

/// `did you mean …?` for the candidate most similar to `name`; `None` if none is similar.
pub(super) fn suggestion<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let name: String = name.chars().take(64).collect();
    let limit = name.chars().count().div_ceil(3).max(1);
    candidates
        .map(|candidate| (edit_distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
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
