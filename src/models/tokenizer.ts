import { Tokenizer } from '@huggingface/tokenizers';
import type { ModelFolder } from './model-folder.ts';

/** Text to token ids and back. */
export interface TextTokenizer {
  /** Highest id + 1. */
  readonly vocabularySize: number;
  /** Without adding special tokens; those spelled out in the text become their ids. */
  encode(text: string): number[];
  /** The special tokens that the model expects around a text, such as `[CLS]` and `[SEP]`. */
  readonly frame: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** Special tokens included as text. */
  decode(ids: readonly number[]): string;
  tokenToId(token: string): number | undefined;
  /** True for control tokens such as `<|im_end|>`, which are no part of an answer. */
  isSpecial(id: number): boolean;
  /** UTF-8 bytes that one token stands for; part of a character is possible. */
  bytesOf(id: number): Uint8Array;
}

/** Makes a tokenizer of a model's `tokenizer.json`. */
export function createTextTokenizer({ tokenizer: definition, tokenizerConfig }: ModelFolder): TextTokenizer {
  const tokenizer = new Tokenizer(definition, { ...tokenizerConfig, clean_up_tokenization_spaces: false });
  const added = tokenizer.get_added_tokens_decoder();
  let vocabularySize = 0;
  for (const id of tokenizer.get_vocab(true).values()) vocabularySize = Math.max(vocabularySize, id + 1);
  const byteLevel = JSON.stringify(definition['decoder'] ?? null).includes('"ByteLevel"');
  return {
    vocabularySize,
    frame: readFrame(tokenizer),
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    decode: (ids) => tokenizer.decode(ids as number[], { skip_special_tokens: false }),
    tokenToId: (token) => tokenizer.token_to_id(token),
    isSpecial: (id) => added.get(id)?.special ?? false,
    bytesOf(id) {
      const token = tokenizer.id_to_token(id);
      if (token === undefined) return new Uint8Array();
      if (added.has(id)) return utf8.encode(token);
      if (byteLevel) return Uint8Array.from([...token], (character) => byteOfCharacter.get(character) ?? 63);
      const byte = /^<0x([0-9A-F]{2})>$/.exec(token);
      return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : utf8.encode(token.replaceAll('▁', ' '));
    },
  };
}

function readFrame(tokenizer: Tokenizer): TextTokenizer['frame'] {
  const bare: number[] = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const framed: number[] = tokenizer.encode('a', { add_special_tokens: true }).ids;
  const start = framed.findIndex((_, index) => bare.every((id, at) => framed[index + at] === id));
  if (start === -1) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + bare.length) };
}

const utf8 = new TextEncoder();

/** The printable stand-ins that byte-level vocabularies use for the 256 bytes (GPT-2's table). */
const byteOfCharacter = createByteTable();

function createByteTable(): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    table.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
  return table;
}
