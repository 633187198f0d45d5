//! Tests of kernels with arguments: layout of parameters, constants and variables, and what does not fit.

use super::*;
use crate::isa::tesla::module::TeslaModule;
use crate::pipeline::launch::LaunchError;

/// y = a x + y for the first n threads.
const SAXPY: &str = "!!Tesla1.0
.kernel saxpy
.param u32 n
.param f32 a
.param u32 x
.param u32 y
    cvt u32 $r1 u16 $r0l
    mov b32 $r2 u16 s[0xc]
    mov b32 $r3 u16 s[0x2]
    mul $r2 u24 $r2 $r3
    add b32 $r1 $r1 $r2
    mov b32 $r3 b32 s[n]
    set $c0 # ge u32 $r1 $r3
    (lg $c0) ret
    shl b32 $r1 $r1 0x2
    add b32 $r2 b32 s[x] $r1
    ld b32 $r3 g14[$r2]
    add b32 $r4 b32 s[y] $r1
    ld b32 $r5 g14[$r4]
    mov b32 $r6 b32 s[a]
    add f32 $r5 (mul $r3 $r6) $r5
    exit st b32 g14[$r4] $r5
";

fn module(text: &str) -> TeslaModule {
    read_module("test", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn request(threads: u32, arguments: &[&str]) -> KernelRequest {
    KernelRequest {
        entry: None,
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        arguments: arguments.iter().map(|text| text.parse().unwrap()).collect(),
        more_shared_bytes: 0,
        pointer_bytes: 8,
        textures: Vec::new(),
    }
}

fn run_on(module: &TeslaModule, request: &KernelRequest) -> KernelRun {
    launch(module, request, &ComputeEngine::REFERENCE, &LaunchOptions::default()).unwrap()
}

fn refused(module: &TeslaModule, request: &KernelRequest) -> String {
    prepare(module, request).unwrap_err().to_string()
}

/// The values of a buffer.
fn values(run: &KernelRun, name: &str, table: &str) -> Vec<String> {
    let buffer = run.memory.buffers().iter().find(|buffer| buffer.name == name).unwrap();
    table.parse::<Table>().unwrap().values(&buffer.bytes)
}

#[test]
fn a_kernel_computes_on_its_arguments() {
    let arguments = ["u32:5", "f32:2", "f32:[1,2,3,4,5,6]", "f32:[10,20,30,40,50,60]"];
    let mut request = request(4, &arguments);
    request.grid = [2, 1, 1];
    let run = run_on(&module(SAXPY), &request);
    assert_eq!(values(&run, "3", "f32"), ["12.0", "24.0", "36.0", "48.0", "60.0", "60.0"]);
    assert_eq!(run.report.faults, []);
    // Two warps execute sixteen instructions; three of the eight threads execute the eighth and end.
    assert_eq!((run.report.warp_instructions, run.report.thread_instructions), (32, 7 * 8 + 3 + 5 * 8));
    // The input is as it was: `sha256sum` of 1 to 6.
    let hash = "24ae2dfe8df57c1b80e54cef3d90ac3b417fd98973345a5f616bbc9a75dcc202";
    assert_eq!(buffer_hash(&run.memory.buffers()[0]), hash);
}

#[test]
fn arguments_have_the_number_and_kind_of_the_parameters() {
    let module = module(SAXPY);
    let few = refused(&module, &request(4, &["u32:5"]));
    assert_eq!(few, "saxpy needs 4 arguments (n, a, x, y), found 1");
    let kind = refused(&module, &request(4, &["u32:5", "i32:2", "zeros:4", "zeros:4"]));
    assert_eq!(kind, "argument 1 is an integer, but parameter a is a float of 4 bytes");
    let kind = refused(&module, &request(4, &["f32:5", "f32:2", "zeros:4", "zeros:4"]));
    assert_eq!(kind, "argument 0 is a float, but parameter n is an integer of 4 bytes");
    let kind = refused(&module, &request(4, &["u32:5", "zeros:4", "zeros:4", "zeros:4"]));
    assert_eq!(kind, "argument 1 is a buffer, but parameter a is a float of 4 bytes");
}

#[test]
fn a_kernel_is_found_by_its_name() {
    let module = module("!!Tesla1.0\n.kernel first\n    exit\n.kernel second\n    exit\n");
    let named = |entry: Option<&str>| KernelRequest { entry: entry.map(str::to_owned), ..request(1, &[]) };
    assert_eq!(refused(&module, &named(None)), "the module has several kernels; name one of first, second");
    assert_eq!(refused(&module, &named(Some("third"))), "the module has no kernel 'third'; it has first, second");
    assert_eq!(run_on(&module, &named(Some("second"))).report.warp_instructions, 1);
    let empty = TeslaModule { kernels: Vec::new(), ..module };
    assert_eq!(refused(&empty, &named(None)), "the module has no kernel");
}

/// A cubin of one kernel with these words and 32 bytes of shared memory.
fn cubin(words: &str) -> TeslaModule {
    module(&format!(
        "architecture {{sm_10}}\nabiversion {{0}}\nmodname {{cubin}}\ncode {{\n\tname = kernel\n\tlmem = 0\n\tsmem = 32\n\
         \treg = 4\n\tbar = 0\n\tbincode {{\n{words}\n\t}}\n}}\n"
    ))
}

/// Stores the word at s[0x18] to the address at s[0x10]: `mov b32 $r1 b32 s[0x10]`, `mov b32 $r0 b32 s[0x18]`,
/// `exit st b32 g14[$r1] $r0`.
const COPY: &str = "0x1100e804 0x1100ec00 0xd00e0201 0xa0c00781";

#[test]
fn a_cubin_has_parameters_at_their_natural_places() {
    let module = cubin(COPY);
    // An address of 64 bits at 0x10, so that the next argument is at 0x18.
    let run = run_on(&module, &request(1, &["zeros:4", "i32:-7"]));
    assert_eq!(values(&run, "0", "i32"), ["-7"]);
    // A word at 0x10 and one at 0x14, then one at 0x18.
    let narrow = KernelRequest { pointer_bytes: 4, ..request(1, &["zeros:4", "i32:1", "i32:2"]) };
    assert_eq!(values(&run_on(&module, &narrow), "0", "i32"), ["2"]);
    // A word, then an address at its natural place.
    let padded = prepare(&module, &request(1, &["i32:1", "zeros:4"])).unwrap();
    assert_eq!(padded.launch.parameters, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    let long = refused(&module, &request(1, &["zeros:4", "zeros:4", "i32:1"]));
    assert_eq!(long, "the arguments end at byte 0x24 of shared memory, but kernel has only 0x20 bytes");
}

#[test]
fn variables_and_constants_have_their_places() {
    // out = user[1] + counter + literal; counter = 5.
    let module = module(
        "!!Tesla1.0
.const user c0[0x4] 8
.data 0x10 0x20
.global counter 4 c14[0x8] align 4096
.data 0x300
.kernel sum
.param u32 out
.const const c1[0x0] 4
.data 0x4000
    ld b32 $r1 b32 c0[0x8]
    ld b32 $r2 b32 c14[0x8]
    ld b32 $r3 g14[$r2]
    add b32 $r1 $r1 $r3
    ld b32 $r3 b32 c1[0x0]
    add b32 $r1 $r1 $r3
    mov b32 $r3 0x5
    st b32 g14[$r2] $r3
    mov b32 $r2 b32 s[out]
    exit st b32 g14[$r2] $r1
",
    );
    let run = run_on(&module, &request(1, &["zeros:4"]));
    assert_eq!(run.report.faults, []);
    assert_eq!(values(&run, "0", "x32"), ["00004320"]);
    assert_eq!(values(&run, "counter", "u32"), ["5"]);
    assert_eq!(run.memory.buffers()[1].address % 4096, 0);
    let mut large = module;
    large.constants[0].offset = 0xffff;
    let error = refused(&large, &request(1, &["zeros:4"]));
    assert_eq!(error, "constant space 0 has 65543 bytes, more than 65536");
}

#[test]
fn a_launch_may_add_shared_memory() {
    // Stores at s[0x100], which the kernel does not declare.
    let module = module("!!Tesla1.0\n.kernel add\n.shared 0x10\n    st b32 s[0x100] $r0\n    exit\n");
    assert_eq!(run_on(&module, &request(1, &[])).report.faults.len(), 1);
    let more = KernelRequest { more_shared_bytes: 0x100, ..request(1, &[]) };
    assert_eq!(run_on(&module, &more).report.faults, []);
}

#[test]
fn what_does_not_fit_or_end_is_an_error() {
    let module = module("!!Tesla1.0\n.kernel endless\nagain:\n    bra again\n");
    let options = LaunchOptions { instruction_limit: 100, ..LaunchOptions::default() };
    let error = |threads, engine| launch(&module, &request(threads, &[]), engine, &options).unwrap_err();
    let endless = error(1, &ComputeEngine::REFERENCE);
    assert!(matches!(
        endless,
        LaunchKernelError::Engine(ComputeError::Launch(LaunchError::Endless { limit: 100, .. }))
    ));
    assert_eq!(error(513, &ComputeEngine::REFERENCE).to_string(), "the block has x = 513; it can be 1 to 512");
}

#[test]
fn a_file_begins_with_its_language() {
    let error = read_module("a.txt", b"hello").unwrap_err().to_string();
    assert_eq!(
        error,
        "a.txt: the file begins neither with '!!Tesla1.0', as assembly, nor with '.version', as PTX, nor with \
         'architecture', as cubin text, nor as an ELF file"
    );
    assert!(matches!(read_module("a", b"!!Tesla1.0\n.kernel k\n    frobnicate\n"), Err(ModuleFileError::Text(_))));
}
