//! Counts with their nouns: `1 draw`, `2 draws`.

use std::fmt::Display;

/// A count of things, where `noun` names one of them. The noun may be a phrase: `kind of fault` becomes `kinds of fault`.
#[must_use]
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" { format!("1 {noun}") } else { format!("{count} {}", plural(noun)) }
}

/// The noun for several things.
fn plural(noun: &str) -> String {
    if let Some((first, rest)) = noun.split_once(" of ") {
        return format!("{} of {rest}", plural(first));
    }
    let before = |ending: &str| noun.strip_suffix(ending);
    if let Some(stem) = before("ex") {
        return format!("{stem}ices");
    }
    if let Some(stem) = before("y").filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|ending| noun.ends_with(ending));
    format!("{noun}{}", if hisses { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "draw")), ["0 draws", "1 draw", "2 draws"]);
        assert_eq!(counted(21, "draw"), "21 draws");
        assert_eq!(counted("1", "draw"), "1 draw");
        assert_eq!(counted("1,000", "draw"), "1,000 draws");
    }

    #[test]
    fn nouns_have_their_own_plurals() {
        for (noun, plural) in [
            ("copy", "2 copies"),
            ("day", "2 days"),
            ("entry", "2 entries"),
            ("vertex", "2 vertices"),
            ("index", "2 indices"),
            ("pass", "2 passes"),
            ("branch", "2 branches"),
            ("kind of fault", "2 kinds of fault"),
            ("warp instruction", "2 warp instructions"),
            ("divergent branch", "2 divergent branches"),
        ] {
            assert_eq!(counted(2, noun), plural);
            assert_eq!(counted(1, noun), format!("1 {noun}"));
        }
    }
}
