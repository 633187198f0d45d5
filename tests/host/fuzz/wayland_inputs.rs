//! Makes nearly valid requests of a Wayland program from random numbers.

use super::wayland_requests::{FIRST_GLOBAL, request, text_words};
use crate::common::random::Random;

const REGISTRY: u32 = 2;

/// The globals in their order, with versions.
const GLOBALS: [(&str, u32); 12] = [
    ("wl_compositor", 4),
    ("wl_subcompositor", 1),
    ("wl_shm", 1),
    ("wl_drm", 2),
    ("zwp_linux_dmabuf_v1", 4),
    ("wl_output", 2),
    ("wl_seat", 5),
    ("wl_data_device_manager", 3),
    ("xdg_wm_base", 2),
    ("zxdg_decoration_manager_v1", 1),
    ("zwp_relative_pointer_manager_v1", 1),
    ("zwp_pointer_constraints_v1", 1),
];

/// An argument of a request.
#[derive(Clone, Copy)]
enum Argument {
    /// A new object of an interface.
    New(&'static str),
    /// An object of an interface.
    Object(&'static str),
    /// A number.
    Number,
    /// One of these numbers, for most.
    OneOf(&'static [u32]),
    /// A text.
    Text,
}

use Argument::{New, Number, Object, OneOf, Text};

/// Sides and strides of buffers.
const SIZES: Argument = OneOf(&[0, 1, 5, 16, 64, 256, 512, u32::MAX]);
const FORMATS: Argument = OneOf(&[u32::from_le_bytes(*b"XR24"), u32::from_le_bytes(*b"AR24"), 0, 1]);

/// High and low halves of modifiers; one of the six pairs is offered.
const MODIFIER_HIGH: Argument = OneOf(&[0x00ff_ffff, 0, 0x0300_0000]);
const MODIFIER_LOW: Argument = OneOf(&[u32::MAX, 0]);
const FLAGS: Argument = OneOf(&[0, 0, 0, 1, 2]);

/// Requests by interface and number, with their arguments.
const REQUESTS: &[(&str, u16, &[Argument])] = &[
    ("wl_display", 0, &[New("wl_callback")]),
    ("wl_display", 1, &[New("wl_registry")]),
    ("wl_compositor", 0, &[New("wl_surface")]),
    ("wl_compositor", 1, &[New("wl_region")]),
    ("wl_surface", 0, &[]),
    ("wl_surface", 1, &[Object("wl_buffer"), Number, Number]),
    ("wl_surface", 1, &[Object("wl_buffer"), Number, Number]),
    ("wl_surface", 2, &[Number, Number, Number, Number]),
    ("wl_surface", 3, &[New("wl_callback")]),
    ("wl_surface", 5, &[Object("wl_region")]),
    ("wl_surface", 6, &[]),
    ("wl_surface", 6, &[]),
    ("wl_surface", 6, &[]),
    ("wl_surface", 7, &[Number]),
    ("wl_region", 0, &[]),
    ("wl_region", 1, &[Number, Number, Number, Number]),
    ("wl_buffer", 0, &[]),
    ("wl_drm", 0, &[Number]),
    ("wl_drm", 1, &[New("wl_buffer"), Number, SIZES, SIZES, SIZES, FORMATS]),
    // The file takes no word.
    ("wl_drm", 3, &[New("wl_buffer"), SIZES, SIZES, FORMATS, SIZES, SIZES, Number, Number, Number, Number]),
    (
        "wl_drm",
        3,
        &[
            New("wl_buffer"),
            OneOf(&[16]),
            OneOf(&[16]),
            FORMATS,
            OneOf(&[0]),
            OneOf(&[64]),
            Number,
            Number,
            Number,
            Number,
        ],
    ),
    ("zwp_linux_dmabuf_v1", 0, &[]),
    ("zwp_linux_dmabuf_v1", 1, &[New("zwp_linux_buffer_params_v1")]),
    ("zwp_linux_dmabuf_v1", 2, &[New("zwp_linux_dmabuf_feedback_v1")]),
    ("zwp_linux_dmabuf_v1", 3, &[New("zwp_linux_dmabuf_feedback_v1"), Object("wl_surface")]),
    ("zwp_linux_dmabuf_feedback_v1", 0, &[]),
    ("zwp_linux_buffer_params_v1", 0, &[]),
    // The file takes no word.
    ("zwp_linux_buffer_params_v1", 1, &[OneOf(&[0, 0, 1]), SIZES, SIZES, MODIFIER_HIGH, MODIFIER_LOW]),
    ("zwp_linux_buffer_params_v1", 2, &[SIZES, SIZES, FORMATS, FLAGS]),
    ("zwp_linux_buffer_params_v1", 3, &[New("wl_buffer"), SIZES, SIZES, FORMATS, FLAGS]),
    ("wl_shm", 0, &[New("wl_shm_pool"), SIZES]),
    ("wl_shm_pool", 0, &[New("wl_buffer"), Number, SIZES, SIZES, SIZES, Number]),
    ("wl_shm_pool", 1, &[]),
    ("wl_shm_pool", 2, &[Number]),
    ("wl_subcompositor", 1, &[New("wl_subsurface"), Object("wl_surface"), Object("wl_surface")]),
    ("wl_subsurface", 0, &[]),
    ("wl_seat", 0, &[New("wl_pointer")]),
    ("wl_seat", 1, &[New("wl_keyboard")]),
    ("wl_seat", 2, &[New("wl_touch")]),
    ("wl_pointer", 0, &[Number, Object("wl_surface"), Number, Number]),
    ("wl_pointer", 1, &[]),
    ("wl_keyboard", 0, &[]),
    ("wl_data_device_manager", 0, &[New("wl_data_source")]),
    ("wl_data_device_manager", 1, &[New("wl_data_device"), Object("wl_seat")]),
    ("xdg_wm_base", 0, &[]),
    ("xdg_wm_base", 1, &[New("xdg_positioner")]),
    ("xdg_wm_base", 2, &[New("xdg_surface"), Object("wl_surface")]),
    ("xdg_wm_base", 2, &[New("xdg_surface"), Object("wl_surface")]),
    ("xdg_wm_base", 3, &[Number]),
    ("xdg_surface", 0, &[]),
    ("xdg_surface", 1, &[New("xdg_toplevel")]),
    ("xdg_surface", 1, &[New("xdg_toplevel")]),
    ("xdg_surface", 2, &[New("xdg_popup"), Object("xdg_surface"), Object("xdg_positioner")]),
    ("xdg_surface", 4, &[Number]),
    ("xdg_toplevel", 0, &[]),
    ("xdg_toplevel", 2, &[Text]),
    ("xdg_toplevel", 3, &[Text]),
    ("xdg_toplevel", 9, &[]),
    ("xdg_toplevel", 11, &[Object("wl_output")]),
    ("xdg_toplevel", 12, &[]),
    ("zxdg_decoration_manager_v1", 1, &[New("zxdg_toplevel_decoration_v1"), Object("xdg_toplevel")]),
    ("zxdg_toplevel_decoration_v1", 1, &[Number]),
    ("zwp_relative_pointer_manager_v1", 1, &[New("zwp_relative_pointer_v1"), Object("wl_pointer")]),
    ("zwp_relative_pointer_v1", 0, &[]),
    (
        "zwp_pointer_constraints_v1",
        1,
        &[
            New("zwp_locked_pointer_v1"),
            Object("wl_surface"),
            Object("wl_pointer"),
            Object("wl_region"),
            OneOf(&[1, 2]),
        ],
    ),
    (
        "zwp_pointer_constraints_v1",
        2,
        &[
            New("zwp_confined_pointer_v1"),
            Object("wl_surface"),
            Object("wl_pointer"),
            Object("wl_region"),
            OneOf(&[1, 2]),
        ],
    ),
    ("zwp_locked_pointer_v1", 0, &[]),
    ("zwp_locked_pointer_v1", 1, &[Number, Number]),
    ("zwp_confined_pointer_v1", 0, &[]),
];

/// The requests that make a buffer of `zwp_linux_dmabuf_v1`, for most; the last is one of two.
const MAKE_DMABUF: [&[(&str, u16, &[Argument])]; 3] = [
    &[("zwp_linux_dmabuf_v1", 1, &[New("zwp_linux_buffer_params_v1")])],
    &[("zwp_linux_buffer_params_v1", 1, &[OneOf(&[0]), OneOf(&[0, 64]), OneOf(&[64]), OneOf(&[0]), OneOf(&[0])])],
    &[
        ("zwp_linux_buffer_params_v1", 2, &[OneOf(&[16]), OneOf(&[16]), FORMATS, OneOf(&[0])]),
        ("zwp_linux_buffer_params_v1", 3, &[New("wl_buffer"), OneOf(&[16]), OneOf(&[16]), FORMATS, OneOf(&[0])]),
    ],
];

/// A program under construction.
struct Program {
    random: Random,
    /// The interface of each object from number 1 on.
    objects: Vec<&'static str>,
    bytes: Vec<u8>,
}

impl Program {
    fn object(&mut self, interface: &str) -> u32 {
        let of_interface: Vec<u32> =
            (1..).zip(&self.objects).filter(|(_, own)| **own == interface).map(|(number, _)| number).collect();
        if of_interface.is_empty() || self.random.below(24) == 0 {
            return self.random.below(u32::try_from(self.objects.len()).expect("a few objects") + 2);
        }
        self.random.pick(&of_interface)
    }

    fn argument(&mut self, argument: Argument, words: &mut Vec<u32>) {
        match argument {
            New(interface) => {
                self.objects.push(interface);
                let number = u32::try_from(self.objects.len()).expect("a few objects");
                words.push(if self.random.below(64) == 0 { self.random.below(number + 3) } else { number });
            }
            Object(interface) => words.push(self.object(interface)),
            OneOf(values) if self.random.below(16) != 0 => words.push(self.random.pick(values)),
            Number | OneOf(_) if self.random.flag() => words.push(self.random.below(64)),
            Number | OneOf(_) => words.push(self.random.word()),
            Text => words.extend(text_words(self.random.pick(&["", "title", "\u{fffd}\n", "a long title \u{1f980}"]))),
        }
    }

    /// A request of an object that exists, for most.
    fn request(&mut self) {
        let existing: Vec<_> =
            REQUESTS.iter().filter(|(interface, ..)| self.objects.contains(interface)).copied().collect();
        let (interface, opcode, arguments) = self.random.pick(&existing);
        let object = self.object(interface);
        self.send(object, opcode, arguments);
    }

    /// A buffer of `zwp_linux_dmabuf_v1`, from the newest objects.
    fn make_dmabuf(&mut self) {
        for requests in MAKE_DMABUF {
            let (interface, opcode, arguments) = self.random.pick(requests);
            let newest = self.objects.iter().rposition(|own| *own == interface).map_or(0, |place| place + 1);
            self.send(u32::try_from(newest).expect("a few objects"), opcode, arguments);
        }
    }

    fn send(&mut self, object: u32, opcode: u16, arguments: &[Argument]) {
        let mut words = Vec::new();
        for argument in arguments {
            self.argument(*argument, &mut words);
        }
        self.bytes.extend(request(object, opcode, &words));
    }
}

/// The requests of a program that binds every global.
pub(super) fn requests(mut random: Random) -> Vec<u8> {
    let count = random.below(80);
    let mut program = Program { random, objects: vec!["wl_display", "wl_registry"], bytes: Vec::new() };
    for (name, (interface, version)) in (1..).zip(GLOBALS) {
        let words = [vec![name], text_words(interface), vec![version, FIRST_GLOBAL + name - 1]].concat();
        program.bytes.extend(request(REGISTRY, 0, &words));
        program.objects.push(interface);
    }
    for _ in 0..count {
        match program.random.below(16) {
            0 => program.make_dmabuf(),
            _ => program.request(),
        }
    }
    program.bytes
}
