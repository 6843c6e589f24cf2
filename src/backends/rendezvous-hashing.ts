import { hashPair, hashStart, hashStep } from '../core/tokenization/hash.ts';

/** A server and the requests in its hands. */
export interface LoadedServer {
  readonly server: { readonly url: string; readonly maxConcurrent: number };
  readonly running: number;
}

/** A server of a key gets this many times its share of all requests, and this part of its places at least. */
const mostShare = 1.25;
const leastPart = 1 / 8;

/**
 * Chooses the same server for the same key, by rendezvous hashing with bounded loads: a server that has far more than its share
 * is left out, and one that comes or goes changes the choice for its own keys alone.
 * @see https://arxiv.org/abs/1608.01350
 */
export function serverOfKey<Loaded extends LoadedServer>(servers: readonly Loaded[], key: string): Loaded {
  const running = servers.reduce((sum, one) => sum + one.running, 1);
  const places = servers.reduce((sum, { server }) => sum + server.maxConcurrent, 0);
  const mostOf = ({ server: { maxConcurrent } }: Loaded): number =>
    maxConcurrent * Math.max(leastPart, (mostShare * running) / places);
  const light = servers.filter((one) => one.running < mostOf(one));
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
