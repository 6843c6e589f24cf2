import { describe, expect, it } from 'vitest';
import { serverOfKey, type LoadedServer } from '../../src/backends/rendezvous-hashing.ts';

const serversOf = (running: readonly number[]): LoadedServer[] =>
  running.map((count, index) => ({
    server: { url: `http://gpu-${index}:8000`, maxConcurrent: 64 },
    running: count,
  }));
const keys = Array.from({ length: 3000 }, (_, index) => `You are number ${index}.`);
const chosen = (servers: readonly LoadedServer[], key: string): string =>
  serverOfKey(servers, key).server.url;

describe('serverOfKey', () => {
  it('spreads keys evenly', () => {
    const servers = serversOf([0, 0, 0]);
    const counts = servers.map(
      ({ server }) => keys.filter((key) => chosen(servers, key) === server.url).length,
    );
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  it('moves the keys of a server that goes, and no others', () => {
    const servers = serversOf([0, 0, 0]);
    const moved = keys.filter((key) => chosen(servers, key) !== chosen(servers.slice(1), key));
    expect(moved).toEqual(keys.filter((key) => chosen(servers, key) === servers[0]!.server.url));
  });

  it('spares a server with more than 1¼ times its share, and an eighth of its places', () => {
    const key = keys.find((one) => chosen(serversOf([0, 0]), one).includes('gpu-0'))!;
    expect(chosen(serversOf([7, 0]), key)).toContain('gpu-0');
    expect(chosen(serversOf([8, 0]), key)).toContain('gpu-1');
    expect(chosen(serversOf([20, 19]), key)).toContain('gpu-0');
    expect(chosen(serversOf([30, 10]), key)).toContain('gpu-1');
  });
});
