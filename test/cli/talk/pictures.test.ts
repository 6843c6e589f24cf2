import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withPictures } from '../../../src/cli/talk/open-chat-model.ts';

let folder: string;
const picture = { type: 'image', image: new Uint8Array([1, 2, 3]) };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-pictures-'));
  for (const name of ['a.png', 'b c.JPG', 'note.txt']) {
    await writeFile(join(folder, name), Buffer.from([1, 2, 3]));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('paths in a message', () => {
  it.each([
    ['FOLDER/a.png What is it?', 1, 'What is it?'],
    ["What is in 'FOLDER/b c.JPG'?", 1, 'What is in ?'],
    [String.raw`Compare FOLDER/a.png "FOLDER/b c.JPG" FOLDER/b\ c.JPG`, 3, 'Compare'],
    ['FOLDER/a.png', 1, undefined],
  ])('%s', (text, pictures, rest) => {
    expect(withPictures(text.replaceAll('FOLDER', folder))).toEqual([
      ...Array.from({ length: pictures }, () => picture),
      ...(rest === undefined ? [] : [{ type: 'text', text: rest }]),
    ]);
  });

  it.each(['What is a PNG?', "It's a dog's life.", 'Rename photo.png, please', 'FOLDER/note.txt'])(
    'are not in: %s',
    (text) => {
      const message = text.replaceAll('FOLDER', folder);
      expect(withPictures(message)).toBe(message);
    },
  );

  it('name the file that is missing', () => {
    expect(() => withPictures('./none.png What is it?')).toThrow('./none.png');
  });
});
