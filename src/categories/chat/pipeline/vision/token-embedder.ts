import { float16ToFloat32Into } from '../../../../core/math/float16.ts';
import { fieldError } from '../../../../errors.ts';
import type { Session, Tensor } from '../../../../contracts/graph.ts';
import type { Decoder, StepInputs } from '../../../../contracts/decoder.ts';
import { layerEmbeddingsInput } from '../../../../core/onnx/embedding-inputs.ts';
import type { PictureTable } from './picture-table.ts';

/** Makes what a decoder is fed in place of tokens. */
export interface TokenEmbedder {
  /** @param tokens token ids, and ids of the rows of pictures */
  embed(tokens: Int32Array): Promise<Pick<StepInputs, 'embeddings' | 'layerEmbeddings'>>;
  release(): Promise<void>;
}

/**
 * Embeds tokens by a graph `input_ids` → `inputs_embeds`, for some decoders also `per_layer_inputs`, and pictures by the rows
 * that their encoder made.
 */
export function createTokenEmbedder(
  session: Session,
  { hiddenSize = 0, layerSize }: Pick<Decoder, 'hiddenSize' | 'layerSize'>,
  pictures: Pick<PictureTable, 'find'>,
): TokenEmbedder {
  const names = session.outputs.map(({ name }) => name);
  const output = names.find((name) => name !== layerEmbeddingsInput);
  if (session.inputs.length !== 1 || session.inputs[0]!.name !== 'input_ids' || output === undefined) {
    throw fieldError('source', 'expected a graph embed_tokens whose only input is input_ids');
  }
  if (layerSize !== undefined && !names.includes(layerEmbeddingsInput)) {
    throw fieldError('source', `the graph embed_tokens has no output ${layerEmbeddingsInput}`);
  }
  return {
    async embed(tokens) {
      const ids = BigInt64Array.from(tokens, (token) => BigInt(Math.max(token, 0)));
      const results = await session.run({
        input_ids: { type: 'int64', dims: [1, tokens.length], data: ids },
      });
      const embeddings = toNumbers(results[output]!, tokens.length, hiddenSize);
      for (const [at, token] of tokens.entries()) {
        if (token >= 0) continue;
        const { picture, row } = pictures.find(token);
        embeddings.set(
          picture.embeddings.subarray(row * hiddenSize, (row + 1) * hiddenSize),
          at * hiddenSize,
        );
      }
      if (layerSize === undefined) return { embeddings };
      return {
        embeddings,
        layerEmbeddings: toNumbers(results[layerEmbeddingsInput]!, tokens.length, layerSize),
      };
    },
    release: () => session.release(),
  };
}

/** @returns `[tokens × size]` */
function toNumbers({ type, data }: Tensor, tokens: number, size: number): Float32Array {
  const numbers =
    type === 'float16'
      ? float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array)
      : (data as Float32Array);
  if (numbers.length === tokens * size) return numbers;
  throw new RangeError(`embed_tokens: expected ${tokens} × ${size} numbers, got ${numbers.length}`);
}
