//! Tests `zwp_linux_dmabuf_v1`: what it tells of the device and the formats, its buffers, and its errors.

use wayland_client::event_created_child;
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_buffer_params_v1::{
    self, Error, Flags, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_feedback_v1::{
    self, TrancheFlags, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_v1::{self, ZwpLinuxDmabufV1};

use super::*;

const AR24: u32 = u32::from_le_bytes(*b"AR24");

/// `DRM_FORMAT_MOD_INVALID` and `DRM_FORMAT_MOD_LINEAR`, high and low half.
const INVALID: [u32; 2] = [0x00ff_ffff, 0xffff_ffff];
const LINEAR: [u32; 2] = [0, 0];

/// A modifier of NVIDIA, `DRM_FORMAT_MOD_NVIDIA_16BX2_BLOCK(0)`.
const BLOCKS: [u32; 2] = [0x0300_0000, 0x10];

/// The entries of the table, which nobody can change.
fn table_of(file: OwnedFd, size: u32) -> String {
    let file = File::from(file);
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    assert_eq!(file.metadata().unwrap().len(), size.into());
    assert!(file.write_at(&[0], 0).is_err() && file.set_len(0).is_err() && file.set_len(1 << 16).is_err());
    let entry = |entry: &[u8]| {
        let (format, modifier) = (&entry[..4], u64::from_ne_bytes(entry[8..].try_into().unwrap()));
        let format = u32::from_ne_bytes(format.try_into().unwrap());
        format!("{} {modifier:x}", name(format))
    };
    format!("table {:?}", bytes.chunks(16).map(entry).collect::<Vec<_>>())
}

fn name(format: u32) -> String {
    String::from_utf8(format.to_le_bytes().to_vec()).unwrap()
}

fn device(bytes: Vec<u8>) -> u64 {
    u64::from_ne_bytes(bytes.try_into().unwrap())
}

noted!(ZwpLinuxDmabufV1, _dmabuf,
    zwp_linux_dmabuf_v1::Event::Format { format } => format!("format {}", name(format)),
    zwp_linux_dmabuf_v1::Event::Modifier { format, modifier_hi, modifier_lo } =>
        format!("modifier {} {modifier_hi:x} {modifier_lo:x}", name(format))
);
noted!(ZwpLinuxDmabufFeedbackV1, _feedback,
    zwp_linux_dmabuf_feedback_v1::Event::FormatTable { fd, size } => table_of(fd, size),
    zwp_linux_dmabuf_feedback_v1::Event::MainDevice { device: bytes } => format!("main device {:#x}", device(bytes)),
    zwp_linux_dmabuf_feedback_v1::Event::TrancheTargetDevice { device: bytes } => format!("target {:#x}", device(bytes)),
    zwp_linux_dmabuf_feedback_v1::Event::TrancheFlags { flags } => {
        assert_eq!(flags, WEnum::Value(TrancheFlags::empty()));
        "no flags".to_owned()
    },
    zwp_linux_dmabuf_feedback_v1::Event::TrancheFormats { indices } => {
        let indices = indices.chunks(2).map(|index| u16::from_ne_bytes(index.try_into().unwrap()));
        format!("formats {:?}", indices.collect::<Vec<_>>())
    },
    zwp_linux_dmabuf_feedback_v1::Event::TrancheDone => "tranche".to_owned(),
    zwp_linux_dmabuf_feedback_v1::Event::Done => "all".to_owned()
);

impl Dispatch<ZwpLinuxBufferParamsV1, ()> for Heard {
    fn event(
        heard: &mut Self,
        _: &ZwpLinuxBufferParamsV1,
        event: zwp_linux_buffer_params_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        match event {
            zwp_linux_buffer_params_v1::Event::Created { buffer } => {
                heard.created = Some(buffer);
                heard.lines.push("created".to_owned());
            }
            zwp_linux_buffer_params_v1::Event::Failed => heard.lines.push("failed".to_owned()),
            _ => {}
        }
    }

    event_created_child!(Self, ZwpLinuxBufferParamsV1, [
        zwp_linux_buffer_params_v1::EVT_CREATED_OPCODE => (wl_buffer::WlBuffer, ()),
    ]);
}

/// A buffer under construction.
struct Params {
    params: ZwpLinuxBufferParamsV1,
    file: File,
    handle: QueueHandle<Heard>,
}

impl Params {
    /// With a file of 4096 bytes.
    fn new(client: &Client, version: u32) -> Self {
        let handle = client.queue.handle();
        let params = client.bind_up_to::<ZwpLinuxDmabufV1>(version).create_params(&handle, ());
        Self { params, file: memory(4096), handle }
    }

    fn add(&self, plane: u32, offset: u32, stride: u32, [high, low]: [u32; 2]) -> &Self {
        self.params.add(self.file.as_fd(), plane, offset, stride, high, low);
        self
    }

    /// The plane that a buffer of 5 × 3 pixels needs.
    fn plane(&self) -> &Self {
        self.add(0, 0, 64, INVALID)
    }

    fn create(&self, [width, height]: [i32; 2], format: u32, flags: Flags) -> &Self {
        self.params.create(width, height, format, flags);
        self
    }

    fn create_now(&self, [width, height]: [i32; 2], format: u32, flags: Flags) -> wl_buffer::WlBuffer {
        self.params.create_immed(width, height, format, flags, &self.handle, ())
    }
}

const NONE: Flags = Flags::empty();

#[test]
fn a_buffer_is_the_same_as_that_of_wl_drm() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let window = client.window("buffers");
    let shown = |client: &mut Client, buffer: &wl_buffer::WlBuffer| {
        window.surface.attach(Some(buffer), 0, 0);
        window.surface.commit();
        client.sync();
        let answered = server.answer(7);
        client.hear("release");
        answered
    };
    for version in 1..=4 {
        let params = Params::new(&client, version);
        let buffer = client.buffer([5, 3], 64, &params.file);
        let expected = shown(&mut client, &buffer);
        let layout = Layout { width: 5, height: 3, stride: 64, offset: 0, format: Format::Xrgb8888 };
        assert_eq!(expected.1, layout);
        params.plane().create([5, 3], XR24, NONE);
        client.hear("created");
        // The buffer outlives its parameters.
        params.params.destroy();
        let buffer = client.heard.created.take().unwrap();
        assert_eq!(shown(&mut client, &buffer), expected, "version {version}");
        buffer.destroy();
        if version < 2 {
            continue;
        }
        let params = Params { params: Params::new(&client, version).params, ..params };
        params.add(0, 128, 32, INVALID);
        let buffer = params.create_now([5, 3], AR24, NONE);
        params.params.destroy();
        let layout = Layout { stride: 32, offset: 128, format: Format::Argb8888, ..layout };
        assert_eq!(shown(&mut client, &buffer), (expected.0, layout), "version {version}");
    }
}

#[test]
fn feedback_names_the_device_and_the_formats() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let dmabuf: ZwpLinuxDmabufV1 = client.bind();
    assert_eq!(dmabuf.version(), 4);
    client.sync();
    assert_eq!(client.heard.lines, Vec::<String>::new());
    let handle = client.queue.handle();
    let surface = client.bind::<wl_compositor::WlCompositor>().create_surface(&handle, ());
    let feedbacks = [dmabuf.get_default_feedback(&handle, ()), dmabuf.get_surface_feedback(&surface, &handle, ())];
    client.sync();
    let expected = [
        r#"table ["AR24 ffffffffffffff", "XR24 ffffffffffffff"]"#,
        "main device 0x103",
        "target 0x103",
        "no flags",
        "formats [0, 1]",
        "tranche",
        "all",
    ];
    assert_eq!(client.heard.lines, [expected, expected].concat());
    assert_eq!(std::fs::metadata("/dev/null").unwrap().rdev(), 0x103);
    surface.destroy();
    feedbacks.iter().for_each(ZwpLinuxDmabufFeedbackV1::destroy);
    dmabuf.destroy();
    client.sync();
    assert_eq!(client.heard.lines.len(), 14);
}

#[test]
fn earlier_versions_hear_the_formats_at_once() {
    let server = TestServer::start();
    for version in 1..=3 {
        let mut client = Client::connect(&server);
        let _dmabuf: ZwpLinuxDmabufV1 = client.bind_up_to(version);
        client.sync();
        let expected: &[&str] = match version {
            1 | 2 => &["format AR24", "format XR24"],
            _ => &["modifier AR24 ffffff ffffffff", "modifier XR24 ffffff ffffffff"],
        };
        assert_eq!(client.heard.lines, expected, "version {version}");
    }
}

/// What an error says, the version of the interface, the code, and the requests that end in it.
type Case<'a> = (&'a str, u32, Error, &'a dyn Fn(&Params));

#[test]
fn each_error_of_the_protocol_ends_only_its_program() {
    let server = TestServer::start();
    let mut good = Client::connect(&server);
    let now = |params: &Params, size, format, flags| {
        params.create_now(size, format, flags);
    };
    let good_size = [5, 3];
    let cases: &[Case<'_>] = &[
        ("plane 1", 4, Error::PlaneIdx, &|params| _ = params.add(1, 0, 64, INVALID)),
        ("plane 4294967295", 4, Error::PlaneIdx, &|params| _ = params.plane().add(u32::MAX, 0, 64, INVALID)),
        ("plane 0 is set", 4, Error::PlaneSet, &|params| _ = params.plane().plane()),
        ("without a plane", 4, Error::Incomplete, &|params| _ = params.create(good_size, XR24, NONE)),
        ("without a plane", 2, Error::Incomplete, &|params| now(params, good_size, XR24, NONE)),
        ("format 0x34325259", 4, Error::InvalidFormat, &|params| _ = params.plane().create(good_size, XR24 + 1, NONE)),
        ("format 0x0", 4, Error::InvalidFormat, &|params| now(params.plane(), good_size, 0, NONE)),
        ("modifier 0x300000000000010", 4, Error::InvalidFormat, &|params| {
            params.add(0, 0, 64, BLOCKS).create(good_size, XR24, NONE);
        }),
        ("modifier 0x0", 4, Error::InvalidFormat, &|params| now(params.add(0, 0, 64, LINEAR), good_size, XR24, NONE)),
        ("modifier 0xffffffff", 4, Error::InvalidFormat, &|params| {
            now(params.add(0, 0, 64, [0, u32::MAX]), good_size, XR24, NONE);
        }),
        ("0 × 3", 1, Error::InvalidDimensions, &|params| _ = params.plane().create([0, 3], XR24, NONE)),
        ("5 × -3", 4, Error::InvalidDimensions, &|params| now(params.plane(), [5, -3], XR24, NONE)),
        ("ends at byte 4097", 4, Error::OutOfBounds, &|params| {
            params.add(0, 4097 - 192, 64, INVALID).create(good_size, XR24, NONE);
        }),
        ("ends at byte 4294967487", 4, Error::OutOfBounds, &|params| {
            params.add(0, u32::MAX, 64, INVALID).create(good_size, XR24, NONE);
        }),
        ("ends at byte 12884901876", 4, Error::OutOfBounds, &|params| {
            now(params.add(0, 0, u32::MAX - 3, INVALID), good_size, XR24, NONE);
        }),
        ("stride of 5 pixels", 4, Error::OutOfBounds, &|params| {
            now(params.add(0, 0, 16, INVALID), good_size, XR24, NONE);
        }),
        ("a second buffer", 4, Error::AlreadyUsed, &|params| {
            params.plane().create(good_size, XR24, NONE).create(good_size, XR24, NONE);
        }),
        ("a second buffer", 4, Error::AlreadyUsed, &|params| {
            now(params.plane(), good_size, XR24, NONE);
            now(params, good_size, XR24, NONE);
        }),
        ("a second buffer", 4, Error::AlreadyUsed, &|params| {
            now(params.plane().create(good_size, XR24, Flags::YInvert), good_size, XR24, NONE);
        }),
        ("a plane after", 4, Error::AlreadyUsed, &|params| {
            params.plane().create(good_size, XR24, NONE).add(1, 0, 64, INVALID);
        }),
        ("upside down", 4, Error::InvalidWlBuffer, &|params| now(params.plane(), good_size, XR24, Flags::YInvert)),
        ("interlaced", 2, Error::InvalidWlBuffer, &|params| now(params.plane(), good_size, XR24, Flags::Interlaced)),
        ("8193 × 1", 4, Error::InvalidWlBuffer, &|params| now(params.plane(), [8193, 1], XR24, NONE)),
        ("modifier 0x300000000000010", 3, Error::InvalidWlBuffer, &|params| {
            now(params.add(0, 0, 64, BLOCKS), good_size, XR24, NONE);
        }),
    ];
    for (number, (expected, version, code, program)) in cases.iter().enumerate() {
        let mut client = Client::connect(&server);
        program(&Params::new(&client, *version));
        let error = client.error();
        assert_eq!(error.object_interface, "zwp_linux_buffer_params_v1", "case {number}: {error}");
        assert_eq!(error.code, *code as u32, "case {number}: {error}");
        // Not every client library keeps the text.
        let reason = std::iter::repeat_with(|| server.event()).find_map(|event| match event {
            Event::Trouble(reason) if reason.starts_with("zwp_linux_buffer_params_v1: ") => Some(reason),
            _ => None,
        });
        assert!(reason.is_some_and(|reason| reason.contains(expected)), "case {number}");
    }
    shown(&server, &mut good, "good");
}

#[test]
fn a_program_may_try_again_after_a_buffer_that_is_refused() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let cases = [
        ("upside down", 4, INVALID, [5, 3], Flags::YInvert),
        ("interlaced", 1, INVALID, [5, 3], Flags::Interlaced | Flags::BottomFirst),
        ("upside down", 4, INVALID, [5, 3], Flags::from_bits_retain(8)),
        ("8193 × 1", 4, INVALID, [8193, 1], NONE),
        ("modifier 0x300000000000010", 3, BLOCKS, [5, 3], NONE),
    ];
    for (expected, version, modifier, size, flags) in cases {
        let params = Params::new(&client, version);
        params.add(0, 0, 64, modifier).create(size, XR24, flags);
        client.hear("failed");
        params.params.destroy();
        let Event::Trouble(reason) = server.event() else { panic!("no reason") };
        assert!(reason.contains(expected), "{reason}");
    }
    // One that is given up says nothing.
    Params::new(&client, 4).plane().params.destroy();
    client.sync();
    assert!(client.heard.created.is_none());
    shown(&server, &mut client, "good");
}

#[test]
fn buffers_under_construction_count_as_buffers() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let dmabuf: ZwpLinuxDmabufV1 = client.bind();
    let handle = client.queue.handle();
    let create = |count| std::iter::repeat_with(|| dmabuf.create_params(&handle, ())).take(count).collect::<Vec<_>>();
    create(1024).iter().for_each(ZwpLinuxBufferParamsV1::destroy);
    let _kept = create(1022);
    client.sync();
    let params = Params::new(&client, 4);
    params.plane().create([5, 3], XR24, NONE);
    client.hear("created");
    // This makes 1024 buffers; a second one at once, and its parameters, are too many.
    params.params.destroy();
    let buffer = Params::new(&client, 4);
    client.sync();
    let _second = buffer.plane().create_now([5, 3], XR24, NONE);
    client.error();
    let Event::Trouble(reason) = server.event() else { panic!("no reason") };
    assert!(reason.contains("more than 1024 buffers"), "{reason}");
}
