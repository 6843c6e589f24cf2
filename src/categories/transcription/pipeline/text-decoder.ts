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

/** Sizes of a decoder's keys and values. */
export interface DecoderHeads {
  /** Heads of one layer that have keys and values. */
  readonly decoderHeads: number;
  readonly headSize: number;
}

/** A text that a decoder writes; its memory is the runtime's until it is released. */
export interface DecoderText {
  /** Tokens of the prefix. */
  readonly length: number;
  /** Logits after the prefix, as the graph put them out. */
  readonly logits: Tensor;
  /** Reads one more token. @returns the logits after it, which the next step overwrites */
  step(token: number, options?: GraphRunOptions): Promise<Float32Array>;
  /** Goes back to the end of the prefix. */
  rewind(): void;
  release(): void;
}

/** Audio as the encoder left it, where the graphs compute. */
export type EncodedAudio = ResidentTensor;

/** The decoder of a model that writes down what it hears. */
export interface TextDecoder {
  begin(audio: EncodedAudio, tokens: readonly number[], options?: BeginOptions): Promise<DecoderText>;
  /** Reads tokens for other outputs. */
  read(
    audio: EncodedAudio,
    tokens: readonly number[],
    outputs: readonly string[],
    options?: GraphRunOptions,
  ): Promise<Tensor[]>;
}

export interface BeginOptions extends GraphRunOptions {
  /** Feeds of inputs that not every decoder has. */
  readonly others?: TensorMap;
}

export interface DecoderSessions {
  /** Reads a prefix; the same as `next` where the graph is merged. */
  readonly first: Session;
  readonly next: Session;
  readonly others?: readonly string[];
}

const notADecoder = wrongGraph('the decoder of a recognizer');
const pastPrefix = 'past_key_values.';
const logits = 'logits';

/**
 * Reads from the graphs' inputs and outputs how a decoder hands on its keys and values. None of them comes into JavaScript: those of
 * the audio are bound once for a text, those that a step makes are what the next one is fed.
 */
export class RecognitionDecoder implements TextDecoder {
  readonly #first: Session;
  readonly #next: Session;
  readonly #firstInputs: ReadonlyMap<string, ElementType>;
  readonly #nextInputs: ReadonlyMap<string, ElementType>;
  readonly #all: string[];
  readonly #growing: Carried[];
  /** A merged graph wants something for each input, also of the branch that it doesn't take. */
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
  /** Tokens of it. */
  readonly start: number;
  readonly audio: EncodedAudio;
  readonly other: TensorMap | undefined;
}

interface Step {
  readonly audio: EncodedAudio;
  readonly tokens: readonly number[];
  /** Position of the first of the tokens. */
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
