import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunksOf, type Sent } from './support.ts';

export const boundary = 'a-boundary';

/** A part of a form, with the headers that browsers write. */
export function fieldPart(name: string, value: string): string {
  return part(`form-data; name="${name}"`, value);
}

/** A part of a form that is a file. */
export function filePart(content = 'RIFF', name = 'file', fileName = 'a.wav'): string {
  return part(`form-data; name="${name}"; filename="${fileName}"`, content, 'Content-Type: audio/wav\r\n');
}

export function part(disposition: string, content: string, headers = ''): string {
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\n${headers}\r\n${content}\r\n`;
}

/** The whole body of some parts. */
export function formOf(...parts: string[]): string {
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** The fields of a form and one file. */
export function uploadOf(fields: Readonly<Record<string, string>> = {}, content?: string): string {
  return formOf(...Object.entries(fields).map((field) => fieldPart(...field)), filePart(content));
}

/** A form on its way to the transcription endpoint, in pieces of so many bytes. */
export function sentForm(body: string | Uint8Array, pieceBytes = 64 * 1024): Sent {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return {
    url: '/v1/audio/transcriptions',
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: chunksOf(pieces),
  };
}

/** A new directory for uploads, and what lies there. */
export async function uploadDirectory(): Promise<{ path: string; files: () => Promise<string[]> }> {
  const path = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
  return { path, files: () => readdir(path) };
}
