import { concatenate } from '../../../src/core/audio/containers/reading.ts';
import type { AudioEncoder } from '../../../src/runtime/audio-encode/contract.ts';

async function* inPieces(samples: Float32Array, length: number): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += length) yield samples.subarray(at, at + length);
}

interface Encoding {
  readonly sampleRateHz: number;
  /** Samples of a piece; default: all. */
  readonly piece?: number;
  readonly signal?: AbortSignal;
}

/** Encodes a recording by an encoder that has to be there. */
export async function encode(
  encoder: AudioEncoder | undefined,
  samples: Float32Array,
  { sampleRateHz, piece = samples.length, signal }: Encoding,
): Promise<Uint8Array> {
  const isWhole = piece === samples.length;
  const parts: Uint8Array[] = [];
  const encoded = encoder!.encode(inPieces(samples, Math.max(1, piece)), { sampleRateHz, isWhole, signal });
  for await (const bytes of encoded) parts.push(bytes);
  return concatenate(parts);
}
