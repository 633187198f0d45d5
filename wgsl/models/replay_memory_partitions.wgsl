// Replays located accesses in order and counts row hits and misses, bus turnarounds and DRAM clocks. One
// invocation per partition, which continues where the previous dispatch ended.
//
// The function on the host is `statistics::memory_partitions::simulate`.

struct MemoryPartitionsRun {
    partitions: u32,
    banks: u32,
    // The accesses of this dispatch.
    first: u32,
    end: u32,
    queue_depth: u32,
    access_clocks: u32,
    activate_clocks: u32,
    precharge_clocks: u32,
    activate_spacing: u32,
    write_recovery: u32,
    read_to_write: u32,
    write_to_read: u32,
    read_latency: u32,
    write_latency: u32,
    segments: u32,
    padding: u32,
}

struct DramBank {
    // The open row, plus one.
    row: u32,
    // The first clock at which its row can be accessed, and the first at which it can be closed.
    ready: u32,
    closable: u32,
    hits: u32,
    misses: u32,
}

struct DramPartition {
    // The next slot of the queue.
    slot: u32,
    end: u32,
    next_activation: u32,
    // 0 before the first access, then 1 after a read and 2 after a write.
    last: u32,
    turns: u32,
}

@group(0) @binding(14) var<storage, read> run: MemoryPartitionsRun;
@group(0) @binding(31) var<storage, read> accesses: array<u32>;
@group(0) @binding(32) var<storage, read> locations: array<u32>;
@group(0) @binding(34) var<storage, read_write> partitions: array<DramPartition>;
@group(0) @binding(35) var<storage, read_write> banks: array<DramBank>;
// The clocks at which the latest accesses were issued, `queue_depth` per partition.
@group(0) @binding(36) var<storage, read_write> starts: array<u32>;
// The clock until which each partition transfers data, at the end of each segment.
@group(0) @binding(37) var<storage, read_write> segment_ends: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= run.partitions {
        return;
    }
    var now = partitions[id.x];
    for (var number = run.first; number < run.end; number++) {
        let location = locations[number];
        // A word that is not an access is all ones, and so has no partition.
        if location == 0xffffffffu {
            let segment = accesses[number] & 0x7fffffffu;
            if segment < run.segments {
                segment_ends[segment * run.partitions + id.x] = now.end;
            }
        }
        if (location & 7u) != id.x {
            continue;
        }
        let slot = id.x * run.queue_depth + now.slot;
        let place = id.x * run.banks + ((location >> 3u) & 7u);
        let row = (location >> 6u) + 1u;
        var bank = banks[place];
        if bank.row == row {
            bank.hits += 1u;
        } else {
            bank.misses += 1u;
            let seen = starts[slot];
            let closed = select(max(seen, bank.closable) + run.precharge_clocks, seen, bank.row == 0u);
            let activation = max(closed, now.next_activation);
            now.next_activation = activation + run.activate_spacing;
            bank.row = row;
            bank.ready = activation + run.activate_clocks;
        }
        let is_write = ((accesses[number] >> 30u) & 1u) != 0u;
        var turn = 0u;
        if now.last != 0u && is_write != (now.last == 2u) {
            // A read is issued after the last data of the write.
            turn = select(run.write_to_read + run.read_latency, run.read_to_write, is_write);
            now.turns += 1u;
        }
        let latency = select(run.read_latency, run.write_latency, is_write);
        let start = max(bank.ready + latency, now.end + turn);
        now.end = start + run.access_clocks;
        now.last = select(1u, 2u, is_write);
        bank.closable = max(bank.closable, select(now.end - latency, now.end + run.write_recovery, is_write));
        banks[place] = bank;
        starts[slot] = start - latency;
        now.slot = select(now.slot + 1u, 0u, now.slot + 1u == run.queue_depth);
    }
    partitions[id.x] = now;
}
