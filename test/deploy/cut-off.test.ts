import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startLoad } from './load.ts';
import { installedProxies, startTopology } from './topology.ts';

// Through haproxy where that is installed; nginx asks no host whether it is ready.
const proxy = installedProxies.includes('haproxy') ? 'haproxy' : undefined;

/** Passes connections on, until it is cut. */
async function startRelay(url: string) {
  const { hostname, port, pathname } = new URL(url);
  const open = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}${pathname}`,
    cut() {
      relay.close();
      for (const socket of open) socket.destroy();
    },
  };
}

it(
  'a host whose server is cut off swallows no request once the balancer has asked it',
  { timeout: 120_000 },
  async () => {
    let relay: Awaited<ReturnType<typeof startRelay>> | undefined;
    const topology = await startTopology({
      proxy,
      wayOfSecond: async (url) => (relay = await startRelay(url)).url,
    });
    try {
      await topology.ready();
      relay!.cut();
      // The host notices within its check of five seconds, the balancer with its next question.
      await delay(6500);
      const load = startLoad(topology, { atOnce: 8 });
      while (load.sent < 200) await delay(50);
      const outcomes = Object.fromEntries(await load.stop());
      console.log(`${load.sent} requests, one of two hosts cut off:`, outcomes);
      expect(outcomes).toEqual({ done: load.sent });
    } finally {
      relay?.cut();
      await topology.close();
    }
  },
);
