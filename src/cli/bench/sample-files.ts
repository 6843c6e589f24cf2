import { readFile } from 'node:fs/promises';
import { createInference, InferenceError, speech } from '../../index.ts';
import { encodePng } from '../../runtime/image.ts';
import { unreadable, UsageError } from '../options.ts';

export const spokenText =
  'A red circle is above a blue square. Two green stars are to the left of a black triangle. What is three plus four? It is seven.';

/** @param path of the option `--file` */
export async function readSample(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause: Error) => {
    throw unreadable('--file', path)(cause);
  });
}

const pictureSize = { width: 640, height: 480 };

/** A PNG of colored squares: as much work to decode and look at as any. */
export async function drawPicture(): Promise<Uint8Array> {
  const { width, height } = pictureSize;
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isSquare = x % 160 < 96 && y % 160 < 96;
      const place = (y * width + x) * 3;
      pixels[place] = isSquare ? (x * 7) % 256 : 240;
      pixels[place + 1] = isSquare ? (y * 5) % 256 : 240;
      pixels[place + 2] = isSquare ? 90 : 240;
    }
  }
  return encodePng(pixels, pictureSize);
}

/** Lets the bundled speech model speak, so that a recognizer has something to hear. */
export async function recordSpeech(signal: AbortSignal): Promise<Uint8Array> {
  const model = 'tiny-speech';
  const inference = createInference({ models: { [model]: speech({ source: model }) } });
  try {
    const pieces: Uint8Array[] = [];
    for await (const event of inference.speak({ model, input: spokenText }, { signal })) {
      if (event.type === 'audio') pieces.push(event.bytes);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    if (!InferenceError.isInstance(error) || signal.aborted) throw error;
    throw new UsageError(
      '--file: expected a recording, since the bundled model that would speak one is missing',
      { cause: error },
    );
  } finally {
    await inference.close();
  }
}
