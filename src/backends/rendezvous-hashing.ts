import { hashPair, hashStart, hashStep } from '../core/tokenization/hash.ts';

/** A server and its running requests. */
export interface LoadedServer {
  readonly server: { readonly url: string; readonly maxConcurrent: number };
  readonly running: number;
}

/** A key's server may have up to this many times its share of all requests, or this fraction of its slots if that is more. */
const maxShare = 1.25;
const minPart = 1 / 8;

/**
 * Selects the same server for the same key, by rendezvous hashing with bounded loads: a server far above its share is
 * skipped, and adding or removing one only affects its own keys.
 * @see https://arxiv.org/abs/1608.01350
 */
export function serverOfKey<Loaded extends LoadedServer>(servers: readonly Loaded[], key: string): Loaded {
  const running = servers.reduce((sum, one) => sum + one.running, 1);
  const places = servers.reduce((sum, { server }) => sum + server.maxConcurrent, 0);
  const maxOf = ({ server: { maxConcurrent } }: Loaded): number =>
    maxConcurrent * Math.max(minPart, (maxShare * running) / places);
  const light = servers.filter((one) => one.running < maxOf(one));
  const keyHash = hashOf(key);
  return (light.length > 0 ? light : servers)
    .map((one) => ({ one, weight: hashPair(hashOf(one.server.url), keyHash) }))
    .reduce((best, other) => (other.weight > best.weight ? other : best)).one;
}

function hashOf(text: string): number {
  let hash = hashStart;
  for (let at = 0; at < text.length; at++) hash = hashStep(hash, text.charCodeAt(at));
  return hash;
}
