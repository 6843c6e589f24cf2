import type { Device } from '../../../../core/device.ts';
import type { Graph } from '../../../../contracts/sessions.ts';
import { fieldError } from '../../../../errors.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import type { GraphRunOptions, Session } from '../../../../contracts/graph.ts';
import { runKept } from '../../../../runtime/bound-graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { rewriteRecognizer, type RecognizerRewrites } from '../../../../runtime/rewrite-recognizer.ts';
import {
  RecognitionDecoder,
  type DecoderSessions,
  type DecoderText,
  type EncodedAudio,
} from '../../pipeline/text-decoder.ts';
import { releaseOnFailure } from '../../../../concurrency/release-on-failure.ts';

/** A `DecoderText` after the prefix. */
export interface WhisperText extends Omit<DecoderText, 'logits'> {
  /** Logits of the prefix's last position, one per token. */
  readonly logits: Float32Array;
  /** Logits of an earlier position: 0 for the last, up to 3. */
  logitsBefore(positions: number): Float32Array;
}

export interface WhisperModel {
  /** The layers with an output for cross-attention. */
  readonly alignmentLayers: readonly number[];
  /** @param features `[melBins × windowFrames]` @returns the caller must release it */
  encode(features: Float32Array, options?: GraphRunOptions): Promise<EncodedAudio>;
  /** Reads the prefix of a text. @returns the caller must release it */
  start(audio: EncodedAudio, tokens: readonly number[], options?: GraphRunOptions): Promise<WhisperText>;
  /** Cross-attention while reading tokens. @returns per layer `[heads × tokens × positions]` */
  attend(
    audio: EncodedAudio,
    tokens: readonly number[],
    layers: readonly number[],
    options?: GraphRunOptions,
  ): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** At least the number of positions from `<|startoftranscript|>` to the text. */
const lastPositions = 4;

export type OpenGraph = (graph: Graph) => Promise<Session>;

export async function loadWhisperModel(
  folder: WhisperFolder,
  open: OpenGraph,
  device: Device = 'cpu',
): Promise<WhisperModel> {
  const { decoder, decoderHeads: heads, headSize: size } = folder;
  const rewrite = (path: string, rewrites: Omit<RecognizerRewrites, 'device'>) =>
    rewriteRecognizer(path, { device, attention: { heads, size }, ...rewrites });
  return releaseOnFailure(async (own) => {
    const encoder = own(await open(await rewrite(folder.encoder, { attention: folder.encoderAttention })));
    const begins = await rewrite(decoder.first, { hasCaches: false, lastPositions });
    const first = own(await open(begins));
    const isWhole = decoder.first === decoder.next && !begins.isBranch;
    const next = isWhole ? first : own(await open(await rewrite(decoder.next, { hasCaches: true })));
    return createWhisperModel(folder, { encoder, first, next });
  });
}

export interface WhisperSessions extends Pick<DecoderSessions, 'first' | 'next'> {
  readonly encoder: Session;
}

/** @internal */
export function createWhisperModel(
  folder: WhisperFolder,
  { encoder, first, next }: WhisperSessions,
): WhisperModel {
  const { melBins, windowFrames, vocabularySize } = folder;
  assertEncoder(encoder);
  const decoder = new RecognitionDecoder(folder, { first, next });
  const hidden = encoder.outputs[0]!.name;
  const outputs = new Set(first.outputs.map(({ name }) => name));
  const layers = Array.from({ length: folder.decoderLayers }, (_, layer) => layer);

  return {
    alignmentLayers: layers.filter((layer) => outputs.has(attentionName(layer))),
    async encode(data, options) {
      const dims = [1, melBins, windowFrames];
      const feeds = { input_features: { type: 'float32', dims, data } } as const;
      return (await runKept(encoder, feeds, [hidden], options))[0]!;
    },
    async start(audio, tokens, options) {
      const text = await decoder.begin(audio, tokens, options);
      const values = toFloat32(text.logits);
      const size = text.logits.dims.at(-1)!;
      const logitsBefore = (positions: number): Float32Array => {
        const start = values.length - (positions + 1) * size;
        return values.subarray(start, start + vocabularySize);
      };
      return {
        ...text,
        logits: logitsBefore(0),
        logitsBefore,
        step: async (token, stepOptions) => (await text.step(token, stepOptions)).subarray(0, vocabularySize),
      };
    },
    async attend(audio, tokens, chosen, options) {
      return (await decoder.read(audio, tokens, chosen.map(attentionName), options)).map(toFloat32);
    },
    async release() {
      await Promise.all([...new Set([encoder, first, next])].map((session) => session.release()));
    },
  };
}

function assertEncoder({ inputs, outputs }: Session): void {
  const [input] = inputs;
  if (
    inputs.length !== 1 ||
    input!.name !== 'input_features' ||
    input!.type !== 'float32' ||
    outputs.length === 0
  ) {
    const got = inputs.map(({ name, type }) => `${name} ${type}`).join(', ');
    const reason = `expected an encoder with the input input_features float32, got ${got}`;
    throw fieldError('source', `the graphs are not a Whisper model: ${reason}`);
  }
}

function attentionName(layer: number): string {
  return `cross_attentions.${layer}`;
}
