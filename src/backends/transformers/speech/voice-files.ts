import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fieldError } from '../../../errors.ts';

/**
 * Finds the files of a model's voices, each a list of little-endian float32 numbers.
 *
 * @param path of the model's folder
 * @param given names and paths in place of `voices/*.bin`
 * @returns name → path, in the order of names
 */
export async function findVoiceFiles(
  path: string,
  given: Readonly<Record<string, string>> | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (given) return new Map(Object.entries(given));
  const folder = join(path, 'voices');
  const names = existsSync(folder) ? await readdir(folder) : [];
  const files = names.filter((name) => name.endsWith('.bin')).sort();
  return new Map(files.map((file) => [basename(file, '.bin'), join(folder, file)]));
}

/** @throws InferenceError `invalid_request` where the file is missing or holds no such numbers */
export async function readVoiceFile(name: string, path: string): Promise<Float32Array> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw fieldError('backend.voices', `the file of the voice ${name} can't be read`, { cause: error });
  }
  if (bytes.length === 0 || bytes.length % 4 !== 0) {
    throw fieldError(
      'backend.voices',
      `expected float32 numbers in the file of the voice ${name}, got ${bytes.length} bytes`,
    );
  }
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}
