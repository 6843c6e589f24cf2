import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkerScanner } from '../../../src/core/text/marker-scanner.ts';
import { cutTexts, soup } from './pieces.ts';

describe('createMarkerScanner', () => {
  it('goes on after a marker and reports where it ended', () => {
    const scanner = createMarkerScanner(['<a>', '<b>']);
    const text = 'x<a><b>y<';
    expect(scanner.scan(text)).toEqual({ text: 'x', marker: '<a>', end: 4 });
    expect(scanner.scan(text, 4)).toEqual({ text: '', marker: '<b>', end: 7 });
    expect(scanner.scan(text, 7)).toEqual({ text: 'y', marker: null, end: 9 });
    expect(scanner.flush()).toBe('<');
    expect(scanner.flush()).toBe('');
  });

  it('falls back to a shorter beginning inside a failed one', () => {
    const scanner = createMarkerScanner(['aabaac']);
    expect(scanner.scan('aabaab')).toEqual({ text: 'aab', marker: null, end: 6 });
    expect(scanner.scan('aac')).toEqual({ text: '', marker: 'aabaac', end: 3 });
  });

  it('rejects an empty marker', () => {
    expect(() => createMarkerScanner(['a', ''])).toThrow(RangeError);
  });

  it('splits a text as String.split does, for every cut', () => {
    fc.assert(
      fc.property(cutTexts(soup('<x>', '<', 'x', '>', '😀', 'a')), ({ text, pieces }) => {
        const scanner = createMarkerScanner(['<x>']);
        const parts = [''];
        for (const piece of pieces) {
          for (let from = 0; from < piece.length;) {
            const scan = scanner.scan(piece, from);
            parts.push((parts.pop() ?? '') + scan.text);
            if (scan.marker !== null) parts.push('');
            from = scan.end;
          }
        }
        parts.push((parts.pop() ?? '') + scanner.flush());
        expect(parts).toEqual(text.split('<x>'));
      }),
    );
  });
});
