import { expect, it } from 'vitest';
import { createCopyingDecoder } from '../../../../src/backends/onnx/chat/copying-decoder.ts';
import { KeyValueCache } from '../../../../src/backends/onnx/chat/key-value-cache.ts';
import { StoragePool } from '../../../../src/backends/onnx/chat/storage-pool.ts';
import type { Decoder, DecoderCache } from '../../../../src/contracts/decoder.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';
import { createRememberingSession } from './remembering-session.ts';

const { inputs, ...session } = createRememberingSession();

it.each([
  ['no input attention_mask', inputs.filter(({ name }) => name !== 'attention_mask')],
  ['unknown input encoder_mask', [...inputs, { name: 'encoder_mask', type: 'int64' as const, dims: [1] }]],
  [
    'no output present_conv.0',
    [...inputs, { name: 'past_conv.0', type: 'float32' as const, dims: [1, 8, 3] }],
  ],
  [
    'past_conv.0 is float32 [batch, 8, width]',
    [...inputs, { name: 'past_conv.0', type: 'float32' as const, dims: ['batch', 8, 'width'] }],
  ],
  ['no inputs past_key_values.*', inputs.filter(({ name }) => !name.startsWith('past_key_values'))],
])('says that a graph has %s', (reason, others) => {
  expect(() => createCopyingDecoder({ ...session, inputs: others })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'source' }),
  );
  expect(() => createCopyingDecoder({ ...session, inputs: others })).toThrow(reason);
});

it.each([-1, 1_000_000])('refuses the token %i before the graph sees it', async (token) => {
  const decoder = createCopyingDecoder({ inputs, ...session });
  const cache = decoder.createCache();
  await expect(decoder.forward(cache, Int32Array.of(token), 1)).rejects.toThrow(
    `tokens[0]: expected an id from 0 to ${decoder.vocabularySize - 1}, got ${token}`,
  );
  expect([...cache.lengths]).toEqual([0]);
});

it.each([true, false])('goes on with the same bits in a copy (ragged: %s)', async (ragged) => {
  const real = await createOnnxSession('examples/models/tiny-chat/onnx/model.onnx', { threads: 1 });
  const decoder: Decoder = createCopyingDecoder(real, { ragged });
  const tokens = Int32Array.from({ length: 1300 }, (_, index) => (index * 37 + 11) % 400);
  const { pieceTokens } = decoder;
  const read = async (cache: DecoderCache, start: number, end: number): Promise<number[]> => {
    let logits: number[] = [];
    for (let from = start; from < end; from += pieceTokens!) {
      const piece = tokens.subarray(from, Math.min(from + pieceTokens!, end));
      logits = [...(await decoder.forward(cache, piece, piece.length))];
    }
    return logits;
  };
  const cold = decoder.createCache();
  const expected = [await read(cold, 0, 1200), await read(cold, 1200, 1201), await read(cold, 1201, 1202)];
  const kept = decoder.createCache();
  await read(kept, 0, 1300);
  for (let length = pieceTokens!; length < 1200; length += pieceTokens!) {
    const copy = await decoder.gather([{ cache: kept, row: 0, length }]);
    const got = [await read(copy, length, 1200), await read(copy, 1200, 1201), await read(copy, 1201, 1202)];
    expect(got).toEqual(expected);
    copy.release();
  }
  await decoder.release();
});

it('copies a cache to one that is fed in the same shape', () => {
  const entry = { past: 'past', present: 'present', type: 'float32', heads: 1, headSize: 1 } as const;
  const pool = new StoragePool();
  const parts = { keysAndValues: { entries: [entry], pool }, states: { entries: [], pool }, spare: true };
  const cache = new KeyValueCache(parts, 1);
  for (let length = 256; length <= 16_384; length += 256) {
    cache.append([{ type: 'float32', dims: [1, 1, 256, 1], data: new Float32Array(256) }], 256);
    const copy = KeyValueCache.gather([{ cache, row: 0 }]);
    expect({ length, dims: copy.tensors['past']!.dims }).toEqual({
      length,
      dims: cache.tensors['past']!.dims,
    });
    copy.release();
  }
});
