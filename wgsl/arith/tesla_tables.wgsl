// Holds the tables of Tesla's special function unit as trees of selects; the twin of `crates/isa/src/arith/tesla/tables.rs`.
//
// A row is two words: A with the low six bits of C's magnitude above it, and the magnitude of B with the rest of C's
// above it. A has 26 bits, B 16. Their signs are those of the table: each function knows them.

// Selects one of eight constants by the three low bits of an index.
fn tesla_pick(i: u32, k0: u32, k1: u32, k2: u32, k3: u32, k4: u32, k5: u32, k6: u32, k7: u32) -> u32 {
    let bit0 = (i & 1u) != 0u;
    let bit1 = (i & 2u) != 0u;
    let low = select(select(k0, k1, bit0), select(k2, k3, bit0), bit1);
    let high = select(select(k4, k5, bit0), select(k6, k7, bit0), bit1);
    return select(low, high, (i & 4u) != 0u);
}

// Selects one of eight values by bits 3 to 5 of an index.
fn tesla_join(i: u32, v0: u32, v1: u32, v2: u32, v3: u32, v4: u32, v5: u32, v6: u32, v7: u32) -> u32 {
    return tesla_pick(i >> 3u, v0, v1, v2, v3, v4, v5, v6, v7);
}

// 1/m: A, B and C.
//
// They are near 2³³/d, 2³⁰/d² and 1013·2²¹/d³ for d = 128 + i. Integers near these take less than a tree of selects; how much the
// table has more, less 2 for A and B, is two bits of a word for each row. The quotient of floats may be wrong by ten.
fn tesla_reciprocal_row(i: u32) -> vec3i {
    let d = 128u + i;
    let estimate = u32(8589934592.0 / f32(d));
    let rest = bitcast<i32>(0u - estimate * d);
    // The quotient, rounded to nearest.
    let a = estimate + bitcast<u32>(((rest + i32(d >> 1u)) * i32(estimate >> 12u)) >> 21u);
    let root = min((a + 512u) >> 10u, 65535u);
    let b = (root * root) >> 16u;
    let c = ((((a >> 13u) * b) >> 13u) * 1013u) >> 16u;
    let word = i >> 4u;
    let more_a = tesla_pick(word, 0x69287868u, 0x6b6d8469u, 0x6aaae98au, 0x7e6e5ac6u, 0x6a5ae67du, 0xaa9eaafau, 0xaaa69a7au, 0x5abe76eau);
    let more_b = tesla_pick(word, 0x10150446u, 0x36a66999u, 0x6a969a59u, 0x9eaae799u, 0x6aeeaa6eu, 0xe6ebaeaau, 0xbaeaeea6u, 0xaabeeaeau);
    let more_c = tesla_pick(word, 0x54551041u, 0x66956140u, 0x49965929u, 0x59999251u, 0x49d9995au, 0xa4966d25u, 0x24995941u, 0xa565d559u);
    let more = (vec3u(more_a, more_b, more_c) >> vec3u(2u * (i & 15u))) & vec3u(3u);
    return vec3i(vec3u(a, b, c) + more) - vec3i(2, 2, 0);
}

// 1/√m: A and low C.
fn tesla_reciprocal_square_root_value(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0xcbfffffdu, 0x57f817adu, 0xebf05d8fu, 0x83e8cfe3u, 0x23e16d08u, 0xc7da336du, 0x6fd32199u, 0x1bcc3625u);
    let v1 = tesla_pick(i, 0xcbc56fbbu, 0x7fbecd12u, 0x3bb84cf4u, 0xf3b1ee3fu, 0xb3abafd2u, 0x73a590a6u, 0x379f8fb3u, 0xfb99ac08u);
    let v2 = tesla_pick(i, 0xc793e4b6u, 0x938e38e3u, 0x5f88a7b0u, 0x2f833055u, 0xff7dd20au, 0xd3788c11u, 0xab735db5u, 0x836e4649u);
    let v3 = tesla_pick(i, 0x5b694525u, 0x336459abu, 0x0f5f833bu, 0xeb5ac144u, 0xc7561336u, 0xab517888u, 0x8b4cf0b4u, 0x6f487b40u);
    let v4 = tesla_pick(i, 0x4f4417aeu, 0x333fc587u, 0x1b3b8456u, 0xff3753b4u, 0xe3333333u, 0xcb2f226cu, 0xb32b20feu, 0x9f272e85u);
    let v5 = tesla_pick(i, 0x87234aacu, 0x731f7512u, 0x5f1bad67u, 0x4b17f355u, 0x3714468bu, 0x2710a6bau, 0x130d139au, 0xff098cdcu);
    let v6 = tesla_pick(i, 0xef06123eu, 0xdf02a377u, 0xceff4047u, 0xc2fbe86eu, 0xb2f89badu, 0xa2f559c5u, 0x96f2227du, 0x8aeef59au);
    let v7 = tesla_pick(i, 0x7aebd2e8u, 0x6ae8ba2fu, 0x5ee5ab3au, 0x52e2a5d5u, 0x46dfa9d0u, 0x3edcb6f8u, 0x32d9cd26u, 0x26d6ec25u);
    let v8 = tesla_pick(i, 0x56d413c9u, 0x06ce7c62u, 0xb6c905a6u, 0x6ec3ae55u, 0x2ebe754au, 0xeab9596cu, 0xaeb459b1u, 0x72af7514u);
    let v9 = tesla_pick(i, 0x3aaaaaaau, 0x02a5f987u, 0xcea160d5u, 0x9e9cdfbdu, 0x7298757du, 0x42942152u, 0x1a8fe287u, 0xf28bb875u);
    let v10 = tesla_pick(i, 0xca87a26bu, 0xa6839fd1u, 0x827fb010u, 0x5e7bd291u, 0x3e7806c9u, 0x1e744c37u, 0x0270a257u, 0xe26d08afu);
    let v11 = tesla_pick(i, 0xc6697ec7u, 0xae66042eu, 0x96629879u, 0x7a5f3b40u, 0x665bec17u, 0x4a58aaa6u, 0x36557687u, 0x1e524f67u);
    let v12 = tesla_pick(i, 0x0e4f34e7u, 0xfa4c26bcu, 0xe6492493u, 0xd2462e1au, 0xc243430au, 0xae406319u, 0x9e3d8e02u, 0x8e3ac382u);
    let v13 = tesla_pick(i, 0x7e380354u, 0x6e354d3du, 0x6232a0fdu, 0x522ffe5du, 0x462d651eu, 0x3a2ad50eu, 0x2a284df7u, 0x2225cf9fu);
    let v14 = tesla_pick(i, 0x162359dbu, 0x0a20ec79u, 0xfa1e874au, 0xf21c2a1du, 0xea19d4c6u, 0xde17871fu, 0xd61540f6u, 0xca13022cu);
    let v15 = tesla_pick(i, 0xc210ca93u, 0xba0e9a08u, 0xae0c7067u, 0xa60a4d88u, 0x9e08314au, 0x96061b89u, 0x8e040c27u, 0x86020307u);
    let low = tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
    let high = tesla_join(i, v8, v9, v10, v11, v12, v13, v14, v15);
    return select(low, high, (i & 64u) != 0u);
}

// 1/√m: B and high C.
fn tesla_reciprocal_square_root_slope(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x000bfffbu, 0x000bfa18u, 0x000af46fu, 0x000aeefbu, 0x000ae9bbu, 0x0009e4abu, 0x0009dfc9u, 0x0009db13u);
    let v1 = tesla_pick(i, 0x0008d687u, 0x0008d222u, 0x0008cde4u, 0x0007c9c9u, 0x0007c5d1u, 0x0007c1fau, 0x0007be42u, 0x0006baa8u);
    let v2 = tesla_pick(i, 0x0006b72bu, 0x0006b3cau, 0x0006b082u, 0x0006ad54u, 0x0005aa3eu, 0x0005a73fu, 0x0005a457u, 0x0005a184u);
    let v3 = tesla_pick(i, 0x00059ec5u, 0x00059c1au, 0x00059982u, 0x000496fcu, 0x00049487u, 0x00049224u, 0x00048fd0u, 0x00048d8du);
    let v4 = tesla_pick(i, 0x00048b58u, 0x00048932u, 0x0004871au, 0x0003850fu, 0x00038311u, 0x00038120u, 0x00037f3bu, 0x00037d62u);
    let v5 = tesla_pick(i, 0x00037b94u, 0x000379d1u, 0x00037819u, 0x0003766bu, 0x000374c7u, 0x0003732du, 0x0003719cu, 0x00027013u);
    let v6 = tesla_pick(i, 0x00026e94u, 0x00026d1du, 0x00026baeu, 0x00026a48u, 0x000268e9u, 0x00026791u, 0x00026641u, 0x000264f8u);
    let v7 = tesla_pick(i, 0x000263b5u, 0x00026279u, 0x00026144u, 0x00026015u, 0x00025eecu, 0x00025dc9u, 0x00025cacu, 0x00025b94u);
    let v8 = tesla_pick(i, 0x0008b501u, 0x0008b0d8u, 0x0007acd7u, 0x0007a8fcu, 0x0007a546u, 0x0006a1b1u, 0x00069e3eu, 0x00069ae9u);
    let v9 = tesla_pick(i, 0x000697b2u, 0x00069496u, 0x00059196u, 0x00058eafu, 0x00058be1u, 0x00058929u, 0x00058688u, 0x000483fdu);
    let v10 = tesla_pick(i, 0x00048185u, 0x00047f21u, 0x00047cd0u, 0x00047a90u, 0x00047861u, 0x00047643u, 0x00047435u, 0x00037235u);
    let v11 = tesla_pick(i, 0x00037044u, 0x00036e61u, 0x00036c8cu, 0x00036ac3u, 0x00036907u, 0x00036756u, 0x000365b1u, 0x00036417u);
    let v12 = tesla_pick(i, 0x00036288u, 0x00026103u, 0x00025f88u, 0x00025e16u, 0x00025caeu, 0x00025b4eu, 0x000259f7u, 0x000258a9u);
    let v13 = tesla_pick(i, 0x00025762u, 0x00025623u, 0x000254ecu, 0x000253bcu, 0x00025293u, 0x00025171u, 0x00025055u, 0x00024f40u);
    let v14 = tesla_pick(i, 0x00024e31u, 0x00024d28u, 0x00014c24u, 0x00014b27u, 0x00014a2fu, 0x0001493cu, 0x0001484eu, 0x00014765u);
    let v15 = tesla_pick(i, 0x00014681u, 0x000145a2u, 0x000144c7u, 0x000143f1u, 0x0001431fu, 0x00014251u, 0x00014187u, 0x000140c2u);
    let low = tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
    let high = tesla_join(i, v8, v9, v10, v11, v12, v13, v14, v15);
    return select(low, high, (i & 64u) != 0u);
}

// The sine of a quarter turn: A and low C.
fn tesla_sine_value(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x38000000u, 0xc019214eu, 0x30323ec8u, 0xb84b547cu, 0x24645e94u, 0xac7d5934u, 0x2496407au, 0x94af109cu);
    let v1 = tesla_pick(i, 0x18c7c5bau, 0x90e05c10u, 0x08f8cfc8u, 0x81111d24u, 0xf529405eu, 0x694135cau, 0xe558f9a2u, 0x5970884cu);
    let v2 = tesla_pick(i, 0xc587de2au, 0x359ef796u, 0xa5b5d0feu, 0x15cc66e8u, 0x81e2b5d4u, 0xf5f8ba48u, 0x620e70ecu, 0xc223d66cu);
    let v3 = tesla_pick(i, 0x2e38e760u, 0x8a4da0a8u, 0xee61fefcu, 0x5a75ff44u, 0xb2899e5eu, 0x1e9cd952u, 0x6eafad20u, 0xc6c216e4u);
    let v4 = tesla_pick(i, 0x22d413cau, 0x7ae5a104u, 0xcaf6bbe4u, 0x1f0761beu, 0x73179008u, 0xb327444cu, 0x07367c04u, 0x4f4534f2u);
    let v5 = tesla_pick(i, 0x8f536cc0u, 0xcb61214eu, 0x176e5064u, 0x4f7af812u, 0x8f871658u, 0xc392a960u, 0xf39daf5cu, 0x2ba82698u);
    let v6 = tesla_pick(i, 0x53b20d7au, 0x87bb6274u, 0xb3c4241cu, 0xcfcc511eu, 0xf7d3e82cu, 0x13dae822u, 0x3be14fdau, 0x53e71e78u);
    let v7 = tesla_pick(i, 0x6bec52fcu, 0x7ff0eca0u, 0x8bf4eab2u, 0xabf84c8eu, 0xb3fb11b2u, 0xb3fd39bau, 0xbffec43cu, 0xc7ffb10cu);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}

// The sine of a quarter turn: B and high C.
fn tesla_sine_slope(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x00006489u, 0x00006482u, 0x0001646au, 0x00016444u, 0x0002640du, 0x000263c8u, 0x00036373u, 0x0003630eu);
    let v1 = tesla_pick(i, 0x0004629bu, 0x00046218u, 0x00056186u, 0x000560e5u, 0x00056035u, 0x00065f76u, 0x00065ea9u, 0x00075dcdu);
    let v2 = tesla_pick(i, 0x00075ce2u, 0x00085be9u, 0x00085ae2u, 0x000959cdu, 0x000958aau, 0x0009577au, 0x000a563cu, 0x000a54f0u);
    let v3 = tesla_pick(i, 0x000b5398u, 0x000b5232u, 0x000b50c0u, 0x000c4f42u, 0x000c4db7u, 0x000d4c21u, 0x000d4a7eu, 0x000d48d0u);
    let v4 = tesla_pick(i, 0x000e4717u, 0x000e4553u, 0x000e4384u, 0x000f41abu, 0x000f3fc8u, 0x000f3ddau, 0x00103be4u, 0x001039e4u);
    let v5 = tesla_pick(i, 0x001037dbu, 0x001035c9u, 0x001133b0u, 0x0011318eu, 0x00112f65u, 0x00112d34u, 0x00112afcu, 0x001228beu);
    let v6 = tesla_pick(i, 0x00122679u, 0x0012242fu, 0x001221dfu, 0x00121f89u, 0x00121d2fu, 0x00131ad0u, 0x0013186eu, 0x00131607u);
    let v7 = tesla_pick(i, 0x0013139du, 0x00131130u, 0x00130ec0u, 0x00130c4fu, 0x001309dbu, 0x00130765u, 0x001304efu, 0x00130278u);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}

// 2^f: A and low C.
fn tesla_exponential_value(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0xba000000u, 0xd6059347u, 0xea0b361bu, 0xfe10e8a2u, 0x1a16ab0fu, 0x261c7d86u, 0x3e226039u, 0x52285356u);
    let v1 = tesla_pick(i, 0x762e5709u, 0x8a346b7eu, 0x9e3a90e5u, 0xbe40c772u, 0xd2470f4eu, 0xe24d68adu, 0x0653d3c0u, 0x1e5a50b6u);
    let v2 = tesla_pick(i, 0x3660dfc2u, 0x52678117u, 0x626e34e6u, 0x8674fb67u, 0x9e7bd4c9u, 0xba82c145u, 0xce89c10bu, 0xe690d456u);
    let v3 = tesla_pick(i, 0x0697fb5au, 0x1e9f364eu, 0x3ea6856au, 0x56ade8e7u, 0x7ab560fbu, 0x96bcede2u, 0xbac48fd7u, 0xcecc4710u);
    let v4 = tesla_pick(i, 0xeed413ccu, 0x06dbf648u, 0x2ee3eebeu, 0x46ebfd6au, 0x6af4228eu, 0x8efc5e67u, 0xb304b134u, 0xc70d1b33u);
    let v5 = tesla_pick(i, 0xef159ca8u, 0x171e35d3u, 0x2f26e6f7u, 0x4f2fb054u, 0x73389230u, 0x9b418ccfu, 0xb74aa076u, 0xdb53cd6au);
    let v6 = tesla_pick(i, 0x075d13f4u, 0x2b667457u, 0x476feedeu, 0x6b7983d3u, 0x9b83337du, 0xb78cfe27u, 0xdf96e41cu, 0x03a0e5aau);
    let v7 = tesla_pick(i, 0x37ab031du, 0x57b53cc1u, 0x77bf92e7u, 0xabca05ddu, 0xcbd495f5u, 0xffdf437fu, 0x27ea0eccu, 0x53f4f831u);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}

// 2^f: B and high C.
fn tesla_exponential_slope(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x000758b9u, 0x000759b0u, 0x00075aaau, 0x00075ba7u, 0x00085ca6u, 0x00085da9u, 0x00085eaeu, 0x00085fb6u);
    let v1 = tesla_pick(i, 0x000860c0u, 0x000861ceu, 0x000862dfu, 0x000863f2u, 0x00086509u, 0x00086623u, 0x0009673fu, 0x0009685fu);
    let v2 = tesla_pick(i, 0x00096982u, 0x00096aa8u, 0x00096bd2u, 0x00096cfeu, 0x00096e2eu, 0x00096f61u, 0x00097098u, 0x000971d2u);
    let v3 = tesla_pick(i, 0x000a730fu, 0x000a7450u, 0x000a7594u, 0x000a76dcu, 0x000a7827u, 0x000a7976u, 0x000a7ac8u, 0x000a7c1fu);
    let v4 = tesla_pick(i, 0x000a7d79u, 0x000b7ed7u, 0x000b8038u, 0x000b819eu, 0x000b8307u, 0x000b8474u, 0x000b85e5u, 0x000b875bu);
    let v5 = tesla_pick(i, 0x000b88d4u, 0x000c8a51u, 0x000c8bd3u, 0x000c8d59u, 0x000c8ee3u, 0x000c9071u, 0x000c9204u, 0x000c939bu);
    let v6 = tesla_pick(i, 0x000d9536u, 0x000d96d6u, 0x000d987bu, 0x000d9a24u, 0x000d9bd1u, 0x000d9d84u, 0x000d9f3bu, 0x000ea0f7u);
    let v7 = tesla_pick(i, 0x000ea2b7u, 0x000ea47du, 0x000ea648u, 0x000ea817u, 0x000ea9ecu, 0x000eabc5u, 0x000fada4u, 0x000faf88u);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}

// log₂ m: A and low C.
fn tesla_logarithm_value(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x5c000004u, 0x0416e797u, 0xb42d75adu, 0x6443ace7u, 0x18598fe2u, 0xcc6f210fu, 0x888462c9u, 0x40995750u);
    let v1 = tesla_pick(i, 0x00ae00d8u, 0xbcc26162u, 0x80d67af5u, 0x48ea4f76u, 0x18fde0b9u, 0xe111307cu, 0xad24407cu, 0x7d371251u);
    let v2 = tesla_pick(i, 0x4949a786u, 0x1d5c01a8u, 0xf56e2222u, 0xc5800a59u, 0xa591bbacu, 0x79a33760u, 0x51b47ebeu, 0x31c592fbu);
    let v3 = tesla_pick(i, 0x05d6753fu, 0xe5e726aau, 0xc1f7a857u, 0xa607fb52u, 0x8a18209fu, 0x6a281942u, 0x4e37e627u, 0x2e47883bu);
    let v4 = tesla_pick(i, 0x1a57006au, 0xfe664f8du, 0xde757682u, 0xce847614u, 0xb2934f0du, 0x96a20233u, 0x86b0904au, 0x6ebefa00u);
    let v5 = tesla_pick(i, 0x52cd4011u, 0x3edb632eu, 0x2ae963fdu, 0x1af7431du, 0x0705013au, 0xf7129eeeu, 0xe7201cc6u, 0xd32d7b5du);
    let v6 = tesla_pick(i, 0xbb3abb41u, 0xab47dd00u, 0xa354e121u, 0x8f61c823u, 0x7f6e9293u, 0x6f7b40e4u, 0x6387d398u, 0x4f944b1eu);
    let v7 = tesla_pick(i, 0x47a0a7ecu, 0x33acea7au, 0x27b91337u, 0x1fc52285u, 0x0fd118dau, 0x03dcf690u, 0xf7e8bc12u, 0xebf469c1u);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}

// log₂ m: B and high C.
fn tesla_logarithm_slope(i: u32) -> u32 {
    let v0 = tesla_pick(i, 0x000bb8a8u, 0x000bb5d1u, 0x000ab310u, 0x000ab064u, 0x000aadccu, 0x0009ab47u, 0x0009a8d5u, 0x0009a674u);
    let v1 = tesla_pick(i, 0x0009a424u, 0x0008a1e4u, 0x00089fb4u, 0x00089d93u, 0x00089b81u, 0x0007997cu, 0x00079784u, 0x00079599u);
    let v2 = tesla_pick(i, 0x000793bau, 0x000791e7u, 0x00069020u, 0x00068e63u, 0x00068cb2u, 0x00068b0au, 0x0006896cu, 0x000687d8u);
    let v3 = tesla_pick(i, 0x0006864cu, 0x000584cau, 0x00058350u, 0x000581dfu, 0x00058076u, 0x00057f14u, 0x00057dbau, 0x00057c67u);
    let v4 = tesla_pick(i, 0x00057b1cu, 0x000479d7u, 0x00047898u, 0x00047761u, 0x0004762fu, 0x00047503u, 0x000473deu, 0x000472beu);
    let v5 = tesla_pick(i, 0x000471a3u, 0x0004708eu, 0x00046f7eu, 0x00046e74u, 0x00046d6eu, 0x00036c6du, 0x00036b71u, 0x00036a79u);
    let v6 = tesla_pick(i, 0x00036985u, 0x00036896u, 0x000367acu, 0x000366c5u, 0x000365e2u, 0x00036503u, 0x00036428u, 0x00036350u);
    let v7 = tesla_pick(i, 0x0003627du, 0x000361acu, 0x000360dfu, 0x00036016u, 0x00035f4fu, 0x00035e8cu, 0x00025dccu, 0x00025d0fu);
    return tesla_join(i, v0, v1, v2, v3, v4, v5, v6, v7);
}
