import type { OnnxGraph } from '../model.ts';

/** The result of a rewrite: the new graph, or the reason why it is unchanged. */
export type Rewritten =
  | { readonly graph: OnnxGraph; readonly reason?: undefined }
  | { readonly graph?: undefined; readonly reason: string };

export function unchanged(reason: string): { readonly reason: string } {
  return { reason };
}
