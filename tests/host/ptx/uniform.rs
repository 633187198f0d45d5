//! Branches at which all threads of a warp go the same way: they have no join, and others keep theirs.

use curie::isa::tesla::decode_program;
use curie::shader::simt::{Operation, ProgramKind};

use super::Machine;

/// Runs statements on two warps, for threads %t, the parameter %k and the result %d; checks how many joins they take.
fn check(statements: &str, k: u32, joins: usize, expected: impl Fn(u32) -> u32) {
    let text = format!(
        ".version 1.4\n.target sm_10\n.const .u32 table[4] = {{3, 1, 4, 1}};\n
.entry test (.param .u32 out, .param .u32 k) {{
    .reg .u32 %t, %d, %k, %i, %x, %address;
    .reg .pred %p, %q;
    .shared .u32 shared[4];
    cvt.u32.u16 %t, %tid.x;
    mov.u32 %d, 0;
    ld.param.u32 %k, [k];
    {statements}
    bar.sync 0;
    ld.param.u32 %address, [out];
    mad24.lo.u32 %address, %t, 4, %address;
    st.global.u32 [%address], %d;
}}"
    );
    let mut machine = Machine::new(&text);
    let instructions = decode_program(&machine.module.kernels[0].code, ProgramKind::Compute);
    let found =
        instructions.filter(|found| found.as_ref().unwrap().instruction.operation == Operation::PushJoin).count();
    assert_eq!(found, joins, "{statements}");
    let out = machine.buffer("out", &[0; 64]);
    machine.run("test", [1, 1], [64, 1, 1], &[out, k]);
    assert_eq!(machine.words("out"), (0..64).map(expected).collect::<Vec<_>>(), "{statements}");
}

#[test]
fn loops_over_parameters_have_no_join() {
    let statements = "
        mov.u32 %i, 0;
    again:
        add.u32 %d, %d, %t;
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, %k;
        @%p bra again;";
    check(statements, 9, 0, |t| 9 * t);
}

#[test]
fn constants_and_sizes_are_the_same_for_all() {
    let statements = "
        ld.const.u32 %x, [table+8];
        cvt.u32.u16 %i, %ntid.x;
        mul.lo.u32 %x, %x, %i;
        setp.eq.u32 %p, %x, 256;
        @!%p bra end;
        add.u32 %d, %t, 5;
        cvt.u32.u16 %i, %ctaid.x;
        setp.eq.u32 %q, %i, %k;
        @%q bra end;
        mov.u32 %d, 7;
    end:";
    check(statements, 0, 0, |t| t + 5);
    check(statements, 1, 0, |_| 7);
}

/// The count of a loop is not the same behind it if threads leave it at different times.
#[test]
fn counts_of_parted_loops_differ() {
    let statements = "
        mov.u32 %i, 0;
    again:
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, %t;
        @%p bra again;
        setp.gt.u32 %p, %i, 20;
        @%p bra large;
        add.u32 %d, %i, 1000;
        bra end;
    large:
        add.u32 %d, %i, %k;
    end:";
    check(statements, 5, 2, |t| if t > 20 { t + 5 } else { t.max(1) + 1000 });
}

/// A value is not the same for all if a branch on the thread decides which constant it is.
#[test]
fn chosen_constants_differ() {
    let statements = "
        mov.u32 %x, 1;
        setp.lt.u32 %p, %t, 7;
        @%p bra small;
        mov.u32 %x, 2;
    small:
        setp.eq.u32 %q, %x, %k;
        @%q bra end;
        add.u32 %d, %t, 10;
    end:";
    check(statements, 2, 2, |t| if t < 7 { t + 10 } else { 0 });
    // The same with a guard and without one of the thread.
    let statements = "
        mov.u32 %x, 1;
        setp.lt.u32 %p, %t, 7;
        @%p mov.u32 %x, 2;
        setp.eq.u32 %q, %x, %k;
        @%q bra end;
        add.u32 %d, %t, 10;
    end:";
    check(statements, 2, 1, |t| if t < 7 { 0 } else { t + 10 });
    check(&statements.replace("setp.lt.u32 %p, %t", "setp.lt.u32 %p, %k"), 2, 0, |_| 0);
}

/// Other threads may write shared memory between two reads.
#[test]
fn shared_memory_is_not_known_to_be_the_same() {
    let statements = "
        setp.eq.u32 %p, %t, 3;
        @%p st.shared.u32 [shared], %k;
        bar.sync 0;
        ld.shared.u32 %x, [shared];
        setp.eq.u32 %q, %x, 77;
        @%q bra end;
        mov.u32 %d, 1;
    end:";
    check(statements, 77, 1, |_| 0);
    check(statements, 78, 1, |_| 1);
}
