// The vocabulary of GPT-4 as a tokenizer.json, from the data that the package gpt-tokenizer has with it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pattern = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Tokens are strings of one character for each byte here. */
export function readCl100k() {
  const path = fileURLToPath(import.meta.resolve('gpt-tokenizer/data/cl100k_base.tiktoken'));
  /** @type {Map<string, number>} */
  const ranks = new Map();
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const [token = '', rank] = line.split(' ');
    ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(rank));
  }
  const merges = [...ranks]
    .filter(([token]) => token.length > 1)
    .map(([token, rank]) => halves(token, rank, ranks));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    model: {
      type: 'BPE',
      ignore_merges: true,
      vocab: Object.fromEntries(Array.from(ranks, ([token, rank]) => [spell(token), rank])),
      merges: merges.map(([left, right]) => [spell(left), spell(right)]),
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
  };
}

/**
 * The two tokens that a token is merged from, which the file doesn't say: all merges of lower rank come before.
 *
 * @param {string} token
 * @param {number} rank
 * @param {ReadonlyMap<string, number>} ranks
 * @returns {[string, string]}
 */
function halves(token, rank, ranks) {
  const parts = [...token];
  while (parts.length > 2) {
    let best = -1;
    let lowest = rank;
    for (let at = 0; at + 1 < parts.length; at++) {
      const found = ranks.get(`${parts[at]}${parts[at + 1]}`) ?? Infinity;
      if (found < lowest) [best, lowest] = [at, found];
    }
    if (best === -1) throw new Error(`token ${rank} is not made of two others`);
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
  }
  return [parts[0] ?? '', parts[1] ?? ''];
}

/** As byte-level vocabularies write bytes: printable characters for themselves, others as U+0100 and up. */
const characters = (() => {
  let next = 0x1_00;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode((byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad) ? byte : next++),
  );
})();

/** @param {string} bytes */
function spell(bytes) {
  return Array.from(bytes, (byte) => characters[byte.charCodeAt(0)]).join('');
}
