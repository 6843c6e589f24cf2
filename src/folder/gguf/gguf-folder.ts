import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  type GgufMetadata,
  type GgufValue,
  readGgufMetadata,
  type ReadGgufOptions,
} from '../../core/gguf/read-metadata.ts';
import { orThrow } from '../../errors.ts';
import { sourceError } from '../model-files.ts';
import type { ModelFolder } from '../../contracts/text-model.ts';
import { readChangeTime } from '../model-folder.ts';
import { explainPath } from '../explain-files.ts';

/** A GGUF file as a text model: the small files of Hugging Face's layout, derived from its metadata. */
export interface GgufFolder extends ModelFolder {
  /** Whether `tokenizer` is the file's own definition; otherwise it is empty. */
  readonly hasTokenizer: boolean;
}

const templateKey = 'tokenizer.chat_template';
const specialTokens = {
  bos_token: 'bos',
  eos_token: 'eos',
  unk_token: 'unknown',
  pad_token: 'padding',
  sep_token: 'seperator',
  cls_token: 'cls',
  mask_token: 'mask',
};

/**
 * Derives the small files of Hugging Face's layout from the metadata of a GGUF file.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function openGgufFolder(
  path: string,
  metadata: GgufMetadata,
  endTokens: readonly number[],
): Promise<GgufFolder> {
  const tokens = (metadata.get('tokenizer.ggml.tokens') ?? []) as readonly string[];
  const tokenizerConfig: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(specialTokens)) {
    const id = metadata.get(`tokenizer.ggml.${key}_token_id`);
    if (typeof id === 'number' && tokens[id] !== undefined) tokenizerConfig[name] = tokens[id];
  }
  const definition = metadata.get('tokenizer.huggingface.json');
  return {
    path,
    config: {
      model_type: architectureOf(metadata),
      max_position_embeddings: ofArchitecture(metadata, 'context_length'),
      vocab_size: tokens.length,
      eos_token_id: endTokens,
    },
    generationConfig: {},
    tokenizer: definition === undefined ? {} : parseTokenizer(definition),
    hasTokenizer: definition !== undefined,
    tokenizerConfig,
    chatTemplate: readTemplates(metadata),
    created: await readChangeTime(path),
  };
}

/** `general.architecture` */
function architectureOf(metadata: GgufMetadata): string {
  return String(metadata.get('general.architecture') ?? '');
}

/** A value of the model's architecture, such as `context_length`. */
function ofArchitecture(metadata: GgufMetadata, key: string): GgufValue | undefined {
  return metadata.get(`${architectureOf(metadata)}.${key}`);
}

function parseTokenizer(definition: GgufValue): ModelFolder['tokenizer'] {
  return orThrow(
    () => JSON.parse(String(definition)) as ModelFolder['tokenizer'],
    (error) => sourceError("the file's tokenizer.huggingface.json is not JSON", error),
  );
}

function readTemplates(metadata: GgufMetadata): ModelFolder['chatTemplate'] {
  const usual = metadata.get(templateKey);
  const named = [...metadata].filter(([key]) => key.startsWith(`${templateKey}.`));
  if (named.length === 0) return usual === undefined ? undefined : String(usual);
  return {
    ...(usual === undefined ? {} : { default: String(usual) }),
    ...Object.fromEntries(named.map(([key, text]) => [key.slice(templateKey.length + 1), String(text)])),
  };
}

/** Metadata before this key describes the model. */
export const firstTokenizerKey = 'tokenizer.';

/** `enum llama_pooling_type` of llama.cpp: rankers return a score, the rest a vector. */
const rankPooling = 4;
const encoders = /^(?:.*bert.*|t5encoder|gemma-embedding|llama-embed)$/;
/** Parts of models, which can't be used on their own. */
const parts: Readonly<Record<string, string>> = {
  clip: 'the part of a model that sees pictures',
  adapter: 'an adapter (LoRA)',
  mmproj: 'the part of a model that sees pictures',
  imatrix: 'a table for quantization',
};

export function categoryOfGguf(metadata: GgufMetadata): string {
  const architecture = architectureOf(metadata);
  const other = parts[String(metadata.get('general.type') ?? '')] ?? parts[architecture];
  if (other !== undefined) throw sourceError(`the file is ${other}, not a model`);
  if (architecture === '') throw sourceError('the file says no general.architecture');
  const pooling = Number(ofArchitecture(metadata, 'pooling_type') ?? 0);
  if (pooling === rankPooling) return 'rerank';
  return pooling > 0 || encoders.test(architecture) ? 'embedding' : 'chat';
}

const firstBytes = 2 ** 16;
/** Metadata with a tokenizer of a million tokens takes less than 100 MB. */
const maxMetadataBytes = 2 ** 28;

/** Reads the metadata of a GGUF file, and no more of the file than necessary. */
export function readGgufFile(path: string, options?: ReadGgufOptions): GgufMetadata {
  if (!existsSync(path)) throw sourceError(explainPath(path)!);
  const file = openSync(path, 'r');
  try {
    const { size: fileSize } = fstatSync(file);
    const size = Math.min(fileSize, maxMetadataBytes);
    for (let length = firstBytes; ; length *= 4) {
      const bytes = new Uint8Array(Math.min(length, size));
      readSync(file, bytes, 0, bytes.length, 0);
      const metadata = readGgufMetadata(bytes, options);
      if (metadata) return metadata;
      if (length < size) continue;
      throw new RangeError(
        size < fileSize
          ? `its metadata takes more than ${maxMetadataBytes} bytes`
          : 'the file ends within its metadata',
      );
    }
  } catch (error) {
    throw sourceError(`the file can't be read as GGUF: ${(error as Error).message}`, error);
  } finally {
    closeSync(file);
  }
}
