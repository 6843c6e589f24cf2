import { expect, it } from 'vitest';
import { createCopyingDecoder } from '../../../../src/backends/onnx/chat/copying-decoder.ts';
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
