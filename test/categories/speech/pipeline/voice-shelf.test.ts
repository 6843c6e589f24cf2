import { expect, it } from 'vitest';
import { readVoice } from '../../../../src/categories/speech/pipeline/speech-pipeline.ts';
import { createVoiceShelf } from '../../../../src/categories/speech/architectures/kokoro/open-kokoro.ts';

const files = new Map(['af_heart', 'ef_dora', 'jf_alpha'].map((id) => [id, `${id}.bin`]));
const shelf = createVoiceShelf(files, { styleSize: 2, languages: new Set(['en-US']) });

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
])('tells what %s lacks', (voice, message) => {
  const synthesizer = {
    voices: shelf.voices,
    mixesVoices: true,
    explainVoice: (name: string) => shelf.explain(name),
  };
  expect(() => readVoice(voice, synthesizer, new Map())).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      param: 'voice',
      message: expect.stringMatching(message) as string,
    }),
  );
});
