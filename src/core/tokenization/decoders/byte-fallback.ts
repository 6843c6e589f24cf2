import type { Decoder } from './decoder.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteToken = /^<0x(?:[0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>$/;

/** Takes runs of `<0x…>` for bytes; where they are no UTF-8, each of them becomes U+FFFD. */
export const byteFallbackDecoder: Decoder = (tokens) => {
  const parts: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length > 0) for (const part of decodeBytes(bytes)) parts.push(part);
    bytes = [];
  };
  for (const token of tokens) {
    if (byteToken.test(token)) {
      bytes.push(Number.parseInt(token.slice(3, 5), 16));
    } else {
      flush();
      parts.push(token);
    }
  }
  flush();
  return parts;
};

function decodeBytes(bytes: readonly number[]): string[] {
  try {
    return [utf8.decode(Uint8Array.from(bytes))];
  } catch {
    return bytes.map(() => '\uFFFD');
  }
}
