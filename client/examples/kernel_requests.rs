//! A program that makes requests of the kernel itself, as a driver would, and checks the answers. It needs no OpenGL.
//!
//! `curie gl -- target/debug/examples/kernel_requests` runs it on the emulated chip. It prints a line per check, and fails if
//! an answer differs. With an argument it does what a program should not: `closed` closes descriptors that the
//! driver needs,
//! `unknown` makes requests that no driver of the chip makes, `idle` opens the device and its buffers and submits nothing,
//! `forbidden` does without the system call that compares descriptors.
//!
//! Expected values follow from Linux, `include/uapi/drm/nouveau_drm.h`.
#![expect(clippy::unwrap_used, reason = "a failure ends the program")]

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};

/// A request, which is read and written.
fn request<const BYTES: usize>(node: RawFd, number: u8, argument: &mut [u8; BYTES]) -> i32 {
    // Directions, size, type 'd', number.
    let word = 3 << 30 | (BYTES as libc::c_ulong) << 16 | libc::c_ulong::from(b'd') << 8 | libc::c_ulong::from(number);
    let mut aligned = vec![0_u64; BYTES.div_ceil(8)];
    let place = aligned.as_mut_ptr().cast::<u8>();
    // SAFETY: the copy has as many bytes as the word says.
    unsafe {
        place.copy_from_nonoverlapping(argument.as_ptr(), BYTES);
        let result = libc::ioctl(node, word, place);
        argument.as_mut_ptr().copy_from_nonoverlapping(place, BYTES);
        if result == 0 { 0 } else { *libc::__errno_location() }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn set(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// Bytes of words.
fn words<const BYTES: usize>(words: &[u32]) -> [u8; BYTES] {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.try_into().unwrap()
}

fn check(what: &str, found: impl std::fmt::Debug + PartialEq, expected: impl std::fmt::Debug) {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    println!("{} {what}: {found}", if found == expected { "ok  " } else { "FAIL" });
    if found != expected {
        eprintln!("{what}: {found} instead of {expected}");
        std::process::exit(1);
    }
}

/// Opens the device.
fn open() -> File {
    File::options().read(true).write(true).open("/dev/null").unwrap()
}

/// A parameter of the device.
fn parameter(node: RawFd, number: u32) -> (i32, u64) {
    let mut argument = words::<16>(&[number, 0, 0, 0]);
    let result = request(node, 0x40, &mut argument);
    (result, u64::from_le_bytes(argument[8..].try_into().unwrap()))
}

/// Opens a channel with handles of the memories; returns the buffer of its notifiers.
fn open_channel(node: RawFd) -> (i32, u32) {
    let mut argument = [0; 88];
    set(&mut argument, 0, 0xbeef_0201);
    set(&mut argument, 4, 0xbeef_0202);
    (request(node, 0x42, &mut argument), word(&argument, 16))
}

/// A buffer.
#[derive(Debug)]
struct Buffer {
    handle: u32,
    place: u32,
    address: u32,
    map_offset: i64,
}

fn buffer(node: RawFd, places: u32, bytes: u32) -> Buffer {
    let mut argument = [0; 48];
    set(&mut argument, 4, places);
    set(&mut argument, 8, bytes);
    check("a new buffer", request(node, 0x80, &mut argument), 0);
    Buffer {
        handle: word(&argument, 0),
        place: word(&argument, 4),
        address: word(&argument, 16),
        map_offset: i64::from_le_bytes(argument[24..32].try_into().unwrap()),
    }
}

/// Maps a buffer.
fn map(node: RawFd, buffer: &Buffer, words: usize) -> &'static mut [u32] {
    // SAFETY: a new mapping, which stays.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let map = libc::mmap64(std::ptr::null_mut(), words * 4, access, libc::MAP_SHARED, node, buffer.map_offset);
        assert_ne!(map, libc::MAP_FAILED);
        std::slice::from_raw_parts_mut(map.cast(), words)
    }
}

/// How a submission uses a buffer, and where the program presumes it.
fn used(handle: u32, reads: u32, writes: u32, valid: u32, place: u32, address: u32) -> [u32; 10] {
    [0, 0, handle, reads, writes, valid, 1, place, address, 0]
}

/// Submits words of the first buffer; returns the buffers as they were written back.
fn submit<const COUNT: usize>(
    node: RawFd,
    buffers: [[u32; 10]; COUNT],
    relocations: &[[u32; 7]],
    bytes: u32,
) -> (i32, [[u32; 10]; COUNT]) {
    // On 64 bits the structures hold addresses, which are aligned.
    #[repr(align(8))]
    struct Lists<const COUNT: usize>([[u32; 10]; COUNT], [u32; 6]);
    let mut lists = Lists(buffers, [0, 0, 0, 0, bytes, 0]);
    let mut argument = [0; 64];
    set(&mut argument, 4, u32::try_from(COUNT).unwrap());
    argument[8..16].copy_from_slice(&(lists.0.as_mut_ptr().expose_provenance() as u64).to_le_bytes());
    set(&mut argument, 16, u32::try_from(relocations.len()).unwrap());
    set(&mut argument, 20, 1);
    argument[24..32].copy_from_slice(&(relocations.as_ptr().expose_provenance() as u64).to_le_bytes());
    argument[32..40].copy_from_slice(&((&raw mut lists.1).expose_provenance() as u64).to_le_bytes());
    let result = request(node, 0x81, &mut argument);
    // SAFETY: the buffers were made above; they are read as what the request left.
    let written = unsafe { (&raw const lists.0).read_volatile() };
    if result == 0 {
        check("words at the end of pushes", word(&argument, 40), 0x0002_0000);
        check("memory is left", word(&argument, 48) > 0 && word(&argument, 56) > 0, true);
    }
    (result, written)
}

const VRAM: u32 = 2;
const GART: u32 = 4;

/// Requests of a driver, from the first to the last.
fn use_device() {
    let file = open();
    let node = file.as_raw_fd();
    let mut version = [0; 64];
    check("version", (request(node, 0x00, &mut version), word(&version, 0), word(&version, 4)), (0, 1, 3));
    check(
        "capability to share buffers",
        {
            let mut argument = words::<16>(&[5, 0, 0, 0]);
            (request(node, 0x0c, &mut argument), word(&argument, 8))
        },
        (0, 3),
    );
    check("chipset", parameter(node, 11), (0, 0x40));
    check("vendor", parameter(node, 3), (0, 0x10de));
    check("no parameter", parameter(node, 99).0, libc::EINVAL);
    let (opened, notifiers) = open_channel(node);
    check("channel", opened, 0);
    check("a second channel", open_channel(node).0, libc::EBUSY);
    let mut notifier = words::<16>(&[0, 0xbeef_1e00, 32, 0]);
    check("first notifier", (request(node, 0x45, &mut notifier), word(&notifier, 12)), (0, 0));
    let mut notifier = words::<16>(&[0, 0xbeef_0301, 40, 0]);
    check("second notifier", (request(node, 0x45, &mut notifier), word(&notifier, 12)), (0, 32));
    let mut notifier = words::<16>(&[0, 0xbeef_0302, 4096, 0]);
    check("a notifier beyond the buffer", request(node, 0x45, &mut notifier), libc::ENOMEM);

    let copy = OwnedFd::from(file.try_clone().unwrap());
    check("another descriptor of the file", open_channel(copy.as_raw_fd()).0, libc::EBUSY);
    let other = open();
    check("another file", open_channel(other.as_raw_fd()).0, 0);

    // A buffer that lies in video memory, where the program presumes it, and one that the submission needs elsewhere.
    let push = buffer(node, GART | 8, 0x1000);
    let stays = buffer(node, VRAM, 0x3000);
    let moves = buffer(node, VRAM | GART, 0x2000);
    check("places", [push.place, stays.place, moves.place], [GART, VRAM, VRAM]);
    check("addresses differ", stays.address != moves.address, true);
    let memory = map(node, &push, 1024);
    memory[..8].copy_from_slice(&[0x1111_1111; 8]);
    let buffers = [
        used(push.handle, GART, 0, GART, GART, push.address),
        used(stays.handle, VRAM, 0, VRAM, VRAM, stays.address),
        used(moves.handle, 0, GART, GART, VRAM, moves.address),
    ];
    // Container, offset, target, flags (1 low, 2 high, 4 or), data, word for video memory and for system memory.
    let relocations = [
        [0, 4, 1, 1, 0x10, 0, 0],
        [0, 8, 2, 1, 0x10, 0, 0],
        [0, 12, 2, 2, 0x10, 0, 0],
        [0, 16, 2, 4, 0x5000, 1, 2],
        [0, 20, 2, 5, 0x20, 1, 2],
    ];
    // No words: what is tested is what the kernel does with them.
    let (submitted, [_, second, third]) = submit(node, buffers, &relocations, 0);
    check("submission", submitted, 0);
    check("the buffer that stays", (second[6], second[7], second[8]), (1, VRAM, stays.address));
    check("the buffer that moves", (third[6], third[7]), (0, GART));
    let moved = third[8];
    check("words", &memory[..6], [0x1111_1111, 0x1111_1111, moved + 0x10, 0, 0x5002, (moved + 0x20) | 2]);
    let mut information = [0; 40];
    set(&mut information, 0, moves.handle);
    check(
        "where it is now",
        (request(node, 0x84, &mut information), word(&information, 4), word(&information, 16)),
        (0, GART, moved),
    );
    check(
        "a push beyond its buffer",
        submit(node, [used(push.handle, GART, 0, GART, GART, push.address)], &[], 0x1004).0,
        libc::EINVAL,
    );
    check("a buffer that is not there", submit(node, [used(999, GART, 0, GART, GART, 0)], &[], 0).0, libc::ENOENT);
    let outside = [[0, 0x1000, 0, 1, 0, 0, 0]];
    check(
        "a relocation beyond its buffer",
        submit(node, [used(push.handle, GART, 0, GART, VRAM, 0)], &outside, 0).0,
        libc::EINVAL,
    );

    let mut export = words::<12>(&[moves.handle, 0, 0]);
    check("export", request(node, 0x2d, &mut export), 0);
    // SAFETY: the request made the descriptor.
    let exported = unsafe { OwnedFd::from_raw_fd(word(&export, 8).cast_signed()) };
    let mut import = words::<12>(&[0, 0, exported.as_raw_fd().cast_unsigned()]);
    check("import", (request(node, 0x2e, &mut import), word(&import, 0)), (0, moves.handle));
    let mut import = words::<12>(&[0, 0, node.cast_unsigned()]);
    check("import of another file", request(node, 0x2e, &mut import), libc::EINVAL);
    for handle in [push.handle, stays.handle, moves.handle] {
        check("close", request(node, 0x09, &mut words::<8>(&[handle, 0])), 0);
    }
    check("close again", request(node, 0x09, &mut words::<8>(&[push.handle, 0])), libc::EINVAL);
    check("the end of the channel", request(node, 0x43, &mut words::<4>(&[0])), 0);
    check("the notifiers are gone", request(node, 0x09, &mut words::<8>(&[notifiers, 0])), libc::ENOTTY);
    check("a new channel of the same file", open_channel(node).0, 0);
}

/// Lets the system refuse to compare descriptors, as the sandboxes of containers do.
fn forbid_comparisons() {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let statement = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let refuse = libc::SECCOMP_RET_ERRNO | u32::try_from(libc::EPERM).unwrap();
    let mut filter = [
        statement(LOAD_NUMBER, 0, 0, 0),
        statement(JUMP_IF_EQUAL, 0, 1, u32::try_from(libc::SYS_kcmp).unwrap()),
        statement(RETURN, 0, 0, refuse),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: filter.as_mut_ptr() };
    // SAFETY: the program has four statements.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => use_device(),
        Some("idle") => {
            let file = open();
            check("channel", open_channel(file.as_raw_fd()).0, 0);
            let buffer = buffer(file.as_raw_fd(), GART | 8, 0x10_0000);
            map(file.as_raw_fd(), &buffer, 0x4_0000).fill(1);
        }
        Some("forbidden") => {
            forbid_comparisons();
            let file = open();
            check("channel", open_channel(file.as_raw_fd()).0, 0);
            let first = buffer(file.as_raw_fd(), GART, 0x1000);
            map(file.as_raw_fd(), &first, 1024).fill(1);
            // Mesa makes a device of its own for each descriptor then.
            let copy = file.try_clone().unwrap();
            check("another descriptor", open_channel(copy.as_raw_fd()).0, 0);
            check("handles of its own", buffer(copy.as_raw_fd(), GART, 0x1000).handle, first.handle);
            check("the first again", buffer(file.as_raw_fd(), GART, 0x1000).handle, first.handle + 1);
        }
        Some("unknown") => {
            let node = open().into_raw_fd();
            check("channel", open_channel(node).0, 0);
            for _ in 0..3 {
                check("an unknown request", request(node, 0x52, &mut [0; 8]), libc::EINVAL);
            }
            // Descriptors of other files are the kernel's.
            let file = File::open("/proc/self/exe").unwrap();
            check("a request of another file", request(file.as_raw_fd(), 0x40, &mut [0; 16]), libc::ENOTTY);
            // One of Mesa's versions frees objects through whatever file has the number of its channel.
            let mut delete = [0; 24];
            delete[1] = 3;
            check("an object of another file", request(open().as_raw_fd(), 0x47, &mut delete), libc::ENOTTY);
        }
        Some("closed") => {
            let node = open().into_raw_fd();
            check("channel", open_channel(node).0, 0);
            for descriptor in (3..64).filter(|descriptor| *descriptor != node) {
                // SAFETY: the program has no other use for them.
                let _ = unsafe { libc::close(descriptor) };
            }
            // Other files take their numbers.
            let _files: Vec<File> = (0..40).map(|_| open()).collect();
            buffer(node, GART, 0x1000);
            println!("went on");
        }
        Some(other) => panic!("{other} is no argument of this program"),
    }
}
