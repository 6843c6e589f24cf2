/** The result of one scan. */
export interface MarkerScan {
  /** Text before the marker; without a marker, all text that can't be the beginning of one. */
  readonly text: string;
  /** The marker found, else `null`. */
  readonly marker: string | null;
  /** Index after the marker in the scanned text; the text's length without a marker. */
  readonly end: number;
}

interface Pattern {
  readonly marker: string;
  /** For each length − 1 of a matched prefix: length of the longest shorter prefix that also matches there. */
  readonly fallback: Int32Array;
  matched: number;
}

/**
 * Finds the first of several markers in a stream of text in one pass (Knuth, Morris, Pratt, "Fast Pattern Matching in
 * Strings", 1977): time is linear in the text for each marker. The marker that is complete first is found; of markers
 * with the same end, the longest.
 */
export function createMarkerScanner(markers: readonly string[]) {
  const patterns = markers.map(createPattern);
  /** Withheld text: possibly the first half of a surrogate pair, then the longest beginning of a marker. */
  let held = '';

  /** Reads `text` from index `from` up to and including the first marker. */
  function scan(text: string, from = 0): MarkerScan {
    /** The first `length` units of the withheld and the new text: concatenating both would copy them for each piece. */
    const start = (length: number): string =>
      length <= held.length ? held.slice(0, length) : held + text.slice(from, from + length - held.length);
    for (let index = from; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      let found = '';
      for (const pattern of patterns) {
        const { marker } = pattern;
        if (advance(pattern, unit) && marker.length > found.length) found = marker;
      }
      if (found === '') continue;
      const before = start(held.length + index + 1 - from - found.length);
      flush();
      return { text: before, marker: found, end: index + 1 };
    }
    let [longest, matched] = ['', 0];
    for (const pattern of patterns)
      if (pattern.matched > matched) [longest, matched] = [pattern.marker, pattern.matched];
    const certain = start(held.length + text.length - from - matched);
    const half = isHighSurrogate(certain.charCodeAt(certain.length - 1)) ? certain.slice(-1) : '';
    held = half + longest.slice(0, matched);
    return { text: certain.slice(0, certain.length - half.length), marker: null, end: text.length };
  }

  /** Returns the withheld text. */
  function flush(): string {
    const rest = held;
    for (const pattern of patterns) pattern.matched = 0;
    held = '';
    return rest;
  }

  return {
    /** Number of UTF-16 code units withheld as a possible beginning of a marker. */
    get held() {
      return held.length;
    },
    scan,
    flush,
  };
}

function createPattern(marker: string): Pattern {
  if (marker === '') throw new RangeError('marker: expected a non-empty string, got ""');
  const fallback = new Int32Array(marker.length);
  for (let index = 1, length = 0; index < marker.length; index++) {
    while (length > 0 && marker[index] !== marker[length]) length = fallback[length - 1]!;
    if (marker[index] === marker[length]) length++;
    fallback[index] = length;
  }
  return { marker, fallback, matched: 0 };
}

/** Consumes one code unit; true when the marker is complete. */
function advance(pattern: Pattern, unit: number): boolean {
  const { marker, fallback } = pattern;
  let { matched } = pattern;
  while (matched > 0 && marker.charCodeAt(matched) !== unit) matched = fallback[matched - 1]!;
  if (marker.charCodeAt(matched) === unit) matched++;
  pattern.matched = matched;
  return matched === marker.length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
