import { expect, it } from 'vitest';
import { echoesPrompt } from '../../../../src/core/audio/whisper/prompt.ts';

const prompt = 'The assistant is called Jarvix.';

it.each([
  ['The assistant is called Jarvix.', true],
  ['the assistant', true],
  ['The assistant is called Jarvix. It is called Jarvix.', true],
  ['The assistant is called Jarvix. The assistant is called Jarvix.', true],
  ['', false],
  ['Ask not what your country can do for you', false],
  ['Jarvix is called by all of us when the lights are too bright for the assistant.', false],
])('%j is an echo of the prompt: %s', (text, isEcho) => {
  expect(echoesPrompt(text, prompt)).toBe(isEcho);
});
