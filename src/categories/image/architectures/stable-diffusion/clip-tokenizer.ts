import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../../../folder/model-folder.ts';
import { createTextTokenizer, tokenText } from '../../../../folder/tokenizer.ts';
import { sourceError } from '../../../../folder/model-files.ts';

type Json = Readonly<Record<string, unknown>>;

export type ClipTokenizer = Awaited<ReturnType<typeof readClipTokenizer>>;

const defaultWindowLength = 77;

export async function readClipTokenizer(path: string) {
  const tokenizerConfig = await readJson(path, 'tokenizer_config.json', {});
  const specialTokens = await readJson(path, 'special_tokens_map.json', {});
  const definition = existsSync(join(path, 'tokenizer.json'))
    ? await readJson(path, 'tokenizer.json')
    : await readVocabulary(path);
  const tokenizer = createTextTokenizer({ tokenizer: definition, tokenizerConfig });
  const idOf = (name: string, byDefault: string): number => {
    const token = tokenText(tokenizerConfig[name]) ?? tokenText(specialTokens[name]) ?? byDefault;
    const id = tokenizer.tokenToId(token);
    if (id !== undefined) return id;
    throw sourceError(`the ${name} ${token} is not in the vocabulary of ${path}`);
  };
  const windowLength = Number(tokenizerConfig['model_max_length'] ?? defaultWindowLength);
  return {
    /** Without special tokens. */
    encode: (text: string) => tokenizer.encode(text),
    startId: idOf('bos_token', startToken),
    endId: idOf('eos_token', endToken),
    padId: idOf('pad_token', endToken),
    /** Tokens per run of the text encoder, start and end token included. Some files express "no limit" as a very large number. */
    windowLength: windowLength <= 1024 ? windowLength : defaultWindowLength,
  };
}

const startToken = '<|startoftext|>';
const endToken = '<|endoftext|>';

/** The `tokenizer.json` of a CLIP vocabulary. Radford et al. 2021: lower-case byte pairs with an end-of-word mark. */
async function readVocabulary(path: string): Promise<Json> {
  const vocab = await readJson(path, 'vocab.json');
  const merges = await readMerges(path);
  const special = [startToken, endToken].filter((token) => token in vocab);
  return {
    added_tokens: special.map((content) => ({
      id: vocab[content],
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFC' },
        { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
        { type: 'Lowercase' },
      ],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        {
          type: 'Split',
          pattern: { Regex: String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+` },
          behavior: 'Removed',
          invert: true,
        },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      unk_token: endToken,
      continuing_subword_prefix: '',
      end_of_word_suffix: '</w>',
      fuse_unk: false,
      vocab,
      merges,
    },
  };
}

async function readMerges(path: string): Promise<string[]> {
  const text = await readFile(join(path, 'merges.txt'), 'utf8').catch((error: unknown) => {
    throw sourceError(`expected tokenizer.json or merges.txt in ${path}`, error);
  });
  return text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#version'));
}
