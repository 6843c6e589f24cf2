import { noisySource } from './noisy-source.js';

/**
 * @param {string} url
 * @param {any} context
 * @param {(url: string, context: any) => Promise<any>} nextLoad
 */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const noisy = loaded.source && noisySource(url, loaded.source.toString());
  return noisy === undefined ? loaded : { ...loaded, source: noisy };
}
