// What a client's program needs: where the service is, and one line of JSON for each path that was tried.
import { readFileSync } from 'node:fs';

export const baseURL = process.env.BASE_URL ?? 'http://127.0.0.1:8000/v1';
export const apiKey = process.env.API_KEY ?? 'none';
export const recording = process.env.RECORDING ?? 'speech.wav';
export const picture = process.env.PICTURE ?? 'picture.png';

export const models = {
  chat: 'tiny-chat',
  embedding: 'tiny-embed',
  image: 'tiny-image',
  transcription: 'tiny-whisper',
  speech: 'tiny-speech',
  vision: 'tiny-vision',
};
export const question = 'Describe a scene with two shapes.';
export const toolQuestion = 'What is the weather in Paris?';
export const pictureQuestion = 'What is in this picture?';
export const says = /red circle.* above .*blue square/i;

export const readRecording = () => readFileSync(recording);

export const readPicture = () => readFileSync(picture);

/** Throws what is missing. */
export function check(condition, expectation) {
  if (!condition) throw new Error(`expected ${expectation}`);
}

/** A text with something in it. */
export function checkText(text) {
  check(typeof text === 'string' && /\S/.test(text), `a text, got ${JSON.stringify(text)}`);
}

/** Bytes of a sound: a WAV file, or whatever else is no text. */
export function checkAudio(bytes) {
  check(bytes.byteLength > 10_000, `audio, got ${bytes.byteLength} bytes`);
}

/** Runs a client's paths one after the other. */
export async function report(client, paths) {
  for (const [path, run] of Object.entries(paths)) {
    let reason;
    try {
      await run();
    } catch (error) {
      reason = String(error?.message ?? error);
    }
    console.log(JSON.stringify({ client, path, ok: reason === undefined, reason }));
  }
}
