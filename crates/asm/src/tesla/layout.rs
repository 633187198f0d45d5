//! Chooses between the forms of one and of two words: instructions of two words are aligned to eight bytes, so that
//! those of one word come in pairs.

/// What can be chosen for a line of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An instruction with a form of one word, of two words, or both.
    Instruction {
        /// Whether it has a form of one word.
        short: bool,
        /// Whether it has a form of two words.
        long: bool,
    },
    /// This many words as they are.
    Words(usize),
}

/// A line of a program for the layout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) shape: Shape,
    /// Whether a label is before it. Nothing is paired across a label.
    pub(crate) has_label: bool,
}

impl Place {
    const fn can_be_short(self) -> bool {
        matches!(self.shape, Shape::Instruction { short: true, .. })
    }

    /// Whether one word is chosen at an address that is a multiple of eight: where two are not possible, or where the next
    /// instruction makes a pair.
    fn is_short(self, next: Option<Self>) -> bool {
        match self.shape {
            Shape::Instruction { short: true, long } => {
                !long || next.is_some_and(|next| next.can_be_short() && !next.has_label)
            }
            _ => false,
        }
    }
}

/// The address of each line in words, and the length of all; or the line where an instruction of two words would not be
/// aligned.
pub(crate) fn lay_out(places: &[Place]) -> Result<Vec<usize>, usize> {
    let mut addresses = vec![0];
    let mut at = 0;
    for (index, place) in places.iter().enumerate() {
        let is_aligned = usize::is_multiple_of(at, 2);
        at += match place.shape {
            Shape::Words(count) => count,
            _ if is_aligned => {
                if place.is_short(places.get(index + 1).copied()) {
                    1
                } else {
                    2
                }
            }
            Shape::Instruction { short: true, .. } => 1,
            Shape::Instruction { .. } => return Err(index),
        };
        addresses.push(at);
    }
    Ok(addresses)
}

/// Restricts lines to the lengths in words that they have in a program, where the layout would choose others.
pub(super) fn restrict(places: &mut [Place], addresses: &[usize]) {
    for index in (0..places.len()).rev() {
        let next = places.get(index + 1).copied();
        let place = &mut places[index];
        let (is_aligned, words) = (addresses[index].is_multiple_of(2), addresses[index + 1] - addresses[index]);
        if is_aligned && place.is_short(next) != (words == 1) && !matches!(place.shape, Shape::Words(_)) {
            place.shape = Shape::Instruction { short: words == 1, long: words == 2 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Shape, lay_out, restrict};

    const BOTH: Shape = Shape::Instruction { short: true, long: true };
    const SHORT: Shape = Shape::Instruction { short: true, long: false };
    const LONG: Shape = Shape::Instruction { short: false, long: true };

    fn places(shapes: &[Shape], labels: &[usize]) -> Vec<Place> {
        let place = |(index, shape): (usize, &Shape)| Place { shape: *shape, has_label: labels.contains(&index) };
        shapes.iter().enumerate().map(place).collect()
    }

    fn laid_out(shapes: &[Shape], labels: &[usize]) -> Result<Vec<usize>, usize> {
        lay_out(&places(shapes, labels))
    }

    #[test]
    fn short_instructions_come_in_pairs() {
        assert_eq!(laid_out(&[BOTH, BOTH, BOTH], &[]), Ok(vec![0, 1, 2, 4]));
        assert_eq!(laid_out(&[BOTH, LONG, BOTH, BOTH], &[]), Ok(vec![0, 2, 4, 5, 6]));
        assert_eq!(laid_out(&[SHORT, BOTH, BOTH], &[]), Ok(vec![0, 1, 2, 4]));
        assert_eq!(laid_out(&[SHORT, LONG], &[]), Err(1));
        assert_eq!(laid_out(&[Shape::Words(1), BOTH, LONG], &[]), Ok(vec![0, 1, 2, 4]));
        assert_eq!(laid_out(&[Shape::Words(3), LONG], &[]), Err(1));
    }

    #[test]
    fn no_pair_crosses_a_label() {
        assert_eq!(laid_out(&[BOTH, BOTH, BOTH], &[1]), Ok(vec![0, 2, 3, 4]));
        assert_eq!(laid_out(&[BOTH, BOTH], &[0]), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn restrictions_give_every_layout_back() {
        // All programs of six instructions with both forms, as bits: whether each one has two words.
        for lengths in 0..64u32 {
            let mut addresses = vec![0];
            let mut at = 0;
            for index in 0..6 {
                at += if lengths >> index & 1 != 0 && at % 2 == 0 { 2 } else { 1 };
                addresses.push(at);
            }
            for labels in [&[][..], &[1, 3], &[0, 2, 5]] {
                let mut places = places(&[BOTH; 6], labels);
                restrict(&mut places, &addresses);
                assert_eq!(lay_out(&places), Ok(addresses.clone()), "{lengths:#b} {labels:?}");
            }
        }
    }

    #[test]
    fn what_the_layout_chooses_is_not_restricted() {
        let mut places = places(&[BOTH, BOTH, BOTH, LONG, BOTH], &[]);
        let before: Vec<Shape> = places.iter().map(|place| place.shape).collect();
        let addresses = lay_out(&places).unwrap();
        restrict(&mut places, &addresses);
        assert_eq!(places.iter().map(|place| place.shape).collect::<Vec<_>>(), before);
    }
}
