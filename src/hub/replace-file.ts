import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../folder/make-folder.ts';

/** Other processes see the old text or the new one, never a part of it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
