import { createMarkerScanner } from '../text/marker-scanner.ts';

/** Markers that some models put around their answer. */
export interface FrameMarkers {
  readonly open: string | readonly string[];
  readonly close: string | readonly string[];
}

/** Takes the frame off an answer while it streams. */
export interface FrameReader {
  /** Returns the text that is certainly part of the answer. */
  push(text: string): string;
  /** Returns what was held back. */
  flush(): string;
}

/**
 * Drops the markers around an answer: the open one where it begins, after optional white space, and then the first close one,
 * with the white space after the open one. An answer that doesn't begin with the open marker stays as it is.
 */
export function createFrameReader({ open, close }: FrameMarkers): FrameReader {
  const opens = [open].flat();
  if (opens.includes('')) throw new RangeError('open: expected a non-empty string, got ""');
  const scanner = createMarkerScanner([close].flat());
  let place: 'start' | 'gap' | 'inside' | 'plain' = 'start';
  let beginning = '';

  function push(text: string): string {
    if (place === 'plain') return text;
    if (place !== 'start') return readInside(text);
    beginning += text;
    const visible = beginning.trimStart();
    const marker = opens.find((candidate) => visible.startsWith(candidate));
    if (marker !== undefined) {
      place = 'gap';
      return readInside(visible.slice(marker.length));
    }
    if (opens.some((candidate) => candidate.startsWith(visible))) return '';
    place = 'plain';
    return beginning;
  }

  function readInside(text: string): string {
    const inside = place === 'gap' ? text.trimStart() : text;
    if (inside === '') return '';
    const scan = scanner.scan(inside);
    place = scan.marker === null ? 'inside' : 'plain';
    return scan.text + inside.slice(scan.end);
  }

  function flush(): string {
    if (place === 'start') return beginning;
    return place === 'inside' ? scanner.flush() : '';
  }

  return { push, flush };
}
