/**
 * Where the Unicode tables of the reference library (`tokenizers` 0.23: Unicode 8 to 16, a version for each purpose) and
 * those of the JavaScript engine differ: characters that came later. Found by asking both about every code point.
 */

/** Code points as an ascending list: from, to, from, to, … */
export type CodePointRanges = readonly number[];

function parseRanges(text: string): CodePointRanges {
  return text.split(' ').flatMap((range) => {
    const [from, to = from] = range.split('-');
    return [Number.parseInt(from!, 16), Number.parseInt(to!, 16)];
  });
}

export function isInRanges(codePoint: number, ranges: CodePointRanges): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint > ranges[2 * middle + 1]!) low = middle + 1;
    else high = middle;
  }
  return 2 * low < ranges.length && codePoint >= ranges[2 * low]!;
}

/** Letters, marks and digits that regular expressions know nothing of. */
export const newerThanUnicode16 = parseRanges(
  '88f c5c cdc 1acf-1add 1ae0-1aeb a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 10efa-10efb ' +
    '11b60-11b67 11db0-11ddb 11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18d09-18d1e ' +
    '18d80-18df2 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 2b73a-2b73f 2cea2-2cead 323b0-33479',
);

/** Punctuation and symbols of that kind. */
export const newerSymbols = parseRanges(
  '20c1 2b96 fbc3-fbd2 fd90-fd91 fdc8-fdce 10ed0-10ed8 1ccfa-1ccfc 1ceba-1ced0 1cee0-1cef0 1f6d8 ' +
    '1f777-1f77a 1f8d0-1f8d8 1fa54-1fa57 1fa8a 1fa8e 1fac8 1facd 1faea 1faef 1fbfa',
);

/** Punctuation that `BertPreTokenizer` and `Punctuation` take for something else. */
export const notPunctuation = parseRanges(
  '61d 9fd a76 c77 c84 1b4e-1b4f 1b7d-1b7f 2e43-2e4f 2e52-2e5d 10d6e 10ead 10ed0 10f55-10f59 ' +
    '10f86-10f89 113d4-113d5 113d7-113d8 1144b-1144f 1145a-1145b 1145d 11660-1166c 116b9 1183b ' +
    '11944-11946 119e2 11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11b00-11b09 11be1 11c41-11c45 11c70-11c71 ' +
    '11ef7-11ef8 11f43-11f4f 11fff 12ff1-12ff2 16d6d-16d6f 16e97-16e9a 16fe2 1e5ff 1e95e-1e95f',
);

/** Nonspacing marks that `BertNormalizer` leaves in place. */
export const notNonspacingMarks = parseRanges(
  '7fd 897-89f 8ca-8e1 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba ece 180f 1885-1886 1abf-1add ' +
    '1ae0-1aeb 1df6-1dfb a82c a8c5 a8ff a9bd 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10eff ' +
    '10f46-10f50 10f82-10f85 11070 11073-11074 110c2 111c9 111cf 1123e 11241 1133b 113bb-113c0 113ce ' +
    '113d0 113d2 113e1-113e2 11438-1143f 11442-11444 11446 1145e 1182f-11837 11839-1183a 1193b-1193c ' +
    '1193e 11943 119d4-119d7 119da-119db 119e0 11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56 ' +
    '11a59-11a5b 11a8a-11a96 11a98-11a99 11b60 11b62-11b64 11b66 11c30-11c36 11c38-11c3d 11c3f ' +
    '11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 ' +
    '11d90-11d91 11d95 11d97 11ef3-11ef4 11f00-11f01 11f36-11f3a 11f40 11f42 11f5a 13440 13447-13455 ' +
    '1611e-16129 1612d-1612f 16f4f 16fe4 1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018 1e01b-1e021 ' +
    '1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 ' +
    '1e6ee-1e6ef 1e6f5 1e944-1e94a',
);

/** Marks that `StripAccents` leaves in place. */
export const notCombiningMarks = parseRanges(
  '7fd 897-89f 8ca-8d3 9fe afa-aff b55 c04 c3c cf3 d00 d3b-d3c d81 eba ece 1715 180f 1abf-1add ' +
    '1ae0-1aeb 1cf7 1df6-1dfa a82c a8ff 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10eff 10f46-10f50 ' +
    '10f82-10f85 11070 11073-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 113b8-113c0 113c2 ' +
    '113c5 113c7-113ca 113cc-113d0 113d2 113e1-113e2 1145e 1182c-1183a 11930-11935 11937-11938 ' +
    '1193b-1193e 11940 11942-11943 119d1-119d7 119da-119e0 119e4 11a01-11a0a 11a33-11a39 11a3b-11a3e ' +
    '11a47 11a51-11a5b 11a8a-11a99 11b60-11b67 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 ' +
    '11d8a-11d8e 11d90-11d91 11d93-11d97 11ef3-11ef6 11f00-11f01 11f03 11f34-11f3a 11f3e-11f42 11f5a ' +
    '13440 13447-13455 1611e-1612f 16f4f 16f7f-16f87 16fe4 16ff0-16ff1 1cf00-1cf2d 1cf30-1cf46 1e08f ' +
    '1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5',
);

/** Characters that no normalization form decomposes. */
export const notDecomposing = parseRanges(
  '32ff a7f1-a7f4 ab69 105c9 105e4 10781-10785 10787-107b0 107b2-107ba 11383 11385 1138e 11391 ' +
    '113c5 113c7-113c8 11938 16121-16128 16d68-16d6a 1ccd6-1ccf9 1e030-1e06d 1f16c 1fbf0-1fbf9',
);

/** Marks that no normalization form puts in order. */
export const notReordered = parseRanges(
  '7fd 897-89f 8ca-8d3 9fe c3c d3b-d3c eba 1715 1abf-1add 1ae0-1aeb 1df6-1dfa a82c 10d24-10d27 ' +
    '10d69-10d6d 10eab-10eac 10efa-10efb 10efd-10eff 10f46-10f50 10f82-10f85 11070 1133b 113ce-113d0 ' +
    '1145e 11839-1183a 1193d-1193e 11943 119e0 11a34 11a47 11a99 11d42 11d44-11d45 11d97 11f41-11f42 ' +
    '1612f 16ff0-16ff1 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 ' +
    '1e6ee-1e6ef 1e6f5',
);

/** Characters of scripts that `UnicodeScripts` knows, but which it doesn't know itself. */
export const newerThanUnicode9 = parseRanges(
  '560 588 5ef 61d 7fd-7ff 860-86a 870-891 897-89f 8b5 8be-8d3 9fc-9fe a76 afa-aff b55 c04 c3c ' +
    'c5c-c5d c77 c84 cdc-cdd cf3 d00 d04 d3b-d3c d81 e86 e89 e8c e8e-e93 e98 ea0 ea8-ea9 eac eba ece ' +
    '170d 1715 171f 180f 1878 1abf-1add 1ae0-1aeb 1b4c 1b4e-1b4f 1b7d-1b7f 1c89-1c8a 1c90-1cba ' +
    '1cbd-1cbf 1cf7 1cfa 1df6-1dfa 20bf-20c1 23ff 2427-2429 2b96-2b97 2bba-2bbc 2bc9 2bd2-2beb ' +
    '2bf0-2bff 2c2f 2c5f 2e45-2e5d 2ffc-2fff 312e-312f 31bb-31bf 31e4-31e5 31ef 32ff 4db6-4dbf ' +
    '9fd6-9fff a7af a7b8-a7dc a7f1-a7f6 a82c a8fe-a8ff ab66-ab6b fbc2-fbd2 fd40-fd4f fd90-fd91 ' +
    'fdc8-fdcf fdfe-fdff 1019c 1032d-1032f 10780-10785 10787-107b0 107b2-107ba 10a34-10a35 10a48 ' +
    '10ec2-10ec7 10ed0-10ed8 10efa-10eff 11070-11075 110c2 110cd 11144-11147 111ce-111cf 1123f-11241 ' +
    '1133b 1145a 1145e-11461 116b8-116b9 116d0-116e3 1171a 11740-11746 11ab0-11abf 11b00-11b09 ' +
    '11b60-11b67 11fb0 11fc0-11ff1 11fff 1342f-13455 13460-143fa 16f45-16f4a 16f4f 16f7f-16f87 ' +
    '16fe2-16fe3 16ff0-16ff6 187ed-187ff 18af3-18aff 18d00-18d1e 18d80-18df2 1aff0-1aff3 1aff5-1affb ' +
    '1affd-1affe 1b002-1b122 1b132 1b150-1b152 1b155 1b164-1b167 1cc00-1ccfc 1cd00-1ceb3 1ceba-1ced0 ' +
    '1cee0-1cef0 1cf00-1cf2d 1cf30-1cf46 1cf50-1cfc3 1d1e9-1d1ea 1d2c0-1d2d3 1d2e0-1d2f3 1d372-1d378 ' +
    '1df00-1df1e 1df25-1df2a 1e030-1e06d 1e08f 1e7e0-1e7e6 1e7e8-1e7eb 1e7ed-1e7ee 1e7f0-1e7fe 1e94b ' +
    '1ec71-1ecb4 1ed01-1ed3d 1f10d-1f10f 1f12f 1f16c-1f16f 1f1ad 1f260-1f265 1f6d3-1f6d8 1f6dc-1f6df ' +
    '1f6f7-1f6fc 1f774-1f77f 1f7d5-1f7d9 1f7e0-1f7eb 1f7f0 1f8b0-1f8bb 1f8c0-1f8c1 1f8d0-1f8d8 ' +
    '1f900-1f90f 1f91f 1f928-1f92f 1f931-1f932 1f93f 1f94c-1f94f 1f95f-1f97f 1f992-1f9bf 1f9c1-1fa57 ' +
    '1fa60-1fa6d 1fa70-1fa7c 1fa80-1fa8a 1fa8e-1fac6 1fac8 1facd-1fadc 1fadf-1faea 1faef-1faf8 ' +
    '1fb00-1fb92 1fb94-1fbfa 2a6d7-2a6df 2b735-2b73f 2cea2-2cead 2ceb0-2ebe0 2ebf0-2ee5d 30000-3134a ' +
    '31350-33479',
);

/** Tells marks of a kind by the tables of the reference library: with those that were some, without those that became some. */
export function createMarkTest(
  kind: RegExp,
  former: readonly number[],
  newer: CodePointRanges,
): (character: string) => boolean {
  return (character) => {
    const codePoint = character.codePointAt(0)!;
    return former.includes(codePoint) || (kind.test(character) && !isInRanges(codePoint, newer));
  };
}
