/**
 * Differences between the Unicode tables of the reference library (`tokenizers` 0.23: Unicode 8 to 16, depending on the
 * purpose) and of the JavaScript engine: characters that were added later. Found by comparing both for every code point.
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

/** Letters, marks and digits that the reference's regular expressions don't recognise. */
export const newerThanUnicode16 = parseRanges(
  '88f c5c cdc 1acf-1add 1ae0-1aeb a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 10efa-10efb ' +
    '11b60-11b67 11db0-11ddb 11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18d09-18d1e ' +
    '18d80-18df2 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 2b73a-2b73f 2cea2-2cead 323b0-33479',
);

/** Punctuation and symbols that are newer too. */
export const newerSymbols = parseRanges(
  '20c1 2b96 fbc3-fbd2 fd90-fd91 fdc8-fdce 10ed0-10ed8 1ccfa-1ccfc 1ceba-1ced0 1cee0-1cef0 1f6d8 ' +
    '1f777-1f77a 1f8d0-1f8d8 1fa54-1fa57 1fa8a 1fa8e 1fac8 1facd 1faea 1faef 1fbfa',
);

/** Characters newer than Unicode 9; a few ranges include older characters that no caller checks. */
const newerThanUnicode9 = parseRanges(
  '560 588 5ef 61d 7fd-7ff 860-89f 8b5 8be-8d3 9fc-9fe a76 afa-aff b55 c04 c3c c5c-c5d c77 c84 ' +
    'cdc-cdd cf3-d00 d04 d3b-d3c d81 e86 e89 e8c e8e-e93 e98 ea0 ea8-ea9 eac eba ece 170d 1715-171f ' +
    '180f 1878 1abf-1aeb 1b4c-1b4f 1b7d-1b7f 1c89-1cbf 1cf7 1cfa 1df6-1dfa 20bf-20c1 23ff 2427-2429 ' +
    '2b96-2b97 2bba-2bbc 2bc9 2bd2-2beb 2bf0-2bff 2c2f 2c5f 2e45-2e5d 2ffc-2fff 312e-312f 31bb-31bf ' +
    '31e4-31ef 32ff 4db6-4dbf 9fd6-9fff a7af a7b8-a7f6 a82c a8fe-a8ff ab66-ab6b fbc2-fbd2 fd40-fd4f ' +
    'fd90-fd91 fdc8-fdcf fdfe-fdff 1019c 1032d-1032f 105c9-105e4 10780-107ba 10a34-10a35 10a48 ' +
    '10d24-10d6e 10eab-10f89 11070-11075 110c2-110cd 11144-11147 111ce-111cf 1123f-11241 1133b ' +
    '11383-113e2 1145a 1145e-11461 116b8-116b9 116d0-116e3 1171a 11740-1183b 11930-11abf 11b00-11be1 ' +
    '11d31-11fff 12ff1-12ff2 1342f-143fa 1611e-1612f 16d68-16e9a 16f45-16f4f 16f7f-16f87 16fe2-16ff6 ' +
    '187ed-187ff 18af3-1affe 1b002-1b167 1cc00-1cfc3 1d1e9-1d1ea 1d2c0-1d2f3 1d372-1d378 1df00-1df2a ' +
    '1e030-1e7fe 1e94b 1ec71-1ed3d 1f10d-1f10f 1f12f 1f16c-1f16f 1f1ad 1f260-1f265 1f6d3-1f6df ' +
    '1f6f7-1f6fc 1f774-1f77f 1f7d5-1f7f0 1f8b0-1f90f 1f91f 1f928-1f92f 1f931-1f932 1f93f 1f94c-1f94f ' +
    '1f95f-1f97f 1f992-1f9bf 1f9c1-1fbfa 2a6d7-2a6df 2b735-2b73f 2cea2-2ee5d 30000-33479',
);

/** Whether a character is newer than Unicode 9, or is in `others`, which Unicode 9 added or changed. */
export function isNewer(codePoint: number, others: CodePointRanges = []): boolean {
  return isInRanges(codePoint, newerThanUnicode9) || isInRanges(codePoint, others);
}

/** Older characters that `BertPreTokenizer` and `Punctuation` don't treat as punctuation. */
export const notPunctuation = parseRanges('2e43-2e44 1144b-1145d 11660-1166c 11c41-11c71 1e95e-1e95f');

/** Older nonspacing marks that `BertNormalizer` keeps. */
export const notNonspacingMarks = parseRanges(
  '8d4-8e1 1885-1886 1dfb a8c5 a9bd 111c9 1123e 11438-11446 11c30-11cb6 1e000-1e02a 1e944-1e94a',
);

/** An older mark that `StripAccents` keeps. */
export const notCombiningMarks = parseRanges('111c9');

/** Tests for marks of a kind by the reference library's tables: includes former marks, excludes newer ones. */
export function createMarkTest(
  kind: RegExp,
  former: readonly number[],
  others: CodePointRanges,
): (character: string) => boolean {
  return (character) => {
    const codePoint = character.codePointAt(0)!;
    return former.includes(codePoint) || (kind.test(character) && !isNewer(codePoint, others));
  };
}
