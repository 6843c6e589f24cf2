import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBalancer } from './balancer.ts';
import { startChatServer, startStore } from './stores.ts';

const deploy = new URL('../../examples/deploy/', import.meta.url);

/** A balancer that `examples/deploy` has a configuration for. */
export type Proxy = 'haproxy' | 'nginx';

export interface TopologyOptions {
  /** Before the hosts; default: the balancer and the store of these tests, else Redis is the store. */
  readonly proxy?: Proxy | undefined;
  /** Graphs of detection and embeddings on another server. */
  readonly graphServer?:
    { readonly url: string; readonly folder: string; readonly hasDetector?: boolean | undefined } | undefined;
  /** A server of chat in place of that of these tests; `url` up to and including `/v1`. */
  readonly chatServer?: { readonly url: string; readonly model: string } | undefined;
  /** The way of the second host to the server of chat. */
  readonly wayOfSecond?: ((chatUrl: string) => Promise<string>) | undefined;
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

export async function startTopology({
  proxy,
  graphServer,
  chatServer,
  wayOfSecond,
}: TopologyOptions): Promise<Topology> {
  const [port = 0, redisPort = 0, ...hosts] = await freePorts(4);
  const chat = await startChatServer();
  const chatUrl = chatServer?.url ?? chat.url;
  const chatUrls = [chatUrl, (await wayOfSecond?.(chatUrl)) ?? chatUrl];
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
      CHAT_URL: chatUrls[hosts.indexOf(host)]!,
      CHAT_MODEL: chatServer?.model ?? 'assistant',
      LIMITER: proxy ? './redis-limiter.js' : new URL('http-limiter.js', import.meta.url).href,
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
  if (proxy)
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
  const balancer = proxy ? undefined : await startBalancer(port, { hosts, checkMs: 200 });
  const places = {
    LISTEN: `127.0.0.1:${port}`,
    HOST_1: `127.0.0.1:${hosts[0]}`,
    HOST_2: `127.0.0.1:${hosts[1]}`,
  };
  if (proxy === 'haproxy') {
    await writeFile(statesConfig, `global\n  stats socket ${statesSocket} mode 600 level user\n`);
    const configs = [fileURLToPath(new URL('haproxy.cfg', deploy)), statesConfig];
    run('haproxy', ['-db', '-q', ...configs.flatMap((path) => ['-f', path])], places);
  }
  if (proxy === 'nginx') run('nginx', ['-p', folder, '-c', await writeNginxConfig(folder, places)]);
  const ready = async (): Promise<void> => {
    await until(async () => {
      if (balancer) return hosts.every((host) => balancer.isUp(host));
      return proxy === 'haproxy' ? haveAllBeenSeen(statesSocket) : answers(`${origin}/health/ready`);
    });
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

/** Balancers that are installed, where Redis is, too. */
export const installedProxies = (['haproxy', 'nginx'] as const).filter((proxy) =>
  [proxy, 'redis-server'].every((program) => spawnSync(program, ['-v']).error === undefined),
);

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A whole configuration around that of the deployment, which writes into this folder alone. */
async function writeNginxConfig(folder: string, places: Readonly<Record<string, string>>): Promise<string> {
  const template = await readFile(new URL('nginx.conf.template', deploy), 'utf8');
  const servers = template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => places[name]!);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder};`).join(' ');
  const path = join(folder, 'nginx.conf');
  await writeFile(
    path,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit; events {} http { access_log off; ${temporary}\n${servers}}`,
  );
  return path;
}

/** The first of free ports in a row. */
export async function freePortRange(count: number): Promise<number> {
  for (;;) {
    const [first = 0] = await freePorts(1);
    const others = Array.from({ length: count - 1 }, (_, index) =>
      createServer().listen(first + 1 + index, '127.0.0.1'),
    );
    const taken = await Promise.allSettled(others.map((server) => once(server, 'listening')));
    for (const server of others) server.close();
    if (taken.every(({ status }) => status === 'fulfilled')) return first;
  }
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
