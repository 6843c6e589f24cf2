import { join } from 'node:path';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { describeValue } from '../../../../core/text/quote.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { localFiles } from '../../../../models/graph-files.ts';
import { openModelFolder, readCount, type ModelFolder } from '../../../../models/model-folder.ts';
import { sourceError } from '../../../../models/model-files.ts';
import { locateModel } from '../../../../models/source.ts';
import { createTextTokenizer } from '../../../../models/tokenizer.ts';
import type { GraphRunOptions, Session, Tensor, TensorMap } from '../../../../runtime/contract.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { decodeGreedily } from '../../pipeline/decode-greedily.ts';
import { createCacheLayout, type DecoderCache } from '../../pipeline/decoder-cache.ts';
import { sampleRateHz, type StretchRecognizer } from '../../recognizer.ts';
import { moonshineFiles } from './files.ts';

/** Trained on less; more of it comes out repetitive. */
const longestSeconds = 28;
/** Limit of the reference, which keeps the model from repeating itself. */
const tokensPerSecond = 6.5;
const fewestTokens = 8;

const encoderMask = 'encoder_attention_mask';

/** @throws InferenceError `invalid_request` naming the file that is missing or doesn't fit */
export async function openMoonshine(
  spec: ModelSpec,
  { openSession }: SessionBackend,
): Promise<StretchRecognizer> {
  const path = locateModel(spec.source);
  const folder = await openModelFolder(path);
  const tokenizer = createTextTokenizer(folder);
  const { start, ends, contextLength, heads } = readConfig(folder);
  const opened: Session[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(opened.map((session) => session.release()));
  };
  try {
    for (const graph of moonshineFiles.graphs(localFiles(path), spec.dtype)) {
      opened.push(await openSession({ graph: join(path, graph) }, spec));
    }
    const [encoder, decoder] = opened as [Session, Session];
    const encode = encoderOf(encoder);
    const layout = createCacheLayout(heads, decoder, decoder, [encoderMask]);
    const wantsMask = decoder.inputs.some(({ name }) => name === encoderMask);
    return {
      longestSeconds,
      contextLength,
      languages: [],
      abilities: new Set(),
      async recognize(samples, { signal }) {
        const options = { signal };
        const audio = await encode(samples, options);
        const mask = wantsMask ? { [encoderMask]: ones(samples.length) } : {};
        const wanted = Math.ceil((samples.length / sampleRateHz) * tokensPerSecond);
        const most = Math.min(contextLength, Math.max(fewestTokens, wanted));
        let cache: DecoderCache | undefined;
        const next = async (token: number | undefined): Promise<Float32Array> => {
          const feeds = cache ? layout.nextFeeds(cache, token!) : layout.firstFeeds(audio, [start]);
          const fetches = ['logits', ...(cache ? layout.nextOutputs : layout.firstOutputs)];
          const outputs = await decoder.run({ ...feeds, ...mask }, fetches, options);
          cache = cache ? layout.advance(cache, outputs) : layout.begin(audio, 1, outputs);
          return toFloat32(outputs['logits']!);
        };
        const written = await decodeGreedily(next, { ends, most, signal });
        const text = tokenizer.decode(written.tokens.filter((id) => !tokenizer.isSpecial(id))).trim();
        return { ...written, text };
      },
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function encoderOf(session: Session): (samples: Float32Array, options: GraphRunOptions) => Promise<Tensor> {
  const names = session.inputs.map(({ name }) => name);
  const [output] = session.outputs;
  if (
    !names.includes('input_values') ||
    names.some((name) => !['input_values', 'attention_mask'].includes(name)) ||
    !output
  ) {
    throw sourceError(`expected an encoder with the input input_values, got ${names.join(', ')}`);
  }
  const wantsMask = names.includes('attention_mask');
  return async (samples, options) => {
    const feeds: TensorMap = {
      input_values: { type: 'float32', dims: [1, samples.length], data: samples },
      ...(wantsMask && { attention_mask: ones(samples.length) }),
    };
    return (await session.run(feeds, [output.name], options))[output.name]!;
  };
}

function ones(length: number): Tensor {
  return { type: 'int64', dims: [1, length], data: new BigInt64Array(length).fill(1n) };
}

function readConfig({ config, generationConfig }: ModelFolder) {
  const setting = (name: string): unknown => generationConfig[name] ?? config[name];
  const start = setting('decoder_start_token_id') ?? setting('bos_token_id');
  if (typeof start !== 'number') {
    throw sourceError(`config.json has decoder_start_token_id ${describeValue(start)}, expected a token`);
  }
  return {
    start,
    ends: new Set([setting('eos_token_id')].flat()),
    contextLength: readCount(config, 'max_position_embeddings'),
    heads: {
      decoderHeads: readCount(config, 'decoder_num_key_value_heads'),
      headSize: readCount(config, 'hidden_size') / readCount(config, 'decoder_num_attention_heads'),
    },
  };
}
