import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { InferenceError } from '../errors.ts';

/** The models that the package `@slashv1/tiny-models` holds. */
export const bundledModels = [
  'tiny-chat',
  'tiny-detect',
  'tiny-embed',
  'tiny-speech',
  'tiny-whisper',
] as const;

/** One of them is in the folder of every model; the latter in diffusers' layout. */
const mainFiles = ['config.json', 'model_index.json'];

/**
 * Finds the folder of a model.
 *
 * @param source name of a bundled model, or path of a folder in the hub's ONNX layout
 * @returns absolute path of the folder
 * @throws InferenceError `invalid_request` saying what was looked for and where
 */
export function locateModel(source: string): string {
  if ((bundledModels as readonly string[]).includes(source)) return join(bundledFolder(), source);
  const folder = resolve(source);
  if (mainFiles.some((name) => existsSync(join(folder, name)))) return folder;
  throw new InferenceError(
    'invalid_request',
    `source: expected one of the bundled models (${bundledModels.join(', ')}) or a folder with a ${mainFiles.join(' or ')}, got ${JSON.stringify(source)} (looked in ${folder})`,
    { param: 'source' },
  );
}

function bundledFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('@slashv1/tiny-models/package.json'));
  } catch (error) {
    throw new InferenceError(
      'invalid_request',
      'source: the bundled models are a package of their own; install it with `npm install @slashv1/tiny-models`',
      { param: 'source', cause: error },
    );
  }
}
