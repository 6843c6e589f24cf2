import type { SessionBackend } from '../../../../contracts/sessions.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { openModelFolder, readCount } from '../../../../folder/model-folder.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { locateModel } from '../../../../folder/source.ts';
import type {
  GraphRunOptions,
  Session,
  TensorMap,
  Carried,
  Tensor,
  TensorSignature,
} from '../../../../contracts/graph.ts';
import { filled, int64 } from '../../../../runtime/tensors.ts';
import { runKept, bindGraph } from '../../../../runtime/bound-graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { RecognitionDecoder, type DecoderText, type EncodedAudio } from '../../pipeline/text-decoder.ts';
import { openGraphs } from '../../pipeline/open-graphs.ts';
import { type StretchRecognizer, sampleRateHz, type RecognizedStretch } from '../../recognizer.ts';
import { moonshineFiles, streamingFiles as files } from './files.ts';
import { describeValue } from '../../../../core/text/quote.ts';
import type { ModelFolder } from '../../../../contracts/text-model.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { decodeGreedily, maxTokensOf } from '../../../../runtime/decode-greedily.ts';

const encoderMask = 'encoder_attention_mask';

export async function openMoonshine(spec: ModelSpec, sessions: SessionBackend): Promise<StretchRecognizer> {
  const folder = await openModelFolder(locateModel(spec.source));
  const { traits, write } = createWriter(folder);
  const { config } = folder;
  const heads = {
    decoderHeads: readCount(config, 'decoder_num_key_value_heads'),
    headSize: readCount(config, 'hidden_size') / readCount(config, 'decoder_num_attention_heads'),
  };
  return openGraphs(spec, sessions, { files: moonshineFiles }, ({ sessions: opened, release }) => {
    const [encoder, decoder] = opened as [Session, Session];
    const encode = encoderOf(encoder);
    const texts = new RecognitionDecoder(heads, { first: decoder, next: decoder, others: [encoderMask] });
    const wantsMask = decoder.inputs.some(({ name }) => name === encoderMask);
    return {
      ...traits,
      async recognize(samples, { signal }) {
        const options = { signal };
        const audio = await encode(samples, options);
        const others = wantsMask ? { [encoderMask]: filled('int64', [1, samples.length], 1) } : {};
        let text: DecoderText | undefined;
        const next = async (token: number): Promise<Float32Array> => {
          if (text) return text.step(token, options);
          text = await texts.begin(audio, [token], { ...options, others });
          return toFloat32(text.logits);
        };
        try {
          return await write(next, { samples: samples.length, signal });
        } finally {
          text?.release();
          audio.release();
        }
      },
      release,
    };
  });
}

function encoderOf(
  session: Session,
): (samples: Float32Array, options: GraphRunOptions) => Promise<EncodedAudio> {
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
      ...(wantsMask && { attention_mask: filled('int64', [1, samples.length], 1) }),
    };
    return (await runKept(session, feeds, [output.name], options))[0]!;
  };
}

const samplesName = 'audio_chunk';
const spokenNames = ['k_self', 'v_self'];
const heardNames = ['k_cross', 'v_cross'];
const spoken = spokenNames.map((name): Carried => [name, toOut(name)]);
const names = [
  [samplesName, 'features'],
  ['features', 'encoded'],
  ['encoded', 'pos_offset', 'memory'],
  ['memory', ...heardNames],
  ['token', ...spokenNames, ...heardNames.map(toOut), 'logits', ...spokenNames.map(toOut)],
];
const origin = "Moonshine's streaming export";
/** Min input of the encoder. */
const minFeatures = 2;

/** Each stretch is read in one piece, as if it started the recording. */
export async function openStreaming(spec: ModelSpec, backend: SessionBackend): Promise<StretchRecognizer> {
  const { traits, write } = createWriter(await openModelFolder(locateModel(spec.source)));
  return openGraphs(spec, backend, { files, names, origin }, ({ sessions, release }) => {
    const [frontend, encoder, adapter, crossKv, decoder] = sessions as [
      Session,
      Session,
      Session,
      Session,
      Session,
    ];
    const before = zeros(frontend.inputs.filter(({ name }) => name !== samplesName));
    const nothing = zeros(decoder.inputs.filter(({ name }) => spokenNames.includes(name)));
    return {
      ...traits,
      async recognize(samples, { signal }) {
        const options = { signal };
        const audio: Tensor = { type: 'float32', dims: [1, samples.length], data: samples };
        const features = await frontend.run({ ...before, [samplesName]: audio }, ['features'], options);
        if (features['features']!.dims[1]! < minFeatures) return { text: '', tokens: [], averageLogprob: 0 };
        const encoded = await encoder.run(features, ['encoded'], options);
        const memory = await adapter.run({ ...encoded, pos_offset: int64([1], [0]) }, ['memory'], options);
        const heard = await crossKv.run(memory, heardNames, options);
        const text = bindGraph(decoder);
        try {
          const read = BigInt64Array.of(0n);
          text.feedAll({ ...nothing, token: { type: 'int64', dims: [1, 1], data: read } });
          for (const name of heardNames) text.feed(toOut(name), heard[name]!);
          text.keep(spokenNames.map(toOut));
          text.fetch('logits', [1, 1]);
          const next = async (token: number): Promise<Float32Array> => {
            read[0] = BigInt(token);
            await text.run({ signal, isShort: true });
            text.carry(spoken);
            return text.readNumbers('logits');
          };
          return await write(next, { samples: samples.length, signal });
        } finally {
          text.release();
        }
      },
      release,
    };
  });
}

/** Output name of a tensor that a run creates or carries over. */
function toOut(name: string): string {
  return `out_${name}`;
}

/** Dynamic dimensions count the frames read. */
function zeros(inputs: readonly TensorSignature[]): TensorMap {
  const sizeOf = (dim: number | string): number => (typeof dim === 'number' ? dim : 0);
  return Object.fromEntries(inputs.map(({ name, type, dims }) => [name, filled(type, dims.map(sizeOf))]));
}

/** Trained on shorter audio; longer audio yields repetitive text. */
const maxSeconds = 28;

function createWriter(folder: ModelFolder) {
  const { config, generationConfig } = folder;
  const tokenizer = createTextTokenizer(folder);
  const setting = (name: string): unknown => generationConfig[name] ?? config[name];
  const start = setting('decoder_start_token_id') ?? setting('bos_token_id');
  if (typeof start !== 'number')
    throw sourceError(`config.json has decoder_start_token_id ${describeValue(start)}, expected a token`);
  const ends = new Set([setting('eos_token_id')].flat());
  const contextLength = readCount(config, 'max_position_embeddings');
  return {
    /** Properties of both kinds of recognizers. */
    traits: { maxSeconds, contextLength, languages: [], abilities: new Set<never>() },
    /** @param options.samples of the stretch */
    async write(
      next: (token: number) => Promise<Float32Array>,
      { samples, signal }: { readonly samples: number; readonly signal?: AbortSignal | undefined },
    ): Promise<RecognizedStretch> {
      const maxTokens = Math.min(contextLength, maxTokensOf(samples / sampleRateHz));
      const written = await decodeGreedily((token = start) => next(token), { ends, maxTokens, signal });
      const text = tokenizer.decode(written.tokens.filter((id) => !tokenizer.isSpecial(id))).trim();
      return { ...written, text };
    },
  };
}
