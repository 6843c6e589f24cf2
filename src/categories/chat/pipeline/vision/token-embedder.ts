import { float16ToFloat32Into } from '../../../../core/math/float16.ts';
import { fieldError } from '../../../../errors.ts';
import type { Session } from '../../../../runtime/contract.ts';
import type { PictureTable } from './picture-table.ts';

/** Makes what a decoder is fed in place of tokens. */
export interface TokenEmbedder {
  /**
   * @param tokens token ids, and ids of the rows of pictures
   * @returns `[tokens × hiddenSize]`
   */
  embed(tokens: Int32Array): Promise<Float32Array>;
  release(): Promise<void>;
}

/**
 * Embeds tokens by a graph `input_ids` → `inputs_embeds`, and pictures by the rows that their encoder made.
 *
 * @throws InferenceError `invalid_request` where the graph is another one
 */
export function createTokenEmbedder(
  session: Session,
  hiddenSize: number,
  pictures: Pick<PictureTable, 'find'>,
): TokenEmbedder {
  const output = session.outputs[0]?.name;
  if (session.inputs.length !== 1 || session.inputs[0]!.name !== 'input_ids' || output === undefined) {
    throw fieldError('source', 'the graph embed_tokens is none that takes input_ids alone');
  }
  return {
    async embed(tokens) {
      const ids = BigInt64Array.from(tokens, (token) => BigInt(Math.max(token, 0)));
      const results = await session.run({
        input_ids: { type: 'int64', dims: [1, tokens.length], data: ids },
      });
      const { type, data } = results[output]!;
      const embeddings =
        type === 'float16'
          ? float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array)
          : (data as Float32Array);
      if (embeddings.length !== tokens.length * hiddenSize) {
        throw new RangeError(
          `embed_tokens: expected ${tokens.length} × ${hiddenSize} numbers, got ${embeddings.length}`,
        );
      }
      for (const [at, token] of tokens.entries()) {
        if (token >= 0) continue;
        const { picture, row } = pictures.find(token);
        embeddings.set(
          picture.embeddings.subarray(row * hiddenSize, (row + 1) * hiddenSize),
          at * hiddenSize,
        );
      }
      return embeddings;
    },
    release: () => session.release(),
  };
}
