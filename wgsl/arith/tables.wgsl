// Holds the tables of the special functions as trees of selects; the twin of `crates/isa/src/arith/tables.rs`.
//
// Mesa's software adapter takes seconds to compile a constant array with a run-time index. A tree of selects
// accesses no memory and costs the same on every adapter.
//
// Rows of quadratics are packed: a 24-bit value with the low byte of the curvature above it, and a 24-bit slope
// with the rest of the curvature above it.

// The bits of four indices in 0..64.
struct TableIndex {
    bit0: vec4<bool>,
    bit1: vec4<bool>,
    bit2: vec4<bool>,
    bit3: vec4<bool>,
    bit4: vec4<bool>,
    bit5: vec4<bool>,
    bit6: vec4<bool>,
}

fn table_index(index: vec4u) -> TableIndex {
    return TableIndex(
        (index & vec4u(1u)) != vec4u(0u),
        (index & vec4u(2u)) != vec4u(0u),
        (index & vec4u(4u)) != vec4u(0u),
        (index & vec4u(8u)) != vec4u(0u),
        (index & vec4u(16u)) != vec4u(0u),
        (index & vec4u(32u)) != vec4u(0u),
        (index & vec4u(64u)) != vec4u(0u),
    );
}

// Selects one of eight constants by the three low bits.
fn table_pick(i: TableIndex, k0: u32, k1: u32, k2: u32, k3: u32, k4: u32, k5: u32, k6: u32, k7: u32) -> vec4u {
    let k01 = select(vec4u(k0), vec4u(k1), i.bit0);
    let k23 = select(vec4u(k2), vec4u(k3), i.bit0);
    let k45 = select(vec4u(k4), vec4u(k5), i.bit0);
    let k67 = select(vec4u(k6), vec4u(k7), i.bit0);
    return select(select(k01, k23, i.bit1), select(k45, k67, i.bit1), i.bit2);
}

// Selects one of four values by bits 3 and 4.
fn table_join(i: TableIndex, v0: vec4u, v1: vec4u, v2: vec4u, v3: vec4u) -> vec4u {
    return select(select(v0, v1, i.bit3), select(v2, v3, i.bit3), i.bit4);
}

// LG2 at 65 points of the mantissa: value and low curvature.
fn table_logarithm_value(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0xc0000000u, 0x9802dcf3u, 0x6805aeb4u, 0x4008759bu, 0x180b31fau, 0xf00de420u, 0xd0108c58u, 0xb0132aeau);
    let v1 = table_pick(i, 0x8815c019u, 0x68184c2au, 0x501acf5eu, 0x301d49eeu, 0x101fbc15u, 0xf822260fu, 0xe024880fu, 0xc826e249u);
    let v2 = table_pick(i, 0xb02934f0u, 0x982b8034u, 0x802dc443u, 0x6830014au, 0x58323775u, 0x403466ecu, 0x30368fd8u, 0x1838b25eu);
    let v3 = table_pick(i, 0x083acea7u, 0xf83ce4d5u, 0xe83ef50au, 0xd840ff6au, 0xc8430414u, 0xb8450328u, 0xa846fcc4u, 0x9848f107u);
    let v4 = table_pick(i, 0x904ae00du, 0x804cc9f1u, 0x704eaed0u, 0x68508ec2u, 0x585269e1u, 0x50544046u, 0x40561208u, 0x3857df40u);
    let v5 = table_pick(i, 0x2859a802u, 0x205b6c65u, 0x185d2c7fu, 0x105ee864u, 0x0060a027u, 0xf86253ddu, 0xf0640398u, 0xe865af6bu);
    let v6 = table_pick(i, 0xe0675768u, 0xd868fba0u, 0xd06a9c24u, 0xc86c3904u, 0xc06dd252u, 0xb86f681cu, 0xb070fa72u, 0xa8728963u);
    let v7 = table_pick(i, 0xa07414fdu, 0x98759d4fu, 0x90772266u, 0x8878a450u, 0x887a231bu, 0x807b9ed2u, 0x787d1782u, 0x707e8d38u);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0x70800000u), i.bit6);
}

// LG2 at 65 points of the mantissa: slope and high curvature.
fn table_logarithm_slope(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x05b8aa3bu, 0x05b5d303u, 0x05b311ccu, 0x05b06584u, 0x05adcd64u, 0x04ab48a5u, 0x04a8d627u, 0x04a67566u);
    let v1 = table_pick(i, 0x04a4258bu, 0x04a1e5e6u, 0x049fb5d2u, 0x049d94adu, 0x049b81e0u, 0x03997cdeu, 0x0397851cu, 0x03959a1cu);
    let v2 = table_pick(i, 0x0393bb62u, 0x0391e87au, 0x039020f5u, 0x038e646bu, 0x038cb276u, 0x038b0ab7u, 0x03896cd2u, 0x0387d872u);
    let v3 = table_pick(i, 0x03864d42u, 0x0284caf3u, 0x0283513bu, 0x0281dfcfu, 0x0280766bu, 0x027f14cdu, 0x027dbab5u, 0x027c67e7u);
    let v4 = table_pick(i, 0x027b1c27u, 0x0279d73eu, 0x027898f7u, 0x0277611eu, 0x02762f82u, 0x027503f2u, 0x0273de43u, 0x0272be47u);
    let v5 = table_pick(i, 0x0271a3d5u, 0x02708ec4u, 0x026f7eeeu, 0x026e742cu, 0x026d6e5bu, 0x016c6d58u, 0x016b7101u, 0x016a7936u);
    let v6 = table_pick(i, 0x016985d8u, 0x016896c9u, 0x0167abebu, 0x0166c523u, 0x0165e255u, 0x01650368u, 0x01642842u, 0x016350cbu);
    let v7 = table_pick(i, 0x01627cecu, 0x0161ac8du, 0x0160df98u, 0x016015f9u, 0x015f4f9au, 0x015e8c68u, 0x015dcc4eu, 0x015d0f3cu);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0x015c551du), i.bit6);
}

// EX2 at 65 points of the fraction: value and low curvature.
fn table_exponential_value(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0xe8000001u, 0xf00164d2u, 0xf002cd88u, 0xf8043a2au, 0x0005aac4u, 0x00071f63u, 0x08089810u, 0x100a14d6u);
    let v1 = table_pick(i, 0x180b95c2u, 0x180d1ae1u, 0x200ea43bu, 0x281031ddu, 0x3011c3d3u, 0x30135a2du, 0x3814f4f1u, 0x4016942eu);
    let v2 = table_pick(i, 0x481837f0u, 0x4819e047u, 0x501b8d3bu, 0x581d3edbu, 0x601ef533u, 0x6820b051u, 0x70227043u, 0x70243517u);
    let v3 = table_pick(i, 0x7825fed8u, 0x8027cd95u, 0x8829a15cu, 0x902b7a3au, 0x982d583fu, 0xa02f3b79u, 0xa83123f6u, 0xb03311c4u);
    let v4 = table_pick(i, 0xb03504f5u, 0xb836fd94u, 0xc038fbb1u, 0xc83aff5cu, 0xd03d08a5u, 0xd83f179bu, 0xe0412c4eu, 0xe84346ceu);
    let v5 = table_pick(i, 0xf045672cu, 0xf8478d76u, 0x0049b9bfu, 0x084bec17u, 0x184e248cu, 0x20506334u, 0x2852a81eu, 0x3054f35bu);
    let v6 = table_pick(i, 0x385744feu, 0x40599d17u, 0x485bfbb9u, 0x505e60f6u, 0x6060ccdfu, 0x68633f8au, 0x7065b908u, 0x7868396bu);
    let v7 = table_pick(i, 0x806ac0c9u, 0x906d4f30u, 0x986fe4bau, 0xa0728178u, 0xa875257fu, 0xb877d0e0u, 0xc07a83b4u, 0xc87d3e0eu);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0xd0800001u), i.bit6);
}

// EX2 at 65 points of the fraction: slope and high curvature.
fn table_exponential_slope(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x0158b90bu, 0x0159b060u, 0x015aaa66u, 0x015ba724u, 0x025ca6a3u, 0x025da8ebu, 0x025eae02u, 0x025fb5f1u);
    let v1 = table_pick(i, 0x0260c0c0u, 0x0261ce77u, 0x0262df1eu, 0x0263f2bcu, 0x0265095bu, 0x02662303u, 0x02673fbcu, 0x02685f8fu);
    let v2 = table_pick(i, 0x02698284u, 0x026aa8a4u, 0x026bd1f8u, 0x026cfe89u, 0x026e2e5fu, 0x026f6185u, 0x02709803u, 0x0271d1e3u);
    let v3 = table_pick(i, 0x02730f2du, 0x02744fecu, 0x02759429u, 0x0276dbeeu, 0x02782745u, 0x02797637u, 0x027ac8cfu, 0x027c1f17u);
    let v4 = table_pick(i, 0x027d7919u, 0x027ed6dfu, 0x02803875u, 0x02819de5u, 0x02830738u, 0x0284747bu, 0x0285e5b9u, 0x02875afbu);
    let v5 = table_pick(i, 0x0288d44eu, 0x028a51bdu, 0x038bd353u, 0x038d591cu, 0x038ee324u, 0x03907176u, 0x0392041fu, 0x03939b2au);
    let v6 = table_pick(i, 0x039536a3u, 0x0396d698u, 0x03987b14u, 0x039a2425u, 0x039bd1d6u, 0x039d8435u, 0x039f3b4fu, 0x03a0f731u);
    let v7 = table_pick(i, 0x03a2b7e9u, 0x03a47d83u, 0x03a6480eu, 0x03a81797u, 0x03a9ec2du, 0x03abc5dcu, 0x03ada4b4u, 0x03af88c3u);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0x03b17217u), i.bit6);
}

// The sine at 65 points of a quarter turn: value and low curvature.
fn table_sine_value(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x00000001u, 0x3b03242bu, 0x7a0647dau, 0xb6096a91u, 0xf60c8bd4u, 0x360fab28u, 0x7012c811u, 0xb015e215u);
    let v1 = table_pick(i, 0xec18f8b9u, 0x261c0b83u, 0x641f19fau, 0xa62223a6u, 0xda25280du, 0x182826bau, 0x562b1f36u, 0x8a2e110bu);
    let v2 = table_pick(i, 0xc630fbc6u, 0x0033def3u, 0x3636ba21u, 0x70398cdeu, 0xa63c56bbu, 0xda3f174au, 0x1241ce1fu, 0x46447aceu);
    let v3 = table_pick(i, 0x76471cedu, 0xaf49b416u, 0xe14c3fe1u, 0x104ebfe9u, 0x415133cdu, 0x6c539b2bu, 0xa255f5a6u, 0xd05842deu);
    let v4 = table_pick(i, 0x005a827bu, 0x205cb421u, 0x505ed77eu, 0x8060ec3au, 0xa062f203u, 0xd064e88bu, 0xf066cf82u, 0x1068a69fu);
    let v5 = table_pick(i, 0x386a6d9au, 0x506c2429u, 0x786dca0du, 0x906f5f02u, 0xb070e2cbu, 0xd072552du, 0xf073b5edu, 0x007504d3u);
    let v6 = table_pick(i, 0x187641afu, 0x30776c4eu, 0x48788484u, 0x58798a23u, 0x707a7d05u, 0x807b5d03u, 0x907c29fbu, 0xa07ce3ceu);
    let v7 = table_pick(i, 0xa87d8a5eu, 0xb07e1d93u, 0xc07e9d55u, 0xc87f0991u, 0xd07f6236u, 0xd07fa736u, 0xd07fd886u, 0xd87ff621u);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0xd8800000u), i.bit6);
}

// The sine at 65 points of a quarter turn: slope and high curvature.
fn table_sine_slope(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x00c90ee0u, 0x00c8ff60u, 0x00c8d0e0u, 0x00c88340u, 0x00c816e0u, 0x01c78bd0u, 0x01c6e1c0u, 0x01c61950u);
    let v1 = table_pick(i, 0x01c531f0u, 0x02c42c10u, 0x02c30880u, 0x02c1c640u, 0x02c06660u, 0x03bee8e0u, 0x03bd4e20u, 0x03bb9590u);
    let v2 = table_pick(i, 0x03b9c100u, 0x04b7cf20u, 0x04b5c110u, 0x04b396d0u, 0x04b15190u, 0x04aef030u, 0x05ac73a0u, 0x05a9dd50u);
    let v3 = table_pick(i, 0x05a72c90u, 0x05a46190u, 0x05a17e10u, 0x069e8120u, 0x069b6be0u, 0x06983de0u, 0x0694f9a0u, 0x06919db0u);
    let v4 = table_pick(i, 0x078e2b70u, 0x078aa310u, 0x078705e0u, 0x07835380u, 0x077f8ce0u, 0x077bb250u, 0x0777c4c0u, 0x0873c4f0u);
    let v5 = table_pick(i, 0x086fb340u, 0x086b90c0u, 0x08675d50u, 0x08631a60u, 0x085ec7a0u, 0x085a6650u, 0x0855f600u, 0x09517a80u);
    let v6 = table_pick(i, 0x094cf0d0u, 0x09485c70u, 0x0943bbf0u, 0x093f1190u, 0x093a5d70u, 0x0935a030u, 0x0930daa0u, 0x092c0d80u);
    let v7 = table_pick(i, 0x09273970u, 0x09225fb0u, 0x091d8070u, 0x09189be0u, 0x0913b510u, 0x090eca80u, 0x0909dd90u, 0x0904eea0u);
    let low = table_join(i, v0, v1, v2, v3);
    let high = table_join(i, v4, v5, v6, v7);
    return select(select(low, high, i.bit5), vec4u(0x09000000u), i.bit6);
}

// EXP at 32 points: slope in the low 10 bits, value above.
fn table_approximate_exponential(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x00000167u, 0x00059d6eu, 0x000b5577u, 0x0011317fu, 0x00172d87u, 0x001d4990u, 0x00238999u, 0x0029eda1u);
    let v1 = table_pick(i, 0x003071abu, 0x00371db4u, 0x003dedbdu, 0x0044e1c7u, 0x004bfdd2u, 0x005345dbu, 0x005ab1e6u, 0x006249f1u);
    let v2 = table_pick(i, 0x006a0dfbu, 0x0071fa06u, 0x007a1212u, 0x00825a1eu, 0x008ad229u, 0x00937635u, 0x009c4a42u, 0x00a5524fu);
    let v3 = table_pick(i, 0x00ae8e5bu, 0x00b7fa69u, 0x00c19e75u, 0x00cb7285u, 0x00d58691u, 0x00dfcaa1u, 0x00ea4eb1u, 0x00f512bbu);
    return table_join(i, v0, v1, v2, v3);
}

// LOG at 32 points: slope in the low 14 bits, value above.
fn table_approximate_logarithm(i: TableIndex) -> vec4u {
    let v0 = table_pick(i, 0x00002db6u, 0x0b6dac07u, 0x166f6ad6u, 0x2124e99au, 0x2b8b6879u, 0x35a9a77au, 0x3f882648u, 0x491a2566u);
    let v1 = table_pick(i, 0x5273a479u, 0x5b91e398u, 0x6477e2c2u, 0x6d2861f5u, 0x75a5a133u, 0x7df26076u, 0x860fdfc5u, 0x8e011f1au);
    let v2 = table_pick(i, 0x95c79e74u, 0x9d649dd9u, 0xa4dadd40u, 0xac2adcafu, 0xb3569c22u, 0xba5f1b9eu, 0xc1469b1bu, 0xc80d5a9eu);
    let v3 = table_pick(i, 0xceb4da24u, 0xd53dd9b2u, 0xdbaa5940u, 0xe1fa58d4u, 0xe82f586bu, 0xee4a1803u, 0xf44ad7aau, 0xfa35572au);
    return table_join(i, v0, v1, v2, v3);
}
