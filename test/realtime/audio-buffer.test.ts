import { expect, it } from 'vitest';
import { AudioBuffer } from '../../src/realtime/speech-input.ts';

it('gives memory back with the bytes that it forgets', () => {
  const buffer = new AudioBuffer();
  const { capacity } = buffer;
  for (let count = 0; count < 16; count++) buffer.append(new Uint8Array(2 ** 20).fill(count));
  expect(buffer.capacity).toBeGreaterThanOrEqual(2 ** 24);
  buffer.drop(2 ** 24 - 1000);
  expect(buffer.capacity).toBe(capacity);
  expect(buffer.slice(buffer.start, buffer.end)).toEqual(new Uint8Array(1000).fill(15));
  buffer.append(Uint8Array.of(7));
  expect(buffer.slice(buffer.end - 1, buffer.end)).toEqual(Uint8Array.of(7));
});
