/** The result of one scan. */
export interface MarkerScan {
  /** Text before the marker; without one, all text that can't be the beginning of a marker. */
  readonly text: string;
  /** The marker that was found, else `null`. */
  readonly marker: string | null;
  /** Index in the scanned text after the marker; the text's length where none was found. */
  readonly end: number;
}

/** Looks for markers in text that comes in pieces. */
export interface MarkerScanner {
  /** Number of UTF-16 code units held back as a possible beginning of a marker. */
  readonly held: number;
  /** Reads `text` from index `from` (default 0) up to and including the first marker. */
  scan(text: string, from?: number): MarkerScan;
  /** Returns what is held back as a possible beginning of a marker. */
  flush(): string;
}

interface Pattern {
  readonly marker: string;
  /** Per length − 1 of a matched beginning: length of the longest shorter beginning that also matches there. */
  readonly fallback: Int32Array;
  matched: number;
}

/**
 * Finds the first of several markers in a stream of text pieces, in one pass over the text (Knuth, Morris, Pratt, "Fast Pattern
 * Matching in Strings", 1977): time is linear in the text for each marker. The marker that is complete first is found; among
 * those that end at the same place, the longest.
 */
export function createMarkerScanner(markers: readonly string[]): MarkerScanner {
  const patterns = markers.map(createPattern);
  /** Text that is held back: first half of a surrogate pair, then `heldLength` units of `heldMarker`. */
  let halfPair = '';
  let heldMarker = '';
  let heldLength = 0;

  function scan(text: string, from = 0): MarkerScan {
    for (let index = from; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      let found = '';
      for (const pattern of patterns) {
        const { marker } = pattern;
        if (advance(pattern, unit) && marker.length > found.length) found = marker;
      }
      if (found !== '') {
        const before = release(text, from, index + 1, found.length);
        reset();
        return { text: before, marker: found, end: index + 1 };
      }
    }
    let longest = '';
    let matched = 0;
    for (const pattern of patterns) {
      if (pattern.matched > matched) {
        longest = pattern.marker;
        matched = pattern.matched;
      }
    }
    let safe = release(text, from, text.length, matched);
    heldMarker = longest;
    heldLength = matched;
    halfPair = '';
    if (isHighSurrogate(safe.charCodeAt(safe.length - 1))) {
      halfPair = safe.slice(-1);
      safe = safe.slice(0, -1);
    }
    return { text: safe, marker: null, end: text.length };
  }

  /** The held text and `text[from, to)` without the last `kept` units. */
  function release(text: string, from: number, to: number, kept: number): string {
    const length = heldLength + (to - from) - kept;
    if (length <= heldLength) return halfPair + heldMarker.slice(0, length);
    return halfPair + heldMarker.slice(0, heldLength) + text.slice(from, from + length - heldLength);
  }

  function reset(): void {
    for (const pattern of patterns) pattern.matched = 0;
    halfPair = '';
    heldMarker = '';
    heldLength = 0;
  }

  function flush(): string {
    const rest = halfPair + heldMarker.slice(0, heldLength);
    reset();
    return rest;
  }

  return {
    get held() {
      return halfPair.length + heldLength;
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

/** Takes one code unit; true when the marker is complete. */
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
