//! Answers the Wayland server: asks sessions for buffers, and keeps the last picture for the window.

use std::sync::{Arc, Mutex, PoisonError};

use curie_wayland::{Event, FileIdentity, Host, Layout, Reply};
use winit::event_loop::EventLoopProxy;

use super::messages::{Message, Notice};
use super::pixels::Pixels;
use crate::live::{self, Exports};

/// The last picture, and what led to it.
#[derive(Debug)]
pub(super) struct Latest {
    pub(super) pixels: Pixels,
    /// Pictures since the window took one.
    pub(super) count: u32,
    /// Draws of the program so far.
    pub(super) draws: u64,
}

/// Where the last picture waits for the window.
pub(super) type Slot = Arc<Mutex<Option<Latest>>>;

/// Takes the picture that waits.
pub(super) fn take(slot: &Slot) -> Option<Latest> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What the server talks to.
pub(super) struct WindowHost {
    pub(super) exports: Exports,
    pub(super) proxy: EventLoopProxy<Message>,
    pub(super) slot: Slot,
    pub(super) report: Arc<dyn Fn(Notice) + Send + Sync>,
}

impl Host for WindowHost {
    fn read(&mut self, file: FileIdentity, layout: Layout, reply: Reply) {
        let FileIdentity { device, inode } = file;
        let Layout { offset, width, height, stride, .. } = layout;
        let rows = live::PictureRows { offset, size: [width, height], stride };
        self.exports.request_picture(live::FileIdentity { device, inode }, rows, |bytes| reply.send(bytes));
    }

    fn event(&mut self, event: Event) {
        let message = match event {
            Event::Trouble(reason) => return (self.report)(Notice::Trouble(reason)),
            Event::Picture(picture) => {
                let pixels = Pixels::new(&picture.layout, &picture.bytes);
                let draws = self.exports.draws();
                let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
                let waiting = slot.as_ref().map_or(0, |latest| latest.count);
                *slot = Some(Latest { pixels, count: waiting.saturating_add(1), draws });
                if waiting > 0 {
                    // The window has been told already.
                    return;
                }
                Message::Picture
            }
            event => Message::Event(event),
        };
        // The window may be closed.
        let _ = self.proxy.send_event(message);
    }
}
