import { createCharacterNormalizer } from './character-rewriter.ts';

/** The cleaning of Google's translation models: control characters go, unusual white space becomes a blank. */
export const nmt = createCharacterNormalizer((character) => {
  const codePoint = character.codePointAt(0)!;
  if (isControl(codePoint)) return '';
  return blanks.has(codePoint) ? ' ' : character;
});

function isControl(codePoint: number): boolean {
  return (
    (codePoint >= 0x01 && codePoint <= 0x08) ||
    codePoint === 0x0b ||
    (codePoint >= 0x0e && codePoint <= 0x1f) ||
    codePoint === 0x7f ||
    codePoint === 0x8f ||
    codePoint === 0x9f
  );
}

const blanks: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0c, 0x0d, 0x16_80, 0x20_0b, 0x20_0c, 0x20_0d, 0x20_0e, 0x20_0f, 0x20_28, 0x20_29, 0x25_81,
  0xfe_ff, 0xff_fd,
]);
