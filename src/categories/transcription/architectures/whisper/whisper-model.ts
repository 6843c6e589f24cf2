import { readFile } from 'node:fs/promises';
import type { Graph } from '../../../../contracts/sessions.ts';
import { fieldError, type InferenceError } from '../../../../errors.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import type { BindableSession, GraphRunOptions, Session, Tensor } from '../../../../contracts/graph.ts';
import { isBindable } from '../../../../runtime/is-bindable.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { extendGraph, onnxElementType } from '../../../../runtime/graph-extension.ts';
import { holdsTensors } from '../../../../runtime/native/device-memory.ts';
import { keepFeedsResident } from '../../../../runtime/resident-feeds.ts';
import { createCacheLayout, type DecoderCache } from '../../pipeline/decoder-cache.ts';

/** A decoder that has read some tokens; nothing changes it, so that several texts can go on from it. */
export interface DecoderState {
  readonly cache: DecoderCache;
  /** Logits of the last position, one for each token. */
  readonly logits: Float32Array;
  /** Logits of an earlier position: 0 for the last one, up to 3. */
  logitsBefore(positions: number): Float32Array;
}

/** A Whisper model over `Session`s, one forward pass at a time. */
export interface WhisperModel {
  /** The layers whose attention to the audio the graph puts out. */
  readonly alignmentLayers: readonly number[];
  /** @param features `[melBins × windowFrames]` */
  encode(features: Float32Array, options?: GraphRunOptions): Promise<Tensor>;
  /** Reads the tokens before a text. */
  start(window: Tensor, tokens: readonly number[], options?: GraphRunOptions): Promise<DecoderState>;
  /** Reads one more token. */
  step(state: DecoderState, token: number, options?: GraphRunOptions): Promise<DecoderState>;
  /**
   * Where the decoder looks in the audio while it reads tokens.
   * @returns for each layer `[heads × tokens × positions]`
   */
  attend(
    window: Tensor,
    tokens: readonly number[],
    layers: readonly number[],
    options?: GraphRunOptions,
  ): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** At least as many as there are from `<|startoftranscript|>` to the text. */
const keptPositions = 4;
const lastLogits = 'slashv1.last_logits';

/** Opens a graph on the device of the model. */
export type OpenGraph = (graph: Graph) => Promise<Session>;

/** Loads the graphs of a Whisper model: `encoder_model.onnx`, and a decoder that is merged or in two files. */
export async function loadWhisperModel(folder: WhisperFolder, open: OpenGraph): Promise<WhisperModel> {
  const sessions: Session[] = [];
  const load = async (graph: string, opening: Promise<Session>): Promise<Session> => {
    const session = keepAudioResident(await opening, folder, (bytes) => open({ graph, bytes }));
    sessions.push(session);
    return session;
  };
  try {
    const { decoder } = folder;
    const firstGraph = 'merged' in decoder ? decoder.merged : decoder.first;
    const encoder = await load(folder.encoder, open({ graph: folder.encoder }));
    const first = await load(firstGraph, loadDecoder(firstGraph, open));
    const next = 'merged' in decoder ? first : await load(decoder.next, open({ graph: decoder.next }));
    return createWhisperModel(folder, { encoder, first, next });
  } catch (error) {
    await Promise.all(sessions.map((session) => session.release()));
    throw error;
  }
}

/** Keeps the cross-attention inputs on the device: they are the same for all tokens of a window. */
function keepAudioResident(
  session: Session,
  folder: WhisperFolder,
  openBytes: (bytes: Uint8Array) => Promise<Session>,
): Session {
  if (!isBindable(session) || !holdsTensors(session.device)) return session;
  return keepFeedsResident(session, {
    recurs: (input) => input === 'encoder_hidden_states' || input.includes('.encoder.'),
    most: residentWindows * (2 * folder.decoderLayers + 1),
    createSession: async (bytes) => (await openBytes(bytes)) as BindableSession,
  });
}

/** Windows of which the device keeps what the decoder attends to; recordings take turns. */
const residentWindows = 2;

/** Adds an output with the logits of the last positions alone: those of a whole prompt are tens of megabytes. */
async function loadDecoder(graph: string, open: OpenGraph): Promise<Session> {
  const plain = await open({ graph });
  const logits = plain.outputs.find(({ name }) => name === 'logits');
  if (logits === undefined) return plain;
  const elementType = logits.type === 'float16' ? onnxElementType.float16 : onnxElementType.float32;
  const extended = extendGraph(await readFile(graph), {
    constants: {
      'slashv1.start': [-keptPositions],
      'slashv1.end': [2n ** 63n - 1n],
      'slashv1.axis': [1],
    },
    nodes: [
      {
        operator: 'Slice',
        inputs: ['logits', 'slashv1.start', 'slashv1.end', 'slashv1.axis'],
        output: lastLogits,
      },
    ],
    outputs: [{ name: lastLogits, elementType }],
  });
  await plain.release();
  return open({ graph, bytes: extended });
}

export interface WhisperSessions {
  readonly encoder: Session;
  /** Reads a prefix; the same as `next` where the graph is merged. */
  readonly first: Session;
  readonly next: Session;
}

/** @internal */
export function createWhisperModel(
  folder: WhisperFolder,
  { encoder, first, next }: WhisperSessions,
): WhisperModel {
  const { melBins, windowFrames, vocabularySize } = folder;
  assertEncoder(encoder);
  const layout = createCacheLayout(folder, first, next);
  const firstLogits = findLogits(first);
  const nextLogits = findLogits(next);
  const hidden = encoder.outputs[0]!.name;
  const layers = Array.from({ length: folder.decoderLayers }, (_, layer) => layer);

  const toState = (cache: DecoderCache, logits: Tensor): DecoderState => {
    const values = toFloat32(logits);
    const size = logits.dims.at(-1)!;
    const logitsBefore = (positions: number): Float32Array => {
      const start = values.length - (positions + 1) * size;
      return values.subarray(start, start + vocabularySize);
    };
    return { cache, logits: logitsBefore(0), logitsBefore };
  };

  return {
    alignmentLayers: layers.filter((layer) => hasOutput(first, attentionName(layer))),
    async encode(data, options) {
      const dims = [1, melBins, windowFrames];
      const outputs = await encoder.run(
        { input_features: { type: 'float32', dims, data } },
        [hidden],
        options,
      );
      return outputs[hidden]!;
    },
    async start(window, tokens, options) {
      const wanted = [firstLogits, ...layout.firstOutputs];
      const outputs = await first.run(layout.firstFeeds(window, tokens), wanted, options);
      return toState(layout.begin(window, tokens.length, outputs), outputs[firstLogits]!);
    },
    async step({ cache }, token, options) {
      const wanted = [nextLogits, ...layout.nextOutputs];
      const outputs = await next.run(layout.nextFeeds(cache, token), wanted, { ...options, isShort: true });
      return toState(layout.advance(cache, outputs), outputs[nextLogits]!);
    },
    async attend(window, tokens, chosen, options) {
      const names = chosen.map(attentionName);
      const outputs = await first.run(layout.firstFeeds(window, tokens), names, options);
      return names.map((name) => toFloat32(outputs[name]!));
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
    throw notWhisper(`expected an encoder with the input input_features float32, got ${got}`);
  }
}

function findLogits(session: Session): string {
  const name = [lastLogits, 'logits'].find((candidate) => hasOutput(session, candidate));
  if (name !== undefined) return name;
  throw notWhisper('the decoder has no output logits');
}

function attentionName(layer: number): string {
  return `cross_attentions.${layer}`;
}

function hasOutput({ outputs }: Session, wanted: string): boolean {
  return outputs.some(({ name }) => name === wanted);
}

function notWhisper(reason: string): InferenceError {
  return fieldError('source', `the graphs are not a Whisper model: ${reason}`);
}
