import type {
  Carried,
  ElementType,
  GraphRunOptions,
  ResidentTensor,
  Session,
  Tensor,
  TensorMap,
} from '../../../contracts/graph.ts';
import { filled, int64 } from '../../../runtime/tensors.ts';
import { bindGraph, type BoundGraph } from '../../../runtime/bound-graph.ts';
import { wrongGraph } from '../../../runtime/wrong-graph.ts';

export interface DecoderHeads {
  /** Key-value heads of one layer. */
  readonly decoderHeads: number;
  readonly headSize: number;
}

/** Text in progress; the runtime owns its memory until it is released. */
export interface DecoderText {
  /** Tokens of the prefix. */
  readonly length: number;
  /** Logits after the prefix, in the graph's output type. */
  readonly logits: Tensor;
  /** Reads one more token. @returns the logits after it, which the next step overwrites */
  step(token: number, options?: GraphRunOptions): Promise<Float32Array>;
  /** Returns to the end of the prefix. */
  rewind(): void;
  release(): void;
}

/** The encoder's output, on its device. */
export type EncodedAudio = ResidentTensor;

export interface BeginOptions extends GraphRunOptions {
  /** Feeds of optional inputs. */
  readonly others?: TensorMap;
}

export interface DecoderSessions {
  /** Reads a prefix; same as `next` if the graph is merged. */
  readonly first: Session;
  readonly next: Session;
  readonly others?: readonly string[];
}

const notADecoder = wrongGraph('the decoder of a recognizer');
const pastPrefix = 'past_key_values.';
const logits = 'logits';

/** Keys and values never enter JavaScript: the audio's are bound once per text, and a step's outputs are the next step's inputs. */
export class RecognitionDecoder {
  readonly #first: Session;
  readonly #next: Session;
  readonly #firstInputs: ReadonlyMap<string, ElementType>;
  readonly #nextInputs: ReadonlyMap<string, ElementType>;
  readonly #all: string[];
  readonly #growing: Carried[];
  /** A merged graph needs a value for each input, including the unused branch's. */
  readonly #nothing: TensorMap;

  constructor({ decoderHeads, headSize }: DecoderHeads, { first, next, others = [] }: DecoderSessions) {
    this.#first = first;
    this.#next = next;
    this.#firstInputs = knownInputs(first, others);
    this.#nextInputs = knownInputs(next, others);
    this.#all = pastInputs(next);
    if (this.#all.length === 0) throw notADecoder('no inputs past_key_values.*');
    this.#growing = this.#all
      .filter((name) => !name.includes('.encoder.'))
      .map((name): Carried => [name, toPresent(name)]);
    for (const name of this.#all) assertOutput(first, toPresent(name));
    for (const [, name] of this.#growing) assertOutput(next, name);
    for (const session of [first, next]) assertOutput(session, logits);
    this.#nothing = Object.fromEntries(
      pastInputs(first).map((name) => [
        name,
        filled(this.#firstInputs.get(name)!, [1, decoderHeads, 0, headSize]),
      ]),
    );
  }

  async begin(
    audio: ResidentTensor,
    tokens: readonly number[],
    { others: other, ...options }: BeginOptions = {},
  ): Promise<DecoderText> {
    const graph = this.#readFirst(audio, tokens, other);
    try {
      const presents = this.#all.map(toPresent);
      graph.keep(presents);
      graph.fetch(logits);
      await graph.run(options);
      const read = graph.read(logits);
      const past = new Map(graph.take(presents).map((tensor, index) => [this.#all[index]!, tensor]));
      return this.#createText({ past, logits: read, start: tokens.length, audio, other });
    } finally {
      graph.release();
    }
  }

  /** Reads tokens for outputs other than logits. */
  async read(
    audio: ResidentTensor,
    tokens: readonly number[],
    outputs: readonly string[],
    options: GraphRunOptions | undefined,
  ): Promise<Tensor[]> {
    const graph = this.#readFirst(audio, tokens);
    try {
      for (const name of outputs) graph.fetch(name);
      await graph.run(options);
      return outputs.map((name) => graph.read(name));
    } finally {
      graph.release();
    }
  }

  #readFirst(audio: EncodedAudio, tokens: readonly number[], other?: TensorMap): BoundGraph {
    const graph = bindGraph(this.#first);
    graph.feedAll({ ...this.#nothing, ...feedsOf(this.#firstInputs, { audio, tokens, start: 0 }), ...other });
    return graph;
  }

  #createText({ past, logits: afterPrefix, start, audio, other }: Prefix): DecoderText {
    const graph = bindGraph(this.#next);
    const feeds = feedsOf(this.#nextInputs, { audio, tokens: [0], start });
    graph.feedAll({ ...Object.fromEntries(past), ...feeds, ...other });
    graph.keep(this.#growing.map(([, output]) => output));
    graph.fetch(logits, [1, 1]);
    const token = feeds['input_ids']!.data as BigInt64Array;
    const places = [feeds['position_ids'], feeds['cache_position']].map(
      (tensor) => tensor?.data as BigInt64Array | undefined,
    );
    const growing = this.#growing;
    let position = start;
    let isAhead = false;
    return {
      length: start,
      logits: afterPrefix,
      async step(id, options) {
        if (isAhead) graph.carry(growing);
        isAhead = false;
        token[0] = BigInt(id);
        for (const place of places) if (place) place[0] = BigInt(position);
        await graph.run({ ...options, isShort: true });
        isAhead = true;
        position++;
        return graph.readNumbers(logits);
      },
      rewind() {
        if (position > start) for (const [input] of growing) graph.feed(input, past.get(input)!);
        position = start;
        isAhead = false;
      },
      release() {
        graph.release();
        for (const tensor of past.values()) tensor.release();
      },
    };
  }
}

interface Prefix {
  readonly past: ReadonlyMap<string, ResidentTensor>;
  readonly logits: Tensor;
  /** Tokens of the prefix. */
  readonly start: number;
  readonly audio: EncodedAudio;
  readonly other: TensorMap | undefined;
}

interface Step {
  readonly audio: EncodedAudio;
  readonly tokens: readonly number[];
  /** Position of the first token. */
  readonly start: number;
}

const positionsOf = ({ tokens, start }: Step): number[] => tokens.map((_, index) => start + index);

/** Input → its feed. */
const plainInputs: Readonly<Record<string, (step: Step) => Tensor | ResidentTensor>> = {
  input_ids: ({ tokens }) => int64([1, tokens.length], tokens),
  encoder_hidden_states: ({ audio }) => audio,
  position_ids: (step) => int64([1, step.tokens.length], positionsOf(step)),
  cache_position: (step) => int64([step.tokens.length], positionsOf(step)),
  use_cache_branch: ({ start }) => ({ type: 'bool', dims: [1], data: Uint8Array.of(start > 0 ? 1 : 0) }),
};

function feedsOf(
  inputs: ReadonlyMap<string, ElementType>,
  step: Step,
): Record<string, Tensor | ResidentTensor> {
  const known = Object.entries(plainInputs).filter(([name]) => inputs.has(name));
  return Object.fromEntries(known.map(([name, feed]) => [name, feed(step)]));
}

function knownInputs({ inputs }: Session, others: readonly string[]): ReadonlyMap<string, ElementType> {
  const unknown = inputs.find(
    ({ name }) => !Object.hasOwn(plainInputs, name) && !name.startsWith(pastPrefix) && !others.includes(name),
  );
  if (unknown) throw notADecoder(`unknown input ${unknown.name}`);
  return new Map(inputs.map(({ name, type }) => [name, type]));
}

function pastInputs({ inputs }: Session): string[] {
  return inputs.map(({ name }) => name).filter((name) => name.startsWith(pastPrefix));
}

function toPresent(past: string): string {
  return past.replace(pastPrefix, 'present.');
}

function assertOutput({ outputs }: Session, wanted: string): void {
  if (!outputs.some(({ name }) => name === wanted)) throw notADecoder(`no output ${wanted}`);
}
