import { expect, it } from 'vitest';
import { VoiceShelf } from '../../../../src/categories/speech/pipeline/voice-shelf.ts';

const files = new Map(['af_heart', 'ef_dora', 'jf_alpha'].map((id) => [id, `${id}.bin`]));
const shelf = new VoiceShelf(files, { styleSize: 2, languages: new Set(['en-US']) });

it('lists the voices whose language can be read', () => {
  expect(shelf.voices.map(({ id }) => id)).toEqual(['af_heart']);
});

it.each([
  [
    'ef_dora',
    /speaks es, which needs eSpeak NG; install it with `npm install piper-phonemize`, or take one of af_heart/,
  ],
  ['jf_alpha', /speaks ja, which can't be read here; expected one of af_heart/],
  ['xf_none', /expected one of af_heart, got "xf_none"/],
])('tells what %s lacks', async (voice, message) => {
  await expect(shelf.find(voice)).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'voice',
    message: expect.stringMatching(message),
  });
});
