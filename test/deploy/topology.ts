import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBalancer } from './balancer.ts';
import { startChatServer, startStore } from './stores.ts';

const deploy = new URL('../../examples/deploy/', import.meta.url);

export interface TopologyOptions {
  /** haproxy and Redis in place of the balancer and the store of these tests. */
  readonly real: boolean;
  /** Graphs of detection and embeddings on another server. */
  readonly graphServer?:
    { readonly url: string; readonly folder: string; readonly hasDetector?: boolean | undefined } | undefined;
  /** A server of chat in place of that of these tests; `url` up to and including `/v1`. */
  readonly chatServer?: { readonly url: string; readonly model: string } | undefined;
}

/** Two hosts after a balancer, their shared store and their servers, as processes of this machine. */
export interface Topology {
  readonly origin: string;
  readonly key: string;
  /** Has 10 requests a minute. */
  readonly trialKey: string;
  /** Ends a host as an orchestrator does, waits until it has gone, and starts it anew. */
  restart(host: 0 | 1): Promise<void>;
  /** Until all hosts get requests. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export async function startTopology({ real, graphServer, chatServer }: TopologyOptions): Promise<Topology> {
  const [port = 0, redisPort = 0, ...hosts] = await freePorts(4);
  const chat = await startChatServer();
  const store = await startStore();
  const children = new Set<ChildProcess>();
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    children.add(child.once('exit', () => children.delete(child)));
    child.stdout!.resume();
    return child;
  };
  const key = 'sk-of-a-test';
  const trialKey = 'sk-of-a-trial';
  const startHost = async (host: number): Promise<ChildProcess> => {
    const child = run(process.execPath, [fileURLToPath(new URL('server.js', deploy))], {
      HOST: '127.0.0.1',
      PORT: String(host),
      API_KEY: key,
      TRIAL_KEY: trialKey,
      // On a busy machine nothing may go uncounted.
      LIMITER_TIMEOUT_MS: '20000',
      CHAT_URL: chatServer?.url ?? chat.url,
      CHAT_MODEL: chatServer?.model ?? 'assistant',
      LIMITER: real ? './redis-limiter.js' : new URL('http-limiter.js', import.meta.url).href,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      STORE_URL: store.url,
      DRAIN_DELAY_MS: '1500',
      ...(graphServer && {
        TRITON_URL: graphServer.url,
        DETECTOR_SOURCE: graphServer.hasDetector === false ? '' : `${graphServer.folder}/tiny-detect`,
        EMBEDDER_SOURCE: `${graphServer.folder}/tiny-embed`,
      }),
    });
    await until(() => answers(`http://127.0.0.1:${host}/health/ready`));
    return child;
  };
  const origin = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-topology-'));
  const [statesConfig, statesSocket] = [join(folder, 'states.cfg'), join(folder, 'states')];
  if (real)
    run('redis-server', [
      '--port',
      String(redisPort),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--daemonize',
      'no',
    ]);
  const processes = await Promise.all(hosts.map(startHost));
  const balancer = real ? undefined : await startBalancer(port, { hosts, checkMs: 200 });
  if (real) {
    await writeFile(statesConfig, `global\n  stats socket ${statesSocket} mode 600 level user\n`);
    const configs = [fileURLToPath(new URL('haproxy.cfg', deploy)), statesConfig];
    run('haproxy', ['-db', '-q', ...configs.flatMap((path) => ['-f', path])], {
      LISTEN: `127.0.0.1:${port}`,
      HOST_1: `127.0.0.1:${hosts[0]}`,
      HOST_2: `127.0.0.1:${hosts[1]}`,
    });
  }
  const ready = async (): Promise<void> => {
    await until(async () =>
      balancer ? hosts.every((host) => balancer.isUp(host)) : haveAllBeenSeen(statesSocket),
    );
  };
  return {
    origin,
    key,
    trialKey,
    ready,
    async restart(host) {
      const child = processes[host]!;
      child.kill('SIGTERM');
      await once(child, 'exit');
      processes[host] = await startHost(hosts[host]!);
      await ready();
    },
    async close() {
      balancer?.close();
      for (const server of [chat.server, store.server]) {
        server.closeAllConnections();
        server.close();
      }
      const ends = [...children].map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ends);
      await rm(folder, { recursive: true });
    },
  };
}

/** Whether haproxy and Redis are installed. */
export const hasRealPrograms = ['haproxy', 'redis-server'].every(
  (program) => spawnSync(program, ['-v']).error === undefined,
);

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Whether haproxy sends requests to both hosts. */
async function haveAllBeenSeen(path: string): Promise<boolean> {
  const socket = connect(path).on('error', () => {});
  socket.end('show stat\n');
  const table = await text(socket).catch(() => '');
  return [...table.matchAll(/^hosts,host-\d,.*,UP,/gm)].length === 2;
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.text().catch(() => undefined);
  return response?.status === 200;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}
