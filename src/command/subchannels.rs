//! Follows which graphics objects a stream creates and binds to its subchannels.

use std::collections::HashMap;

use super::methods::puller;
use super::packet::MethodWrite;

/// The objects of a channel, and those on its subchannels.
#[derive(Debug, Default)]
pub struct Subchannels {
    /// Classes by handle.
    objects: HashMap<u32, u32>,
    classes: [Option<u32>; 8],
}

impl Subchannels {
    /// Adds an object.
    pub fn create(&mut self, handle: u32, class: u32) {
        self.objects.insert(handle, class);
    }

    /// Applies a method if it binds an object; returns whether the object of such a method exists.
    pub fn method(&mut self, write: MethodWrite) -> bool {
        if write.method != puller::OBJECT {
            return true;
        }
        let class = self.objects.get(&write.value).copied();
        if class.is_some() {
            self.classes[usize::from(write.subchannel & 7)] = class;
        }
        class.is_some()
    }

    /// The class of the object on a subchannel.
    #[must_use]
    pub fn class(&self, subchannel: u8) -> Option<u32> {
        self.classes[usize::from(subchannel & 7)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_stay_bound_until_another_is() {
        let mut subchannels = Subchannels::default();
        subchannels.create(0xbeef_5097, 0x5097);
        subchannels.create(0xbeef_502d, 0x502d);
        let mut bind = |method, value| {
            let exists = subchannels.method(MethodWrite { subchannel: 3, method, value, begins_packet: true });
            (exists, subchannels.class(3), subchannels.class(4))
        };
        assert_eq!(bind(0x100, 7), (true, None, None));
        assert_eq!(bind(0, 0xbeef_5097), (true, Some(0x5097), None));
        assert_eq!(bind(0, 7), (false, Some(0x5097), None));
        assert_eq!(bind(0, 0xbeef_502d), (true, Some(0x502d), None));
    }
}
