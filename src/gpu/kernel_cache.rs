//! Keeps compiled kernels by the hash of their text, those used last within a limit.

use std::collections::HashMap;
use std::sync::Arc;

/// The kernels in two generations. A use moves a kernel to the younger one; when that is full, it becomes the older one,
/// whose kernels are dropped. So the last `limit` kernels used are kept, and at most twice as many.
#[derive(Debug)]
pub(super) struct KernelCache<K> {
    limit: usize,
    young: HashMap<u128, Arc<K>>,
    old: HashMap<u128, Arc<K>>,
}

impl<K> KernelCache<K> {
    /// An empty cache of this many kernels per generation.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, young: HashMap::new(), old: HashMap::new() }
    }

    /// The kernel with this hash.
    pub(super) fn find(&mut self, hash: u128) -> Option<Arc<K>> {
        if let Some(kernel) = self.young.get(&hash) {
            return Some(Arc::clone(kernel));
        }
        let kernel = self.old.remove(&hash)?;
        self.insert(hash, Arc::clone(&kernel));
        Some(kernel)
    }

    /// Adds a kernel.
    pub(super) fn insert(&mut self, hash: u128, kernel: Arc<K>) {
        if self.young.len() >= self.limit {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, kernel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_are_used_stay_and_others_are_dropped() {
        let mut cache = KernelCache::new(4);
        let kernels: Vec<_> = (0..100).map(Arc::new).collect();
        for (hash, kernel) in (0..).zip(&kernels) {
            cache.insert(hash, Arc::clone(kernel));
            // The first is used each time.
            assert_eq!(cache.find(0).as_deref(), Some(&0));
            let kept = |number: &usize| Arc::strong_count(&kernels[*number]) > 1;
            let last = usize::try_from(hash).unwrap();
            assert!((last.saturating_sub(2)..=last).all(|number| kept(&number)), "{hash}");
            assert!((0..=last).filter(kept).count() <= 8, "{hash}");
        }
        assert_eq!(cache.find(50), None);
        assert_eq!(cache.find(99).as_deref(), Some(&99));
    }
}
