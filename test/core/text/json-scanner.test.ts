import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonScanner } from '../../../src/core/text/json-scanner.ts';
import { cutTexts, soup } from './pieces.ts';
import { runs } from '../../thorough.ts';

function scanPieces(pieces: readonly string[]) {
  const scanner = createJsonScanner();
  let read = 0;
  for (const piece of pieces) {
    read += scanner.scan(piece);
    if (scanner.state !== 'open') break;
  }
  return { read, scanner };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('createJsonScanner', () => {
  it.each([
    ['{} x', 2, 'complete'],
    [' \n{"a": [1, {"b": "}]"}]}}', 25, 'complete'],
    ['"\\"\\\\" "', 6, 'complete'],
    ['"\\u00e9\\n"', 10, 'complete'],
    ['true,', 4, 'complete'],
    ['-1.5e+3]', 7, 'complete'],
    ['0', 1, 'open'],
    ['01', 1, 'complete'],
    ['{"a": 1', 7, 'open'],
    ['', 0, 'open'],
    ['[1,]', 3, 'invalid'],
    ['{"a": 1,}', 8, 'invalid'],
    ['{a: 1}', 1, 'invalid'],
    ["{'a': 1}", 1, 'invalid'],
    ['"a\nb"', 2, 'invalid'],
    ['"\\x"', 2, 'invalid'],
    ['"\\u12g"', 5, 'invalid'],
    ['[1}', 2, 'invalid'],
    ['{"a" 1}', 5, 'invalid'],
    ['{"a": 1 "b"}', 8, 'invalid'],
    ['nul,', 3, 'invalid'],
    ['1.]', 2, 'invalid'],
    ['-]', 1, 'invalid'],
    ['}', 0, 'invalid'],
    ['NaN', 0, 'invalid'],
  ])('%j is read up to %i: %s', (text, read, state) => {
    const scanner = createJsonScanner();
    expect([scanner.scan(text), scanner.state]).toEqual([read, state]);
  });

  it('finds the end of any value in any text, for every cut', () => {
    fc.assert(
      fc.property(
        cutTexts(fc.json()),
        fc.constantFrom(' ', ',', '}', ']', 'x'),
        ({ text, pieces }, after) => {
          const { read, scanner } = scanPieces([...pieces, after]);
          expect([scanner.state, read]).toEqual(['complete', text.length]);
        },
      ),
    );
  });

  it('accepts exactly what JSON.parse accepts', () => {
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '\\u0041',
      '1',
      '-',
      '.5',
      'e1',
      '0',
      'true',
      'null',
      ' ',
      '\n',
    ];
    fc.assert(
      fc.property(cutTexts(soup(...tokens)), ({ text, pieces }) => {
        const { read, scanner } = scanPieces([...pieces, ' ']);
        const accepted = scanner.state === 'complete' && text.slice(read).trim() === '';
        expect(accepted).toBe(isJson(text));
        if (scanner.state === 'invalid') expect(isJson(text.slice(0, read))).toBe(false);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('accepts every mutation of a JSON text that JSON.parse accepts, and no other', () => {
    const edit = fc.record({
      at: fc.nat(),
      length: fc.integer({ min: 0, max: 2 }),
      put: fc.constantFrom('', ',', '"', '\\', '}', '0', 'e', '.', '-', '\u0001'),
    });
    fc.assert(
      fc.property(fc.json(), edit, (json, { at, length, put }) => {
        const from = at % (json.length + 1);
        const text = json.slice(0, from) + put + json.slice(from + length);
        const scanner = createJsonScanner();
        const read = scanner.scan(`${text} `);
        expect(scanner.state === 'complete' && text.slice(read).trim() === '').toBe(isJson(text));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('takes a hundred thousand levels', () => {
    const scanner = createJsonScanner();
    scanner.scan('['.repeat(100_000));
    expect(scanner.state).toBe('open');
    scanner.scan(']'.repeat(100_000));
    expect(scanner.state).toBe('complete');
  });
});
