//! Chooses where pages of guest memory lie in a device buffer that is too small for all of them.
//!
//! A kernel adds offsets to the start of a window, so the pages of a window follow one another in the buffer, and each page
//! lies there once. Pages that a command lacks take the place of those that were placed longest ago.

use std::ops::Range;

use crate::memory::{MemorySpace, MemoryWindow, PAGE_BYTES};

/// Consecutive pages of a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageRun {
    pub(super) space: MemorySpace,
    pub(super) pages: Range<u32>,
}

impl PageRun {
    /// The pages that hold a byte of a window.
    pub(super) fn of_window(window: MemoryWindow) -> Self {
        let end = u64::from(window.start) + u64::from(window.bytes);
        let end = u32::try_from(end.div_ceil(u64::from(PAGE_BYTES))).expect("an address has 32 bits");
        let first = if window.bytes == 0 { end } else { window.start / PAGE_BYTES };
        Self { space: window.space, pages: first..end }
    }

    /// Its bytes; memory is at most 1 GiB.
    pub(super) const fn window(&self) -> MemoryWindow {
        let Range { start, end } = self.pages;
        MemoryWindow { space: self.space, start: start * PAGE_BYTES, bytes: (end - start) * PAGE_BYTES }
    }

    fn count(&self) -> u32 {
        self.pages.end - self.pages.start
    }
}

/// The pages of all runs in order, with each page once: runs that share a page become one.
pub(super) fn united(runs: impl IntoIterator<Item = PageRun>) -> Vec<PageRun> {
    let mut runs: Vec<_> = runs.into_iter().filter(|run| !run.pages.is_empty()).collect();
    runs.sort_unstable_by_key(|run| (run.space as usize, run.pages.start));
    let mut united: Vec<PageRun> = Vec::with_capacity(runs.len());
    for run in runs {
        match united.last_mut() {
            Some(last) if last.space == run.space && run.pages.start < last.pages.end => {
                last.pages.end = last.pages.end.max(run.pages.end);
            }
            _ => united.push(run),
        }
    }
    united
}

/// The number of pages in united runs.
pub(super) fn page_count(united: &[PageRun]) -> u64 {
    united.iter().map(|run| u64::from(run.count())).sum()
}

/// The pages in a buffer of as many slots.
#[derive(Debug)]
pub(super) struct ResidentPages {
    /// The slot of each page of a space.
    slots: [Vec<Option<u32>>; 2],
    /// The page in each slot.
    pages: Vec<Option<(MemorySpace, u32)>>,
    /// The slot behind the run that was placed last.
    next: u32,
}

impl ResidentPages {
    /// An empty buffer of this many slots.
    pub(super) fn new(slots: u32) -> Self {
        Self { slots: [Vec::new(), Vec::new()], pages: vec![None; slots as usize], next: 0 }
    }

    /// Grows a space to this many pages.
    pub(super) fn grow(&mut self, space: MemorySpace, pages: usize) {
        self.slots[space as usize].resize(pages, None);
    }

    /// The slot of a page, if the buffer holds it.
    pub(super) fn slot(&self, space: MemorySpace, page: u32) -> Option<u32> {
        self.slots[space as usize][page as usize]
    }

    /// The slots of a run whose pages follow one another in the buffer.
    fn slots_of(&self, run: &PageRun) -> Option<Range<u32>> {
        let first = self.slot(run.space, run.pages.start)?;
        let slots = &self.slots[run.space as usize][run.pages.start as usize..run.pages.end as usize];
        let follows = slots.iter().zip(first..).all(|(slot, expected)| *slot == Some(expected));
        follows.then(|| first..first + run.count())
    }

    /// Whether the pages of a run follow one another in the buffer.
    pub(super) fn holds(&self, run: &PageRun) -> bool {
        run.pages.is_empty() || self.slots_of(run).is_some()
    }

    /// The first slots for those of these united runs that must move, so that the buffer holds all; they are no more than its
    /// slots.
    pub(super) fn plan(&self, runs: &[PageRun]) -> Vec<(PageRun, u32)> {
        let (mut taken, mut missing) = (Vec::new(), Vec::new());
        for run in runs {
            match self.slots_of(run) {
                Some(slots) => taken.push(slots),
                None => missing.push(run),
            }
        }
        let mut next = self.next;
        let mut places = Vec::new();
        for run in missing {
            let around = self.slots_around(run).filter(|slots| !taken.iter().any(|taken| share(taken, slots)));
            let Some(slots) = around.or_else(|| self.free_slots(&taken, next, run.count())) else {
                // The runs that need not move leave no gap of this size.
                let first_slots = runs.iter().scan(0, |next, run| Some(std::mem::replace(next, *next + run.count())));
                return runs.iter().cloned().zip(first_slots).collect();
            };
            next = slots.end;
            places.push((run.clone(), slots.start));
            taken.push(slots);
        }
        places
    }

    /// The slots around the first page that the buffer holds, so that it can stay.
    fn slots_around(&self, run: &PageRun) -> Option<Range<u32>> {
        let (index, slot) =
            (0..).zip(run.pages.clone()).find_map(|(index, page)| Some((index, self.slot(run.space, page)?)))?;
        let first = slot.checked_sub(index)?;
        let slots = first..first + run.count();
        (slots.end as usize <= self.pages.len()).then_some(slots)
    }

    /// The next slots that are not taken, from one on and then from the first.
    fn free_slots(&self, taken: &[Range<u32>], next: u32, count: u32) -> Option<Range<u32>> {
        [next, 0].into_iter().find_map(|mut first| {
            while (first + count) as usize <= self.pages.len() {
                let slots = first..first + count;
                match taken.iter().find(|taken| share(taken, &slots)) {
                    Some(taken) => first = taken.end,
                    None => return Some(slots),
                }
            }
            None
        })
    }

    /// The pages that lose their slots if a run is placed: others in its slots, and its own in other slots.
    pub(super) fn leaving(&self, run: &PageRun, first: u32) -> Vec<PageRun> {
        let slots = first..first + run.count();
        let others = self.pages[slots.start as usize..slots.end as usize].iter().copied().flatten();
        let stays = |space, page: u32| {
            space == run.space
                && run.pages.contains(&page)
                && self.slot(space, page) == Some(first + page - run.pages.start)
        };
        let own = run.pages.clone().filter(|page| self.slot(run.space, *page).is_some()).map(|page| (run.space, page));
        let mut pages: Vec<_> = others.chain(own).filter(|&(space, page)| !stays(space, page)).collect();
        pages.sort_unstable_by_key(|&(space, page)| (space as usize, page));
        pages.dedup();
        let runs = pages.chunk_by(|page, next| page.0 == next.0 && page.1 + 1 == next.1);
        runs.map(|run| PageRun { space: run[0].0, pages: run[0].1..run[run.len() - 1].1 + 1 }).collect()
    }

    /// Places a run; returns the pages that the buffer does not hold yet.
    pub(super) fn place(&mut self, run: &PageRun, first: u32) -> Vec<u32> {
        for PageRun { space, pages } in self.leaving(run, first) {
            for page in pages {
                if let Some(slot) = self.slots[space as usize][page as usize].take() {
                    self.pages[slot as usize] = None;
                }
            }
        }
        let mut arriving = Vec::new();
        for (page, slot) in run.pages.clone().zip(first..) {
            if self.slots[run.space as usize][page as usize].replace(slot).is_none() {
                self.pages[slot as usize] = Some((run.space, page));
                arriving.push(page);
            }
        }
        self.next = first + run.count();
        arriving
    }
}

/// Whether two ranges have a slot in common.
const fn share(left: &Range<u32>, right: &Range<u32>) -> bool {
    left.start < right.end && right.start < left.end
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn run(space: MemorySpace, first: u32, end: u32) -> PageRun {
        PageRun { space, pages: first..end }
    }

    const fn vram(first: u32, end: u32) -> PageRun {
        run(MemorySpace::Vram, first, end)
    }

    fn buffer(slots: u32) -> ResidentPages {
        let mut buffer = ResidentPages::new(slots);
        for space in MemorySpace::ALL {
            buffer.grow(space, 64);
        }
        buffer
    }

    /// Places runs as the mirror does; returns the first slot of each, and how many pages came.
    fn hold(buffer: &mut ResidentPages, runs: &[PageRun]) -> (Vec<u32>, usize) {
        let runs = united(runs.iter().cloned());
        let arriving = buffer.plan(&runs).iter().map(|(run, first)| buffer.place(run, *first).len()).sum();
        let slots = runs.iter().map(|run| buffer.slots_of(run).map_or(u32::MAX, |slots| slots.start));
        (slots.collect(), arriving)
    }

    #[test]
    fn windows_are_whole_pages() {
        let pages = |start, bytes| PageRun::of_window(MemoryWindow { space: MemorySpace::Gart, start, bytes });
        assert_eq!(pages(4095, 2), run(MemorySpace::Gart, 0, 2));
        assert_eq!(pages(4096, 4096), run(MemorySpace::Gart, 1, 2));
        assert!(pages(4096, 0).pages.is_empty());
        assert_eq!(pages(0, u32::MAX).pages, 0..1 << 20);
        assert_eq!(vram(1, 3).window(), MemoryWindow { space: MemorySpace::Vram, start: 4096, bytes: 8192 });
    }

    #[test]
    fn runs_that_share_a_page_become_one() {
        let runs = [vram(4, 6), vram(0, 2), vram(5, 9), vram(9, 10), vram(3, 3), run(MemorySpace::Gart, 1, 3)];
        let united = united(runs);
        assert_eq!(united, [vram(0, 2), vram(4, 9), vram(9, 10), run(MemorySpace::Gart, 1, 3)]);
        assert_eq!(page_count(&united), 10);
    }

    #[test]
    fn pages_stay_until_their_slots_are_needed() {
        let mut buffer = buffer(8);
        assert_eq!(hold(&mut buffer, &[vram(0, 3), run(MemorySpace::Gart, 0, 2)]), (vec![0, 3], 5));
        assert_eq!(hold(&mut buffer, &[vram(1, 3)]), (vec![1], 0));
        // The pages that were placed first make room.
        assert_eq!(hold(&mut buffer, &[vram(10, 14)]), (vec![0], 4));
        assert!(!buffer.holds(&vram(2, 3)) && buffer.holds(&run(MemorySpace::Gart, 1, 2)));
        // A longer run keeps the page that is there.
        assert_eq!(hold(&mut buffer, &[run(MemorySpace::Gart, 0, 4)]), (vec![3], 3));
        assert!(buffer.holds(&vram(10, 13)) && !buffer.holds(&vram(13, 14)));
    }

    #[test]
    fn pages_move_where_those_that_stay_leave_no_gap() {
        let mut buffer = buffer(6);
        hold(&mut buffer, &[vram(0, 2), vram(10, 12), vram(20, 22)]);
        assert_eq!(buffer.leaving(&vram(30, 33), 1), [vram(1, 2), vram(10, 12)]);
        assert_eq!(hold(&mut buffer, &[vram(10, 12), vram(30, 34)]), (vec![0, 2], 6));
    }

    #[test]
    fn each_page_has_one_slot_and_each_slot_one_page() {
        let (mut buffer, mut state) = (buffer(24), 1_u32);
        let mut below = |limit: u32| {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
            (state >> 16) % limit
        };
        for _ in 0..2000 {
            let mut runs: Vec<_> = (0..1 + below(5))
                .map(|_| {
                    let first = below(56);
                    run(MemorySpace::ALL[below(2) as usize], first, first + 1 + below(8))
                })
                .collect();
            while page_count(&united(runs.iter().cloned())) > 24 {
                runs.pop();
            }
            hold(&mut buffer, &runs);
            assert!(runs.iter().all(|run| buffer.holds(run)), "{runs:?}");
            for (slot, page) in (0..).zip(&buffer.pages) {
                assert!(page.is_none_or(|(space, page)| buffer.slot(space, page) == Some(slot)));
            }
            let placed = buffer.slots.iter().flatten().flatten().count();
            assert_eq!(placed, buffer.pages.iter().flatten().count());
        }
    }
}
