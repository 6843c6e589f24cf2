import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { readGgufMetadata, type GgufMetadata, type ReadGgufOptions } from '../../core/gguf/read-metadata.ts';
import { explainPath } from '../explain-files.ts';
import { sourceError } from '../model-files.ts';

const firstBytes = 2 ** 16;
/** Metadata with a tokenizer of a million tokens takes less than 100 MB. */
const mostBytes = 2 ** 28;

/**
 * Reads the metadata of a GGUF file, as much of the file as that takes.
 *
 * @throws InferenceError `invalid_request` where it is no such file
 */
export function readGgufFile(path: string, options?: ReadGgufOptions): GgufMetadata {
  if (!existsSync(path)) throw sourceError(explainPath(path)!);
  const file = openSync(path, 'r');
  try {
    const { size: fileSize } = fstatSync(file);
    const size = Math.min(fileSize, mostBytes);
    for (let length = firstBytes; ; length *= 4) {
      const bytes = new Uint8Array(Math.min(length, size));
      readSync(file, bytes, 0, bytes.length, 0);
      const metadata = readGgufMetadata(bytes, options);
      if (metadata) return metadata;
      if (length < size) continue;
      throw new RangeError(
        size < fileSize
          ? `its metadata takes more than ${mostBytes} bytes`
          : 'the file ends within its metadata',
      );
    }
  } catch (error) {
    throw sourceError(`the file can't be read as GGUF: ${(error as Error).message}`, error);
  } finally {
    closeSync(file);
  }
}
