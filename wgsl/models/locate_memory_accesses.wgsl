// Converts accesses to video memory to partition, bank and row, and counts them by partition, client and
// direction. One invocation per access.
//
// The functions on the host are `MemoryParameters::location`, `tiled_offset` and `linear_location`.

struct TileRegion {
    start: u32,
    bytes: u32,
    pitch_bytes: u32,
    bank_offset: u32,
}

struct MemoryLocations {
    access_count: u32,
    // Invocations in a row of workgroups.
    row: u32,
    partitions: u32,
    log2_interleave: u32,
    log2_block: u32,
    banks: u32,
    region_count: u32,
    padding: u32,
    regions: array<TileRegion>,
}

@group(0) @binding(14) var<storage, read> run: MemoryLocations;
@group(0) @binding(31) var<storage, read> accesses: array<u32>;
// Partition in bits 2:0, bank in bits 5:3, row from bit 6 on; all ones if there is no access.
@group(0) @binding(32) var<storage, read_write> locations: array<u32>;
@group(0) @binding(33) var<storage, read_write> counts: array<atomic<u32>>;

const CLIENTS = 8u;

fn address_bit(address: u32, number: u32) -> u32 {
    return (address >> number) & 1u;
}

fn partition_swap(address: u32) -> u32 {
    if run.partitions == 4u {
        return (countOneBits(address & 0x1800u) & 1u) | ((countOneBits(address & 0x6c00u) & 1u) << 1u);
    }
    if run.partitions == 2u {
        return countOneBits(address & select(0x3e00u, 0x3f00u, run.log2_interleave == 7u)) & 1u;
    }
    return 0u;
}

fn tiled_offset(region: TileRegion, offset: u32) -> u32 {
    let partition_bits = countTrailingZeros(run.partitions);
    let pitch_blocks = region.pitch_bytes >> 8u;
    let is_odd = (pitch_blocks & 1u) != 0u;
    let column = offset % region.pitch_bytes;
    let line = offset / region.pitch_bytes;
    let block_x = column >> 8u;
    let x = column & 255u;
    let block_y = line >> (run.log2_block - 8u);
    let y = line & ((1u << (run.log2_block - 8u)) - 1u);
    var part = 0u;
    if run.partitions == 4u {
        part = address_bit(y, 3u) + (address_bit(y, 2u) << 1u) + (block_x << 1u) + (x >> 7u);
        part += select(0u, block_y << 1u, is_odd);
    } else if run.partitions == 2u {
        part = (y >> 2u) ^ (x >> 7u);
    }
    part &= run.partitions - 1u;
    let low = ((y & 3u) << 5u) | ((((x >> 4u) ^ (x >> 5u) ^ y) & 1u) << 4u) | (x & 15u);
    let half = address_bit(x, 5u);
    let middle = select((half << partition_bits) | part, (part << 1u) | half, run.log2_interleave == 8u);
    let high = ((y >> (2u + partition_bits)) << 2u) | (x >> 6u);
    let inner = (high << (8u + partition_bits)) | (middle << 7u) | low;
    let block = block_y * pitch_blocks + block_x;
    let bank = select(address_bit(block_x, 1u) + (address_bit(block_x, 0u) << 1u) + block_y, block, is_odd);
    let address = (((block & ~3u) | ((bank + region.bank_offset) & 3u)) << run.log2_block) | inner;
    return address ^ (partition_swap(address) << run.log2_interleave);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let number = id.y * run.row + id.x;
    if number >= run.access_count {
        return;
    }
    let access = accesses[number];
    let client = (access >> 27u) & 7u;
    // The end of a segment, or nothing.
    if (access >> 31u) != 0u {
        locations[number] = 0xffffffffu;
        return;
    }
    var address = access << 5u;
    for (var index = 0u; index < run.region_count; index++) {
        let region = run.regions[index];
        if address - region.start < region.bytes {
            address = region.start + tiled_offset(region, address - region.start);
            break;
        }
    }
    let interleaved = (address >> run.log2_interleave) & (run.partitions - 1u);
    let part = interleaved ^ partition_swap(address);
    let block = address >> run.log2_block;
    locations[number] = part | ((block % run.banks) << 3u) | ((block / run.banks) << 6u);
    let direction = (access >> 30u) & 1u;
    atomicAdd(&counts[(part * CLIENTS + client) * 2u + direction], 1u);
}
