import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CustomHead } from '../../../../core/vision/heads/custom-head.ts';
import { headNames } from '../../../../core/vision/heads/registry.ts';
import { fieldError } from '../../../../errors.ts';

/**
 * Imports a head of the user's own.
 *
 * @param path of the module, or its `file:` URL
 * @throws InferenceError `invalid_request` where it can't be imported or exports no head
 */
export async function loadCustomHead(path: string): Promise<CustomHead> {
  const url = path.startsWith('file:') ? path : pathToFileURL(resolve(path)).href;
  let exported: { readonly default?: unknown };
  try {
    exported = (await import(url)) as { readonly default?: unknown };
  } catch (error) {
    throw fieldError('head', `the module ${path} can't be imported: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const head = exported.default as Partial<CustomHead> | undefined;
  if (typeof head?.decode !== 'function') {
    throw fieldError('head', `expected ${path} to export by default an object with a function decode`);
  }
  if (head.like === undefined || headNames.includes(head.like)) return head as CustomHead;
  throw fieldError('head', `expected \`like\` of ${path} to be one of ${headNames.join(', ')}`);
}
