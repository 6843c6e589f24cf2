import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, orderedKeys, writeExact } from '../../../src/core/text/exact-json.ts';

describe('JSON that is read exactly', () => {
  it.each([
    '{"reasoning":"x","1":1,"2":{"b":1,"0":2}}',
    '[12345678901234567891,-9007199254740993,9007199254740991]',
    '{"a\\"}{":"[,]:","":[]}',
    'null',
    '"\\\\ \\""',
  ])('%s comes out as it went in', (text) => {
    expect(JSON.stringify(text)).toBe(JSON.stringify(writeExact(parseExact(text))));
  });

  it('is what JSON.parse makes of it, where that keeps everything', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(writeExact(parseExact(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('a key that comes twice stands where it came first, with its last value', () => {
    const value = parseExact('{"b":1,"1":2,"b":3}') as object;
    expect(orderedKeys(value)).toEqual(['b', '1']);
    expect(writeExact(value)).toBe('{"b":3,"1":2}');
  });

  it('a name like __proto__ is one like others', () => {
    expect(writeExact(parseExact('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  it('wrong JSON is refused', () => expect(() => parseExact('{"a":}')).toThrow(SyntaxError));
});
