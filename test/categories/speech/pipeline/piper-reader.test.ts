import { expect, it, vi } from 'vitest';
import { createPiperReader } from '../../../../src/categories/speech/architectures/vits/open-vits.ts';

vi.mock('piper-phonemize', () => {
  throw new Error('ERR_MODULE_NOT_FOUND');
});

const config = (language: string) => ({ phonemeType: 'espeak', espeakVoice: 'any', language });
const options = { name: 'joe', knows: () => true };

it('without eSpeak NG, English is read by the built-in phonemizer, in the symbols of eSpeak NG', async () => {
  const { prepare, pronounce } = await createPiperReader(config('en-US'), options);
  const symbols = await pronounce(await prepare('Dr. Joe, 2 cats.'));
  expect(symbols).toBe('dˈɑːktɚ dʒˈoʊ, tˈuː kˈæts.');
});

it.each([
  ['de', {}, 'source: joe speaks de, which needs eSpeak NG; install it with `npm install piper-phonemize`'],
  ['en-US', { knows: () => false }, 'source: joe speaks en-US, which needs eSpeak NG'],
  ['en-US', { phonemizer: 'espeak' }, 'phonemizer: espeak requires a package'],
])('without eSpeak NG, %s with %o is refused', async (language, more, message) => {
  const reader = createPiperReader(config(language), { ...options, ...more });
  await expect(reader).rejects.toThrow(message);
});
