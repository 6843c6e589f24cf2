import { createInference, image, speech } from '../../dist/src/index.js';

/** What the pages' code reads: a picture and a recording, made by the bundled models. */
export async function makeMaterials(): Promise<{ scene: Uint8Array; meeting: Uint8Array }> {
  const inference = createInference({
    models: { speaker: speech({ source: 'tiny-speech' }), painter: image({ source: 'tiny-image' }) },
    isolation: 'inline',
  });
  const text = 'a red circle above a blue square';
  const audio: Uint8Array[] = [];
  for await (const event of inference.speak({ model: 'speaker', input: text })) {
    if (event.type === 'audio') audio.push(event.bytes);
  }
  const pictures: Uint8Array[] = [];
  const drawing = { model: 'painter', prompt: text, width: 512, height: 512, seed: 1 };
  for await (const event of inference.image(drawing)) {
    if (event.type === 'image') pictures.push(event.png);
  }
  await inference.close();
  return { scene: pictures[0]!, meeting: Buffer.concat(audio) };
}
