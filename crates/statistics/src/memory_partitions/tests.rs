//! Compares addresses with hand calculations, and DRAM with closed forms and a clock-by-clock simulation.

use std::collections::BTreeSet;

use super::*;
use crate::test_random::Random;
use crate::test_traces::{random_accesses, random_memory};

fn reads(addresses: impl Iterator<Item = u32>) -> Vec<MemoryAccess> {
    addresses.map(|address| MemoryAccess::new(address, Client::Texture, false)).collect()
}

fn accesses_of(partition: &PartitionResult) -> u64 {
    partition.accesses.iter().flatten().sum()
}

/// The load of the busiest partition relative to the mean.
fn imbalance(result: &MemoryResult) -> f64 {
    let loads: Vec<u64> = result.partitions.iter().map(accesses_of).collect();
    *loads.iter().max().unwrap() as f64 * loads.len() as f64 / loads.iter().sum::<u64>() as f64
}

fn rows(result: &MemoryResult) -> BankCounts {
    let banks = result.partitions.iter().flat_map(|partition| &partition.banks);
    banks.fold(BankCounts::default(), |sum, bank| BankCounts {
        hits: sum.hits + bank.hits,
        misses: sum.misses + bank.misses,
    })
}

fn turns(result: &MemoryResult) -> u64 {
    result.partitions.iter().map(|partition| partition.turns).sum()
}

#[test]
fn linear_addresses_go_where_calculated() {
    let parameters = MemoryParameters::default();
    // (address, partition, bank, row): interleaved by 256 bytes, swapped by a11^a12 and a10^a11^a13^a14; blocks of
    // 16 KiB.
    for (address, partition, bank, row) in [
        (0, 0, 0, 0),
        (0x0ff, 0, 0, 0),
        (0x100, 1, 0, 0),
        (0x300, 3, 0, 0),
        (0x400, 2, 0, 0),
        (0x800, 3, 0, 0),
        (0x1000, 1, 0, 0),
        (0x2100, 3, 0, 0),
        (0x4000, 2, 1, 0),
        (0x1_0000, 0, 0, 1),
        (0x1_4800, 1, 1, 1),
        (0xffff_ff00, 3, 3, 0xffff),
    ] {
        assert_eq!(parameters.location(address), Location { partition, bank, row }, "{address:#x}");
    }
    // Two partitions: the XOR of a9 to a13, and of a8 at an interleave of 128 bytes.
    let parameters = MemoryParameters { partitions: 2, ..MemoryParameters::default() };
    let partitions = [0, 0x100, 0x200, 0x300, 0x600, 0x3e00].map(|address| parameters.location(address).partition);
    assert_eq!(partitions, [0, 1, 1, 0, 0, 1]);
    let parameters = MemoryParameters { interleave_bytes: 128, ..parameters };
    let partitions = [0, 0x80, 0x100, 0x180, 0x300].map(|address| parameters.location(address).partition);
    assert_eq!(partitions, [0, 1, 1, 0, 0]);
}

#[test]
fn tiled_addresses_are_those_of_the_formula() {
    // (offset, pitch, column bits, bank offset, interleave, address, partition), calculated independently of this
    // program.
    for (offset, pitch_bytes, column_bits, bank_offset, interleave_bytes, address, partition) in [
        (0x0, 512, 9, 0, 256, 0x0, 0),
        (0x20, 1024, 9, 0, 256, 0x90, 0),
        (0x12345, 2560, 9, 0, 256, 0x9635, 1),
        (0x54321, 1280, 9, 1, 256, 0x5c1a1, 3),
        (0xabcde, 3328, 9, 3, 128, 0xbddee, 1),
        (0x345678, 4096, 8, 2, 256, 0x34a6b8, 2),
        (0x7ffff0, 768, 10, 0, 128, 0x802ec0, 2),
    ] {
        let region = TileRegion { start: 0, bytes: 1 << 24, pitch_bytes, bank_offset };
        let regions = vec![region];
        let parameters = MemoryParameters { column_bits, interleave_bytes, regions, ..MemoryParameters::default() };
        parameters.check().unwrap();
        assert_eq!(parameters.tiled_offset(&region, offset), address, "{offset:#x} {pitch_bytes}");
        assert_eq!(parameters.location(offset).partition, partition, "{offset:#x} {pitch_bytes}");
    }
}

#[test]
fn every_byte_of_a_region_has_a_place_of_its_own() {
    for partitions in [1, 2, 4] {
        for (pitch_bytes, interleave_bytes) in
            [(512, 256), (768, 128), (1280, 256), (1536, 256), (2560, 128), (4096, 256)]
        {
            let parameters =
                MemoryParameters { partitions, interleave_bytes, column_bits: 8, ..MemoryParameters::default() };
            let region = TileRegion { start: 0, bytes: 0, pitch_bytes, bank_offset: 1 };
            // Four rows of blocks are whole groups of four blocks.
            let bytes = (pitch_bytes * 4) << (parameters.log2_block() - 8);
            let places: BTreeSet<u32> =
                (0..bytes / 16).map(|unit| parameters.tiled_offset(&region, unit * 16)).collect();
            assert_eq!(places.len(), bytes as usize / 16, "{partitions} {pitch_bytes}");
            // Groups of 16 bytes stay together, and no address lies outside.
            assert!(places.iter().all(|place| place % 16 == 0 && *place < bytes));
            assert_eq!(parameters.tiled_offset(&region, 7), parameters.tiled_offset(&region, 0) + 7);
        }
    }
    // In linear memory an address is a location with a column; each row of a partition has 1024 accesses of 32
    // bytes.
    let parameters = MemoryParameters::default();
    let mut rows = std::collections::BTreeMap::new();
    (0..1 << 15).for_each(|unit| *rows.entry(parameters.location(unit * 32)).or_insert(0) += 1);
    assert_eq!(rows.len(), 4 * 4 * 16);
    assert!(rows.values().all(|accesses| *accesses == 4096 / 32));
}

#[test]
fn a_linear_stream_loads_partitions_alike() {
    for partitions in [1, 2, 4] {
        let parameters = MemoryParameters { partitions, ..MemoryParameters::default() };
        // Each KiB separately.
        for start in [0, 0x400, 0x12_3400, 0xff_fc00] {
            let result = simulate(&reads((0..32).map(|at| start + at * 32)), &parameters).unwrap();
            let loads: Vec<u64> = result.partitions.iter().map(accesses_of).collect();
            assert_eq!(loads, vec![32 / u64::from(partitions); partitions as usize]);
            assert_eq!(imbalance(&result).to_bits(), 1.0f64.to_bits());
        }
    }
    // One partition gets everything at a stride that only changes bits above the swap.
    let result = simulate(&reads((0..100).map(|at| at << 15)), &MemoryParameters::default()).unwrap();
    assert_eq!(imbalance(&result).to_bits(), 4.0f64.to_bits());
}

#[test]
fn a_column_of_a_tiled_surface_stays_in_few_rows() {
    let region = TileRegion { start: 0, bytes: 1 << 22, pitch_bytes: 4096, bank_offset: 0 };
    let column = reads((0..64).map(|line| line * 4096));
    let linear = simulate(&column, &MemoryParameters::default()).unwrap();
    let tiled = simulate(&column, &MemoryParameters { regions: vec![region], ..MemoryParameters::default() }).unwrap();
    // 64 lines are one block: each partition opens its one row once. Linear memory has four lines per block.
    assert_eq!((rows(&tiled).hits, rows(&tiled).misses), (60, 4));
    assert!(rows(&linear).misses >= 16);
    assert_eq!(imbalance(&tiled).to_bits(), 1.0f64.to_bits());
}

#[test]
fn clocks_are_those_of_rows_and_turns() {
    let parameters = MemoryParameters::default();
    // A long stream in one direction. A row is opened eight accesses ahead, that is 16 clocks: enough for the 12
    // of an activation, but 9 too few if a row of the bank is open, from the fifth block on.
    let result = simulate(&reads((0..4 << 10).map(|at| at * 32)), &parameters).unwrap();
    assert_eq!((result.bytes_of(Client::Texture), turns(&result)), ([128 << 10, 0], 0));
    let peak_clocks = 4096 * 2 / 4;
    // 128 KiB are eight blocks, and each partition opens a row of each.
    assert_eq!((rows(&result).misses, rows(&result).hits), (8 * 4, 4096 - 32));
    assert_eq!(result.clocks(), 12 + 10 + peak_clocks + 4 * 9);
    // Alternates between two rows of one bank, one access at a time: close, activate, data.
    let parameters = MemoryParameters { queue_depth: 1, ..parameters };
    let result = simulate(&reads((0..10).map(|at| (at & 1) << 16)), &parameters).unwrap();
    assert_eq!((rows(&result).misses, rows(&result).hits), (10, 0));
    assert_eq!(result.clocks(), 12 + 10 + 2 + 9 * (13 + 12 + 2));
    // Alternates reads and writes in one row: a read is issued five clocks after the data of a write, and takes
    // ten.
    let access = |at: u32| MemoryAccess::new(0, Client::Color, at & 1 == 1);
    let result = simulate(&(0..10).map(access).collect::<Vec<_>>(), &parameters).unwrap();
    assert_eq!(turns(&result), 9);
    assert_eq!(result.clocks(), 12 + 10 + 10 * 2 + 5 * 2 + 4 * (5 + 10));
    assert_eq!(result.bytes_of(Client::Color), [160, 160]);
    assert_eq!(result.bytes_of(Client::Zeta), [0, 0]);
    // A row that was written closes later.
    let pair = [MemoryAccess::new(0, Client::Copy, true), MemoryAccess::new(1 << 16, Client::Copy, true)];
    assert_eq!(simulate(&pair, &parameters).unwrap().clocks(), 12 + 5 + 2 + 10 + 13 + 12 + 5 + 2);
}

/// Simulates a partition clock by clock: the clocks, row hits, row misses, turnarounds.
fn clock_by_clock(accesses: &[(Location, bool)], parameters: &MemoryParameters) -> (u64, u64, u64, u64) {
    #[derive(Clone, Copy, Default)]
    struct Bank {
        row: Option<u32>,
        ready: u64,
        closable: u64,
    }
    let mut banks = vec![Bank::default(); parameters.banks as usize];
    let mut starts: Vec<u64> = Vec::new();
    let (mut opened, mut hits, mut turns) = (0, 0, 0);
    let (mut end, mut next_activation, mut clock, mut misses) = (0, 0, 0, 0);
    while starts.len() < accesses.len() {
        // Rows are opened in order, as far ahead as the queue reaches: an access enters the queue in the clock in
        // which the access before the whole queue began.
        while opened < accesses.len() {
            let depth = parameters.queue_depth as usize;
            let is_seen = opened < depth || starts.get(opened - depth).is_some_and(|start| *start <= clock);
            let (location, _) = accesses[opened];
            let bank = &mut banks[location.bank as usize];
            if !is_seen {
                break;
            }
            if bank.row == Some(location.row) {
                hits += 1;
                opened += 1;
                continue;
            }
            // Earlier accesses must be done with the bank's row.
            let waits = accesses[starts.len()..opened].iter().any(|(other, _)| other.bank == location.bank);
            let seen = if opened < depth { 0 } else { starts[opened - depth] };
            if waits {
                break;
            }
            let closed = match bank.row {
                Some(_) => seen.max(bank.closable) + u64::from(parameters.precharge_clocks),
                None => seen,
            };
            let activation = next_activation.max(closed);
            next_activation = activation + u64::from(parameters.activate_spacing);
            *bank = Bank {
                row: Some(location.row),
                ready: activation + u64::from(parameters.activate_clocks),
                closable: bank.closable,
            };
            misses += 1;
            opened += 1;
        }
        if starts.len() < opened {
            let (location, is_write) = accesses[starts.len()];
            let turn = match starts.len().checked_sub(1).map(|last| accesses[last].1) {
                Some(true) if !is_write => Some(parameters.write_to_read + parameters.read_latency),
                Some(false) if is_write => Some(parameters.read_to_write),
                _ => None,
            };
            let bank = &mut banks[location.bank as usize];
            let latency = u64::from(if is_write { parameters.write_latency } else { parameters.read_latency });
            if clock >= bank.ready && clock + latency >= end + u64::from(turn.unwrap_or(0)) {
                turns += u64::from(turn.is_some());
                end = clock + latency + u64::from(parameters.access_clocks);
                let last = clock + u64::from(parameters.access_clocks);
                let closable = if is_write { end + u64::from(parameters.write_recovery) } else { last };
                bank.closable = bank.closable.max(closable);
                starts.push(clock);
                continue;
            }
        }
        clock += 1;
    }
    (end, hits, misses, turns)
}

#[test]
fn random_traces_give_what_a_plain_simulation_gives() {
    let mut random = Random::new(9);
    for case in 0..40 {
        let parameters = random_memory(&mut random);
        let trace = random_accesses(&mut random, 200);
        let result = simulate(&trace, &parameters).unwrap();
        // Segments end as if the trace ended there.
        let ends: Vec<usize> = (0..trace.len()).filter(|place| trace[*place].is_segment_end()).collect();
        assert_eq!(result.segment_ends.len(), ends.len());
        for (clocks, end) in result.segment_ends.iter().zip(ends) {
            let until = simulate(&trace[..end], &parameters).unwrap();
            assert!(until.partitions.iter().map(|partition| partition.clocks).eq(clocks.iter().copied()));
        }
        for (number, partition) in (0..).zip(&result.partitions) {
            let accesses: Vec<_> = trace
                .iter()
                .filter(|access| access.client().is_some())
                .map(|access| (parameters.location(access.address()), access.is_write()))
                .filter(|(location, _)| location.partition == number)
                .collect();
            let (clocks, hits, misses, turns) = clock_by_clock(&accesses, &parameters);
            assert_eq!(accesses_of(partition), accesses.len() as u64);
            assert_eq!((partition.clocks, partition.turns), (clocks, turns), "case {case}");
            assert_eq!(partition.banks.iter().map(|bank| bank.hits).sum::<u64>(), hits);
            assert_eq!(partition.banks.iter().map(|bank| bank.misses).sum::<u64>(), misses);
            assert!(clocks <= accesses.len() as u64 * parameters.max_clocks());
        }
        let bytes: u64 = Client::ALL.iter().flat_map(|client| result.bytes_of(*client)).sum();
        assert_eq!(bytes, 32 * result.partitions.iter().map(accesses_of).sum::<u64>());
    }
}

#[test]
fn the_busiest_partition_of_each_segment_counts() {
    // Three accesses to partition 0, one to partition 1, then four to partition 1 in the row that is open.
    let read = |address| MemoryAccess::new(address, Client::Texture, false);
    let mut trace = vec![read(0), read(32), read(64), read(0x100), MemoryAccess::segment_end(0)];
    trace.extend([0x120, 0x140, 0x160, 0x180].map(read));
    trace.extend([MemoryAccess::segment_end(1), MemoryAccess::segment_end(2)]);
    let result = simulate(&trace, &MemoryParameters::default()).unwrap();
    assert_eq!(result.segment_ends[0], [12 + 10 + 3 * 2, 12 + 10 + 2, 0, 0]);
    assert_eq!(result.segment_clocks(), [12 + 10 + 6, 4 * 2, 0]);
}

#[test]
fn accesses_keep_what_they_are_made_of() {
    for client in Client::ALL {
        let access = MemoryAccess::new(0xffff_ffff, client, client == Client::Copy);
        assert_eq!((access.address(), access.client()), (0xffff_ffe0, Some(client)));
        assert_eq!(access.is_write(), client == Client::Copy);
    }
    let range = |start, bytes| -> Vec<u32> {
        MemoryAccess::of_range(start, bytes, Client::Copy, true).map(MemoryAccess::address).collect()
    };
    assert_eq!(range(31, 2), [0, 32]);
    assert_eq!(range(64, 32), [64]);
    assert_eq!((range(5, 0).len(), range(u32::MAX, 99)), (0, vec![0xffff_ffe0]));
    assert!(MemoryAccess::of_range(0, 1, Client::Copy, true).all(|access| access.is_write()));
    assert_eq!((MemoryAccess::NONE.client(), MemoryAccess::NONE.is_segment_end()), (None, false));
    assert_eq!((MemoryAccess::segment_end(7).client(), MemoryAccess::segment_end(7).is_segment_end()), (None, true));
    let nothing = simulate(&[MemoryAccess::NONE], &MemoryParameters::default()).unwrap();
    assert!(nothing.partitions.iter().all(|partition| accesses_of(partition) == 0));
    assert_eq!(Client::ScanOut.name(), "scan-out");
}

#[test]
fn what_is_out_of_range_is_named() {
    let plain = MemoryParameters::default();
    let error = |parameters: MemoryParameters| parameters.check().unwrap_err().to_string();
    assert_eq!(error(MemoryParameters { partitions: 3, ..plain.clone() }), "partitions is 3, not 1, 2 or 4");
    assert_eq!(error(MemoryParameters { column_bits: 13, ..plain.clone() }), "column_bits is 13, not from 7 to 12");
    assert_eq!(
        error(MemoryParameters { write_recovery: 256, ..plain.clone() }),
        "write_recovery is 256, not at most 255"
    );
    let error = error(MemoryParameters { write_latency: 11, ..plain.clone() });
    assert_eq!(error, "write_latency is 11, not at most the latency of reads");
    let region = TileRegion { start: 0, bytes: 1, pitch_bytes: 512, bank_offset: 0 };
    for (region, field) in [
        (TileRegion { pitch_bytes: 256, ..region }, "pitch_bytes"),
        (TileRegion { pitch_bytes: 0, ..region }, "pitch_bytes"),
        (TileRegion { pitch_bytes: 256 * 11, ..region }, "pitch_bytes"),
        (TileRegion { start: 0x8000, ..region }, "start"),
        (TileRegion { bank_offset: 4, ..region }, "bank_offset"),
        (TileRegion { bytes: 0, ..region }, "bytes"),
    ] {
        let parameters = MemoryParameters { regions: vec![region], ..plain.clone() };
        assert_eq!(parameters.check().unwrap_err().field, field);
    }
    let parameters = MemoryParameters { regions: vec![region, region], ..plain.clone() };
    assert_eq!(parameters.check().unwrap_err().expected, "outside of other regions");
    let parameters = MemoryParameters { regions: vec![region; 16], ..plain };
    assert_eq!(parameters.check().unwrap_err().field, "regions");
}
