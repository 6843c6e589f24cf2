import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';

export type FileForm = ReturnType<typeof createFileForm>;

/**
 * A `multipart/form-data` form with one file, which is read from disk while it is sent. It can be sent once.
 * @param file its bytes or its path; the form field is `file`
 */
export function createFileForm(
  fields: readonly (readonly [name: string, value: unknown])[],
  file: Uint8Array | { readonly path: string },
) {
  const boundary = `slashv1-${randomUUID()}`;
  const fileName = 'path' in file ? basename(file.path).replaceAll(/["\r\n]/g, '_') : 'audio';
  const part = (disposition: string, headers = ''): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${headers}\r\n`;
  const head = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${part(`name="${name}"`)}${String(value)}\r\n`);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const start = part(`name="file"; filename="${fileName}"`, 'content-type: application/octet-stream\r\n');
    yield Buffer.from(head.join('') + start);
    if ('path' in file) yield* createReadStream(file.path) as AsyncIterable<Uint8Array>;
    else yield file;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: bytes() };
}
