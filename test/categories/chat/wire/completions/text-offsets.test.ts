import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextOffsets } from '../../../../../src/categories/chat/wire/completions/print.ts';

it('counts code points, however the bytes are cut into tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.infiniteStream(fc.nat(3)), (text, cuts) => {
      const bytes = [...new TextEncoder().encode(text)];
      const offsets = createTextOffsets();
      let at = 0;
      while (at < bytes.length) {
        const { value: length } = cuts.next();
        const before = new TextDecoder().decode(Uint8Array.from(bytes.slice(0, at)));
        const isInside = ((bytes[at] ?? 0) & 0xc0) === 0x80;
        const whole = [...before].length - (isInside && before.endsWith('\u{FFFD}') ? 1 : 0);
        expect(offsets.next(bytes.slice(at, at + length))).toBe(isInside ? whole + 1 : whole);
        at += length;
      }
    }),
  );
});

it('leaves out tokens that are no part of the text', () => {
  const offsets = createTextOffsets();
  offsets.hide(1);
  expect([[60, 62], [72], [105]].map((bytes) => offsets.next(bytes))).toEqual([0, 0, 1]);
});
