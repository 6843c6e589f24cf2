const apostrophe = 0x27;

/**
 * Length of the English contraction that begins at `at`: 2 for `'s`, `'t`, `'m`, `'d`, 3 for `'re`, `'ve`, `'ll`, 0 if
 * there is none.
 */
export function contractionAt(units: Uint16Array, at: number, end: number): number {
  return units[at] === apostrophe && at + 1 < end
    ? lengthOf(units[at + 1]!, at + 2 < end ? units[at + 2]! : 0)
    : 0;
}

/** `contractionAt` for `(?i:…)`. */
export function anyCaseContractionAt(units: Uint16Array, at: number, end: number): number {
  if (units[at] !== apostrophe || at + 1 >= end) return 0;
  const first = units[at + 1]!;
  if (first === 0x1_7f) return 2; // ſ is an s
  return lengthOf(first | 0x20, at + 2 < end ? units[at + 2]! | 0x20 : 0);
}

function lengthOf(first: number, second: number): number {
  switch (first) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return 2;
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? 3 : 0;
    case 0x6c: // ll
      return second === 0x6c ? 3 : 0;
    default:
      return 0;
  }
}
