import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Dtype, Json } from '../../../../contracts/files.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleGraph, sourceError } from '../../../../folder/model-files.ts';
import { readJson } from '../../../../folder/model-folder.ts';
import { describeValue } from '../../../../core/text/quote.ts';

/** Positions of Kokoro's text encoder without the padding at both ends. */
const defaultMaxPhonemes = 510;

/** Kokoro's ONNX export: `config.json`, the vocabulary there or in `tokenizer.json`, the names of `voices/*.bin`. */
export async function openKokoroFolder(path: string, { dtype }: { dtype?: Dtype | undefined } = {}) {
  const config = await readJson(path, 'config.json');
  const tokenizer = await readJson(path, 'tokenizer.json', {});
  const voices = await findVoices(join(path, 'voices'));
  return {
    graph: join(path, singleGraph(localFiles(path), dtype)),
    config,
    /** Phoneme or mark, one code point → id. */
    vocabulary: readVocabulary(config, tokenizer),
    /** Voice id → path of its style table; sorted by name. */
    voices,
    /** Max phonemes per run. */
    maxPhonemes: readMaxPhonemes(config),
  };
}

/** One style per phoneme count, from 0. @returns `[rows × styleSize]` */
export async function readVoice(file: string, styleSize: number): Promise<Float32Array> {
  const bytes = await readFile(file);
  const rowBytes = styleSize * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length === 0 || bytes.length % rowBytes !== 0)
    throw sourceError(`${file}: expected rows of ${styleSize} float32 numbers, got ${bytes.length} bytes`);
  const styles = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  for (let at = 0; at < styles.length; at++)
    styles[at] = bytes.readFloatLE(at * Float32Array.BYTES_PER_ELEMENT);
  if (!styles.every(Number.isFinite)) throw sourceError(`${file}: expected finite numbers`);
  return styles;
}

async function findVoices(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = existsSync(folder) ? await readdir(folder) : [];
  const tables = files.filter((file) => file.endsWith('.bin')).sort();
  if (tables.length === 0) throw sourceError(`expected voices as .bin files in ${folder}, found none`);
  return new Map(tables.map((file) => [basename(file, '.bin'), join(folder, file)]));
}

function readVocabulary(config: Json, tokenizer: Json): ReadonlyMap<string, number> {
  const model = tokenizer['model'] as Json | undefined;
  const vocabulary = config['vocab'] ?? model?.['vocab'];
  if (typeof vocabulary !== 'object' || vocabulary === null) {
    const reason = 'expected the phonemes as "vocab" in config.json or as "model.vocab" in tokenizer.json';
    throw sourceError(reason);
  }
  const phonemes = Object.entries(vocabulary).filter(
    ([phoneme, id]) => [...phoneme].length === 1 && Number.isSafeInteger(id) && id > 0,
  );
  if (phonemes.length === 0) throw sourceError('the vocabulary has no phonemes');
  return new Map(phonemes);
}

function readMaxPhonemes(config: Json): number {
  const encoder = config['plbert'] as Json | undefined;
  const positions = config['max_position_embeddings'] ?? encoder?.['max_position_embeddings'];
  if (positions === undefined) return defaultMaxPhonemes;
  if (Number.isSafeInteger(positions) && (positions as number) > 2) return (positions as number) - 2;
  throw sourceError(
    `max_position_embeddings in config.json: expected an integer above 2, got ${describeValue(positions)}`,
  );
}
