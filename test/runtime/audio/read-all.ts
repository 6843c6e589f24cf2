import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import type { AudioSource } from '../../../src/runtime/audio/byte-source.ts';
import type { TrackOptions } from '../../../src/runtime/audio/pcm.ts';

/** The path of a file in `media/`. */
export function mediaPath(name: string): string {
  return new URL(`media/${name}`, import.meta.url).pathname;
}

/** Decodes a whole file. */
export async function readAll(
  source: AudioSource,
  options: Partial<TrackOptions> = {},
): Promise<{ readonly format: string | undefined; readonly samples: Float32Array }> {
  const { format, blocks } = await openAudio(source, { maxSeconds: 60, ...options });
  const parts: Float32Array[] = [];
  for await (const block of blocks) parts.push(block);
  return { format, samples: Float32Array.from(parts.flatMap((part) => [...part])) };
}
