import { runSteps } from '../run-steps.ts';
import { readAddedTokens, type AddedToken } from './added-tokens.ts';
import { readDecoder } from './read-decoder.ts';
import { readMembers } from './definition.ts';
import { createEncodingBuilder } from './encoding-builder.ts';
import { concatenateEncodings, type Encoding, type PartialEncoding } from './encoding.ts';
import { createTokenFinder } from './find-tokens.ts';
import { readModel } from './models/read-model.ts';
import { keptCapacity, createTokenBuffer, type TokenBuffer } from './token-buffer.ts';
import { normalizeText } from './normalizers/normalizer.ts';
import { readNormalizer } from './normalizers/read-normalizer.ts';
import { createPairEncoder, placeholders, readTemplate, type PairEncoder } from './pair-encoder.ts';
import { padEncoding, readPadding, type Padding } from './padding.ts';
import { readPostProcessor, type PostProcessor } from './post-processors/read-post-processor.ts';
import { needsSource } from './pre-tokenizers/metaspace.ts';
import { readPreTokenizer } from './pre-tokenizers/read-pre-tokenizer.ts';
import { readTokenRoles, type TokenRoles } from './token-roles.ts';
import { readTruncation, truncateEncodings, type Truncation } from './truncation.ts';

/** Options of `encode`. */
export interface EncodeOptions {
  /** Adds the model's special tokens around the text, such as `[CLS]` and `[SEP]`; default true. */
  readonly addSpecialTokens?: boolean | undefined;
  /** Treats special tokens that appear in the text as plain text; default false. */
  readonly specialAsText?: boolean | undefined;
  /** A second text, for models of text pairs. */
  readonly pair?: string | undefined;
  /** Default: from the tokenizer's definition; false disables it. */
  readonly truncation?: Truncation | false | undefined;
  /** Default: from the tokenizer's definition; false disables it. */
  readonly padding?: Padding | false | undefined;
}

/** Options of `countTokens`. */
export interface CountOptions {
  /** Also counts the special tokens around the text; default true. */
  readonly addSpecialTokens?: boolean | undefined;
  /** Treats special tokens that appear in the text as plain text; default false. */
  readonly specialAsText?: boolean | undefined;
}

/** Options of `decode`. */
export interface DecodeOptions {
  /** Drops special tokens; default false. */
  readonly skipSpecialTokens?: boolean | undefined;
}

/** Special tokens before and after a text. */
export interface Frame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * Converts text to tokens and back like the Rust library `tokenizers`. Lone surrogates are read as U+FFFD. All methods
 * are synchronous.
 */
export interface Tokenizer {
  /** Highest id + 1. */
  readonly vocabularySize: number;
  /** Tokens outside the model, including special tokens. */
  readonly addedTokens: readonly AddedToken[];
  /** Roles of special tokens, from the `tokenizer_config.json`. */
  readonly roles: TokenRoles;
  /** The ids that `addSpecialTokens` adds around one text; `undefined` if the template is more complex. */
  readonly frame: Frame | undefined;
  encode(text: string, options?: EncodeOptions): Encoding;
  /** The ids of `encode`, faster. */
  toIds(text: string, options?: EncodeOptions): Uint32Array;
  /** The ids of a text without special tokens, truncation and padding, in steps of bounded cost. */
  toIdSteps(text: string): Generator<void, Uint32Array>;
  /**
   * Encodes one text with many second texts, like `encode(text, { pair, truncation: { strategy: 'only_second', … } })`,
   * faster.
   *
   * @throws RangeError if the post-processor doesn't support pairs
   */
  pairWith(text: string): PairEncoder;
  /** Number of tokens of a text, without truncation. */
  countTokens(text: string, options?: CountOptions): number;
  /** The text of tokens. Unknown ids are skipped. */
  decode(ids: Iterable<number>, options?: DecodeOptions): string;
  tokenToId(token: string): number | undefined;
  idToToken(id: number): string | undefined;
}

/**
 * Creates a tokenizer from a model's `tokenizer.json`. It supports every model type (BPE, WordPiece, Unigram,
 * WordLevel) and all normalizers, pre-tokenizers, post-processors and decoders of the Rust library `tokenizers` 0.23.
 *
 * @param definition the parsed `tokenizer.json`; not kept
 * @param config the parsed `tokenizer_config.json`, which defines the roles of tokens
 * @throws TypeError or RangeError that names the invalid member, also for dropout and for regular expressions without
 * an equivalent in JavaScript
 * @see https://huggingface.co/docs/tokenizers/components
 *
 * @example
 * ```ts
 * const model = { type: 'WordLevel', vocab: { '?': 0, hello: 1, world: 2 }, unk_token: '?' };
 * const tokenizer = createTokenizer({ model, pre_tokenizer: { type: 'Whitespace' } });
 * tokenizer.encode('hello, world').ids; // [1, 0, 2]
 * tokenizer.decode([1, 2]); // 'hello world'
 * ```
 */
export function createTokenizer(definition: unknown, config?: unknown): Tokenizer {
  const { model, postProcessor, decoder, addedTokens, find, ...defaults } = readParts(definition);
  const { vocabulary } = model;
  const addedById = new Map(addedTokens.map((token) => [token.id, token]));
  const idOfAdded = new Map(addedTokens.map((token) => [token.content, token.id]));
  const specialTexts = new Set(addedTokens.filter(({ special }) => special).map(({ content }) => content));
  const vocabularySize = addedTokens.reduce((size, { id }) => Math.max(size, id + 1), vocabulary.idLimit);
  /** For all texts except long ones. */
  const buffer = createTokenBuffer();

  const idToToken = (id: number): string | undefined => addedById.get(id)?.pattern ?? vocabulary.textOf(id);

  function tokenToId(token: string): number | undefined {
    const id = idOfAdded.get(token) ?? vocabulary.findText(token);
    return id === -1 ? undefined : id;
  }

  /** The tokens of a text without special tokens. Valid until the next call. */
  function findTokens(text: string, specialAsText: boolean): TokenBuffer {
    if (typeof text !== 'string') throw new TypeError(`text: expected a string, got ${typeof text}`);
    const tokens = text.length > keptCapacity ? createTokenBuffer(text.length >> 2) : buffer;
    tokens.count = 0;
    runSteps(find(tokens, text, { specialAsText }));
    return tokens;
  }

  function encodeText(text: string, typeId: number, specialAsText: boolean): PartialEncoding {
    if (typeof text !== 'string') throw new TypeError(`text: expected a string, got ${typeof text}`);
    const tokens = createTokenBuffer();
    const builder = createEncodingBuilder(tokens, { typeId, textOf: vocabulary.textOf });
    runSteps(find(tokens, text, { specialAsText, builder }));
    return { ...builder.finish(), source: text };
  }

  function encode(text: string, options: EncodeOptions = {}): Encoding {
    const { addSpecialTokens = true, specialAsText = false, pair } = options;
    const truncation = options.truncation ?? defaults.truncation;
    const padding = options.padding ?? defaults.padding;
    let encodings = [encodeText(text, 0, specialAsText)];
    if (pair !== undefined) encodings.push(encodeText(pair, 1, specialAsText));
    const added = addSpecialTokens ? (postProcessor?.addedTokens(encodings.length) ?? 0) : 0;
    if (truncation) encodings = truncateEncodings(encodings, truncation, added);
    const processed = postProcessor?.process(encodings, { addSpecialTokens }) ?? encodings;
    const encoding = concatenateEncodings(processed);
    return padding ? padEncoding(encoding, padding) : encoding;
  }

  const frame = readFrame(postProcessor);

  function toIds(text: string, options: EncodeOptions = {}): Uint32Array {
    const { addSpecialTokens = true, specialAsText = false, pair } = options;
    const isPlain =
      pair === undefined &&
      !(options.truncation ?? defaults.truncation) &&
      !(options.padding ?? defaults.padding);
    const around = addSpecialTokens ? frame : noFrame;
    if (!isPlain || !around) return encode(text, options).ids;
    const { ids, count } = findTokens(text, specialAsText);
    const framed = new Uint32Array(around.before.length + count + around.after.length);
    framed.set(around.before);
    framed.set(ids.subarray(0, count), around.before.length);
    framed.set(around.after, around.before.length + count);
    return framed;
  }

  function* toIdSteps(text: string): Generator<void, Uint32Array> {
    // Not the shared buffer: a different text may be encoded between two steps.
    const tokens = createTokenBuffer(Math.max(16, text.length >> 2));
    yield* find(tokens, text, { specialAsText: false });
    return Uint32Array.from(tokens.ids.subarray(0, tokens.count));
  }

  let pairTemplate: Encoding | undefined;

  function pairWith(text: string): PairEncoder {
    pairTemplate ??= readTemplate(postProcessor, 2);
    if (!pairTemplate)
      throw new RangeError('post_processor: expected a template that has each of two texts once');
    const plain = { addSpecialTokens: false, truncation: false, padding: false } as const;
    return createPairEncoder(pairTemplate, text, (one) => toIds(one, plain));
  }

  function decode(ids: Iterable<number>, { skipSpecialTokens = false }: DecodeOptions = {}): string {
    const tokens: string[] = [];
    for (const id of ids) {
      const token = idToToken(id);
      if (token !== undefined && !(skipSpecialTokens && specialTexts.has(token))) tokens.push(token);
    }
    if (!decoder) return tokens.join(' ');
    return tokens.length === 0 ? '' : decoder(tokens).join('');
  }

  return {
    vocabularySize,
    addedTokens,
    frame,
    roles:
      config === undefined || config === null ? {} : readTokenRoles('tokenizerConfig', config, tokenToId),
    encode,
    toIds,
    toIdSteps,
    pairWith,
    countTokens(text, { addSpecialTokens = true, specialAsText = false } = {}) {
      return (
        findTokens(text, specialAsText).count + (addSpecialTokens ? (postProcessor?.addedTokens(1) ?? 0) : 0)
      );
    },
    decode,
    tokenToId,
    idToToken,
  };
}

/** Reads the parts of a definition. A separate function, because closures of the tokenizer would keep the definition alive. */
function readParts(definition: unknown) {
  const members = readMembers('tokenizer', definition);
  const read = <Part>(name: string, reader: (label: string, value: unknown) => Part): Part | undefined =>
    members[name] === undefined || members[name] === null
      ? undefined
      : reader(`tokenizer.${name}`, members[name]);
  const model = readModel('tokenizer.model', members['model']);
  const normalize = read('normalizer', readNormalizer);
  const preTokenize = read('pre_tokenizer', readPreTokenizer);
  const addedTokens = readAddedTokens('tokenizer.added_tokens', members['added_tokens'], {
    model,
    normalize: (text) => (normalize ? normalizeText(normalize, text) : text),
  });
  const find = createTokenFinder({
    addedTokens,
    normalize,
    preTokenize,
    preTokenizerNeedsSource: needsSource(members['pre_tokenizer']),
    model,
  });
  return {
    model,
    postProcessor: read('post_processor', readPostProcessor),
    decoder: read('decoder', readDecoder),
    truncation: read('truncation', readTruncation),
    padding: read('padding', readPadding),
    addedTokens,
    find,
  };
}

const noFrame: Frame = { before: [], after: [] };

function readFrame(postProcessor: PostProcessor | undefined): Frame | undefined {
  const ids = Array.from(readTemplate(postProcessor, 1)?.ids ?? []);
  const at = ids.indexOf(placeholders[0]);
  return at === -1 ? undefined : { before: ids.slice(0, at), after: ids.slice(at + 1) };
}
