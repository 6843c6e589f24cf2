import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { countJson } from '../core/text/bounded-json.ts';
import { describeValue } from '../core/text/quote.ts';
import { orThrow } from '../errors.ts';
import type { Dtype, Json } from '../contracts/files.ts';
import type { ModelFolder } from '../contracts/text-model.ts';
import { localFiles } from './graph-files.ts';
import { genaiConfigFile, toHubConfig } from './genai-config.ts';
import { decoderGraph, sourceError } from './model-files.ts';

const configFile = 'config.json';

/** Maximum nesting of a model's JSON: a tokenizer has a dozen levels. */
const maxLevels = 128;
const maxSize = 2 ** 31 - 1;
/** Numeric members of `config.json` that are sizes in every family. */
const sizes = [
  'd_model',
  'decoder_attention_heads',
  'decoder_layers',
  'encoder_attention_heads',
  'encoder_layers',
  'head_dim',
  'hidden_size',
  'intermediate_size',
  'max_position_embeddings',
  'n_embd',
  'n_head',
  'n_layer',
  'n_positions',
  'num_attention_heads',
  'num_hidden_layers',
  'num_key_value_heads',
  'vocab_size',
];

/** Reads the small files of a text model. */
export async function openModelFolder(path: string): Promise<ModelFolder> {
  // Sequentially, so that a folder without several files always causes the same error.
  const config = await readConfig(path);
  const tokenizer = await readJson(path, 'tokenizer.json');
  const generationConfig = await readJson(path, 'generation_config.json', {});
  const tokenizerConfig = await readJson(path, 'tokenizer_config.json', {});
  const template = join(path, 'chat_template.jinja');
  const ownTemplate = existsSync(template) ? await readFile(template, 'utf8') : undefined;
  return {
    path,
    config,
    generationConfig,
    tokenizer,
    tokenizerConfig,
    chatTemplate: toChatTemplate(ownTemplate, tokenizerConfig),
    created: await readChangeTime(
      join(path, existsSync(join(path, configFile)) ? configFile : genaiConfigFile),
    ),
  };
}

/** Finds the graph of a decoder: `onnx/model.onnx`, the older merged export, or a graph next to the config. */
export function locateDecoder(folder: string, dtype?: Dtype): string {
  return join(folder, decoderGraph(localFiles(folder), dtype));
}

/** Unix time in seconds of the last change of a file or folder. */
export async function readChangeTime(path: string): Promise<number> {
  const { mtimeMs } = await stat(path);
  return Math.floor(mtimeMs / 1000);
}

/** The config in Hugging Face's format, or the file that onnxruntime-genai's builder writes instead. */
async function readConfig(path: string): Promise<Json> {
  if (existsSync(join(path, configFile)) || !existsSync(join(path, genaiConfigFile))) {
    const config = await readJson(path, configFile);
    assertSizes(config);
    return config;
  }
  const config = toHubConfig(await readJson(path, genaiConfigFile));
  if (config) return config;
  throw sourceError(
    `${configFile} is missing in ${path}, and ${genaiConfigFile} describes no single decoder; copy ${configFile} from the model that onnxruntime-genai's builder was given`,
  );
}

/** The chat template in a separate file, or else in `tokenizer_config.json`. */
export function toChatTemplate(own: string | undefined, tokenizerConfig: Json): ModelFolder['chatTemplate'] {
  if (own !== undefined) return own;
  const template = tokenizerConfig['chat_template'];
  if (typeof template === 'string') return template;
  if (!Array.isArray(template)) return undefined;
  return Object.fromEntries(
    template.map(({ name, template: source }: { name: string; template: string }) => [name, source]),
  );
}

/**
 * Reads a JSON file of a model.
 * @param fallback for a missing file
 */
export async function readJson(path: string, name: string, fallback?: Json): Promise<Json> {
  const text = await readFile(join(path, name), 'utf8').catch((error: unknown) => {
    if (fallback) return undefined;
    throw sourceError(`${name} is missing in ${path}`, error);
  });
  if (text === undefined) return fallback!;
  const { fault } = countJson(text, { values: Infinity, depth: maxLevels });
  if (fault !== undefined) throw sourceError(`${name} in ${path}: ${fault}`);
  const value = orThrow<unknown>(
    () => JSON.parse(text),
    (cause) => sourceError(`${name} in ${path} is not valid JSON`, cause),
  );
  if (typeof value === 'object' && value !== null) return value as Json;
  throw sourceError(`${name} in ${path} holds no JSON object`);
}

/** Rejects impossible sizes, even sizes that the graph overrides, before they are used. */
function assertSizes(config: Json, place = ''): void {
  for (const name of sizes) {
    const value = config[name];
    if (typeof value !== 'number' || (Number.isInteger(value) && value > 0 && value <= maxSize)) continue;
    throw sourceError(
      `config.json has ${place}${name} ${describeValue(value)}, expected an integer from 1 to ${maxSize}`,
    );
  }
  for (const part of ['text_config', 'vision_config', 'encoder', 'decoder']) {
    const within = config[part];
    if (place === '' && typeof within === 'object' && within !== null)
      assertSizes(within as Json, `${part}.`);
  }
}

/** A positive integer of `config.json`. @throws InferenceError `invalid_request` for any other value */
export function readCount(config: Json, name: string, fallback?: number): number {
  const value = config[name] ?? fallback;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  throw sourceError(`config.json has ${name} ${describeValue(value)}, expected a positive integer`);
}
