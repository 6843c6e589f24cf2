// Compares tokens, places, words and decoded texts with what the Rust library found; and what lone surrogates give with what
// U+FFFD does.
// Usage: node benchmarks/tokenization-differential.js FOLDER [module], FOLDER as written by
// test/core/tokenization/reference/differential.py
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

const folder = process.argv[2] ?? '.';
const entry = process.argv[3] ?? new URL('../dist/src/entries/tokenization.js', import.meta.url).pathname;
const { createTokenizer } = await import(pathToFileURL(entry).href);

/** @type {string[]} */
const texts = JSON.parse(readFileSync(`${folder}/texts.json`, 'utf8'));
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/**
 * Halves of surrogate pairs instead of U+FFFD, first ones and second ones in turn, but no pairs.
 *
 * @param {string} text
 */
function withLoneSurrogates(text) {
  return text.replaceAll('\uFFFD', (_, at) =>
    at % 2 === 0 || text[at - 1] === '\uFFFD' ? '\uD83D' : '\uDE00',
  );
}

/** @param {ArrayLike<number>} ids @param {ArrayLike<number>} others */
function isSame(ids, others) {
  if (ids.length !== others.length) return false;
  for (let at = 0; at < ids.length; at++) if (ids[at] !== others[at]) return false;
  return true;
}

/** Python counts characters, JavaScript code units. @param {string} text */
function characterIndexes(text) {
  const indexes = new Int32Array(text.length + 1);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    indexes[at] = count;
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || at + 1 === text.length) count++;
  }
  indexes[text.length] = count;
  return indexes;
}

/** @param {string} text */
const checksum = (text) => crc32(Buffer.from(text)) | 0;

let failed = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.bin'))) {
  const name = file.slice(0, -4);
  const tokenizer = createTokenizer(JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')));
  const data = readFileSync(`${folder}/${file}`);
  const expected = new Int32Array(data.buffer, data.byteOffset, data.length / 4);
  const wrong = { ids: 0, toIds: 0, offsets: 0, tokens: 0, decoded: 0, words: 0, surrogates: 0 };
  let broken = 0;
  /** @type {string[]} */
  const examples = [];
  let at = 0;
  let tokens = 0;
  const start = performance.now();
  for (const [index, text] of texts.entries()) {
    const count = expected[at++] ?? 0;
    const ids = expected.subarray(at, at + count);
    const offsets = expected.subarray(at + count, at + 3 * count);
    const [tokensSum, decodedSum, wordsSum] = expected.subarray(at + 3 * count, at + 3 * count + 3);
    at += 3 * count + 3;
    tokens += count;
    const encoding = tokenizer.encode(text);
    /** @param {keyof typeof wrong} what @param {boolean} same */
    const check = (what, same) => {
      if (same) return;
      wrong[what]++;
      if (examples.length < 3)
        examples.push(`${what} of text ${index}: ${JSON.stringify(text.slice(0, 300))}`);
    };
    const sameIds = isSame(encoding.ids, ids);
    check('ids', sameIds);
    check('toIds', isSame(tokenizer.toIds(text), ids));
    if (text.includes('\uFFFD')) {
      broken++;
      const lone = tokenizer.encode(withLoneSurrogates(text));
      check('surrogates', isSame(lone.ids, ids) && isSame(lone.offsets, encoding.offsets));
    }
    if (sameIds) {
      const indexes = characterIndexes(text);
      check(
        'offsets',
        encoding.offsets.every(
          (/** @type {number} */ offset, /** @type {number} */ place) => indexes[offset] === offsets[place],
        ),
      );
      check('tokens', checksum(encoding.tokens.join('\0')) === tokensSum);
      check('words', checksum(encoding.wordIds.join(',')) === wordsSum);
      check(
        'decoded',
        checksum(tokenizer.decode(ids, { skipSpecialTokens: index % 2 === 0 })) === decodedSum,
      );
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const differences = Object.entries(wrong).filter(([, number]) => number > 0);
  failed += differences.length;
  console.log(
    `${name}: ${texts.length} texts (${broken} with lone surrogates), ${(bytes / 1e6).toFixed(1)} MB, ` +
      `${tokens} tokens, ${seconds.toFixed(1)} s: ` +
      (differences.length === 0
        ? 'identical'
        : differences.map(([what, number]) => `${what} ${number}`).join(', ')),
  );
  for (const example of examples) console.log(`  ${example}`);
}
process.exitCode = failed > 0 ? 1 : 0;
