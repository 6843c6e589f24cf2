import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  /** Connections that each host got. */
  readonly connections: ReadonlyMap<number, number>;
  /** Whether a host gets connections. */
  isUp(port: number): boolean;
  close(): void;
}

/**
 * Gives connections to hosts by turns; those whose `/health/ready` isn't 200 get none. A connection that no host has
 * taken is given to the next.
 */
export async function startBalancer(
  port: number,
  { hosts, checkMs }: { readonly hosts: readonly number[]; readonly checkMs: number },
): Promise<Balancer> {
  const up = new Set<number>();
  const connections = new Map(hosts.map((host) => [host, 0]));
  const open = new Set<Socket>();
  let turn = 0;
  const forward = (client: Socket, tried: ReadonlySet<number>): void => {
    const candidates = hosts.filter((host) => up.has(host) && !tried.has(host));
    const host = candidates[turn++ % Math.max(1, candidates.length)];
    if (host === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect({ port: host, host: '127.0.0.1', allowHalfOpen: true });
    open.add(upstream).add(client);
    const refused = (): void => forward(client, new Set([...tried, host]));
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      connections.set(host, connections.get(host)! + 1);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => other.destroy()).on('close', () => open.delete(one));
        one.pipe(other);
      }
    });
  };
  const check = async (host: number): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${host}/health/ready`).catch(() => undefined);
    await answer?.text().catch(() => undefined);
    if (answer?.status === 200) up.add(host);
    else up.delete(host);
  };
  const timer = setInterval(() => void Promise.all(hosts.map(check)), checkMs);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) =>
    forward(client, new Set()),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    connections,
    isUp: (host) => up.has(host),
    close() {
      clearInterval(timer);
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
