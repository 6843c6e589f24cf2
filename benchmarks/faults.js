// Requests that are lost when one of three servers of a model fails: slashv1 (`remote.openai`, `upstreams`) beside haproxy, nginx and
// LiteLLM, where they are installed. Each fault meets 80 requests, eight at once, half of them streamed, after 16 of them.
// Printed are requests that are lost, and streams that are cut off after their first token.
// Usage: node benchmarks/faults.js [--only slashv1,haproxy] [--faults kill,stop] (LITELLM names its program)
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderTable } from '../dist/src/cli/format.js';

const faults = /** @type {const} */ ([
  'kill',
  'stop',
  'half-open',
  'hang after headers',
  'hang, but list models',
  '500',
  '429',
  '400',
  'garbage',
  'slow',
]);
const requests = 80;
const atOnce = 8;
const before = 16;
/** A person has left by then. */
const patienceMs = 20_000;
const tokens = 8;
const key = 'key';

/** @param {number} port */
async function listen(/** @type {import('node:http').Server} */ server, port = 0) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** A server of the wire format that answers in 80 ms, or as its fault is. */
async function runUpstream() {
  /** @type {string} */
  let fault = '';
  const chunk = (/** @type {object} */ choice) =>
    JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [{ index: 0, finish_reason: null, ...choice }],
    });
  const usage = { prompt_tokens: 5, completion_tokens: tokens, total_tokens: 5 + tokens };
  const server = createServer(async (incoming, response) => {
    if (fault === 'half-open') return;
    let text = '';
    for await (const piece of incoming) text += piece;
    const json = (/** @type {number} */ status, /** @type {object} */ body, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (incoming.method === 'GET') {
      const listsModels =
        fault === '' || fault === 'hang, but list models' || fault === '400' || fault === 'slow';
      if (listsModels || fault === '429')
        return json(200, { object: 'list', data: [{ id: 'm', object: 'model' }] });
    }
    if (fault === 'hang, but list models') return;
    if (['500', '429', '400'].includes(fault)) {
      const error = { message: 'broken', type: 'server_error', param: null, code: null };
      return json(Number(fault), { error }, fault === '429' ? { 'retry-after': '5' } : {});
    }
    if (fault === 'garbage')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!');
    const isStream = text.includes('"stream":true') || text.includes('"stream": true');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.flushHeaders();
    if (fault === 'hang after headers') return;
    for (let token = 0; token < tokens; token++) {
      await delay(fault === 'slow' ? 1000 : 10);
      if (isStream) response.write(`data: ${chunk({ delta: { content: ' token' } })}\n\n`);
    }
    if (isStream) {
      response.end(
        `data: ${chunk({ delta: {}, finish_reason: 'stop' })}\n\ndata: ${JSON.stringify({ ...JSON.parse(chunk({})), choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
      return;
    }
    const message = { role: 'assistant', content: ' token'.repeat(tokens) };
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    );
  });
  process.on('message', (message) => (fault = String(message)));
  process.send?.(await listen(server));
}

/** @param {readonly string[]} ports */
async function runSlashv1(ports) {
  const { chat, createHandler, createInference, remote } = await import('slashv1');
  const { toNodeListener } = await import('slashv1/node');
  const upstreams = ports.map((port) => ({ baseURL: `http://127.0.0.1:${port}/v1` }));
  const timeoutMs = { connect: 1000, firstByte: 5000, idle: 5000 };
  const backend = remote.openai({ upstreams, timeoutMs });
  const inference = createInference({ models: { m: chat({ source: 'm', backend, contextLength: 4096 }) } });
  await inference.ready();
  const handler = createHandler(inference, { auth: { keys: [key] } });
  process.send?.(await listen(createServer(toNodeListener(handler))));
}

/** @typedef {{ readonly port: number, readonly program: string, readonly args: readonly string[], readonly env?: Record<string, string> }} Proxy */

/** @type {Record<string, (ports: readonly number[], port: number, folder: string) => Promise<Omit<Proxy, 'port'>>>} */
const proxies = {
  async haproxy(ports, port, folder) {
    const path = join(folder, 'haproxy.cfg');
    const servers = ports.map((one, index) => `  server s${index} 127.0.0.1:${one}`).join('\n');
    await writeFile(
      path,
      `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 5s
  option redispatch
  retries 3
  retry-on conn-failure empty-response response-timeout junk-response 500 503
frontend api
  bind 127.0.0.1:${port}
  default_backend hosts
backend hosts
  balance leastconn
  option httpchk GET /v1/models
  default-server check inter 500ms fall 1 rise 1
${servers}
`,
    );
    return { program: 'haproxy', args: ['-db', '-q', '-f', path] };
  },
  async nginx(ports, port, folder) {
    const path = join(folder, 'nginx.conf');
    const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=2s;`).join(' ');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder};`,
    );
    await writeFile(
      path,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit; events {}
http { access_log off; ${temporary.join(' ')}
  upstream hosts { least_conn; ${servers} }
  server { listen 127.0.0.1:${port}; location / {
    proxy_pass http://hosts; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
    proxy_connect_timeout 1s; proxy_read_timeout 5s;
    proxy_next_upstream error timeout invalid_header http_500 http_502 http_503 http_429 non_idempotent;
  } }
}
`,
    );
    return { program: 'nginx', args: ['-p', folder, '-c', path] };
  },
  async litellm(ports, port, folder) {
    const path = join(folder, 'litellm.json');
    const model_list = ports.map((one) => ({
      model_name: 'm',
      litellm_params: {
        model: 'openai/m',
        api_base: `http://127.0.0.1:${one}/v1`,
        api_key: 'none',
        timeout: 5,
        stream_timeout: 5,
      },
    }));
    const router_settings = {
      num_retries: 3,
      allowed_fails: 1,
      cooldown_time: 5,
      routing_strategy: 'least-busy',
    };
    // JSON is YAML.
    await writeFile(path, JSON.stringify({ model_list, router_settings }));
    const args = ['--config', path, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'];
    return { program: litellm, args, env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'CRITICAL' } };
  },
};
const litellm = process.env['LITELLM'] ?? 'litellm';
const programs = { haproxy: 'haproxy', nginx: 'nginx', litellm };

/** @param {readonly string[]} args */
async function start(args) {
  const child = fork(fileURLToPath(import.meta.url), args);
  const [port] = await once(child, 'message');
  return { child, port: Number(port) };
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @param {string} name @param {readonly number[]} ports @param {string} folder */
async function startContender(name, ports, folder) {
  if (name === 'slashv1') return start(['host', ...ports.map(String)]);
  const port = await freePort();
  const { program, args, env } = await /** @type {NonNullable<(typeof proxies)[string]>} */ (proxies[name])(
    ports,
    port,
    folder,
  );
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  return { child, port };
}

/**
 * @param {number} port
 * @param {boolean} stream
 * @returns {Promise<'done' | 'lost' | 'cut'>}
 */
async function ask(port, stream) {
  let seen = 0;
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const outgoing = httpRequest({
      agent,
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(patienceMs),
    });
    outgoing.end(JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Hello' }] }));
    const [response] = await once(outgoing, 'response');
    let text = '';
    for await (const piece of response) {
      text += piece;
      seen = text.split(' token').length - 1;
    }
    const isWhole = response.statusCode === 200 && seen === tokens && (!stream || text.includes('[DONE]'));
    return isWhole ? 'done' : seen > 0 ? 'cut' : 'lost';
  } catch {
    return seen > 0 ? 'cut' : 'lost';
  }
}
const agent = new Agent({ keepAlive: true });

/**
 * @param {string} name
 * @param {string} fault
 */
async function measure(name, fault) {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-faults-'));
  const upstreams = await Promise.all([1, 2, 3].map(() => start(['upstream'])));
  const contender = await startContender(
    name,
    upstreams.map(({ port }) => port),
    folder,
  );
  try {
    while ((await ask(contender.port, false)) !== 'done') {
      if (contender.child.exitCode !== null) throw new Error(`${name} ended: ${contender.child.exitCode}`);
      await delay(200);
    }
    const counts = { done: 0, lost: 0, cut: 0 };
    let sent = 0;
    let hasFailed = false;
    const started = performance.now();
    const client = async () => {
      while (sent < requests) {
        if (sent >= before && !hasFailed) {
          hasFailed = true;
          const [{ child }] = /** @type {[(typeof upstreams)[0]]} */ (/** @type {unknown} */ (upstreams));
          if (fault === 'kill') child.kill('SIGKILL');
          else if (fault === 'stop') child.kill('SIGSTOP');
          else child.send(fault);
        }
        counts[await ask(contender.port, sent++ % 2 === 0)]++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    return { ...counts, seconds: (performance.now() - started) / 1000 };
  } finally {
    for (const { child } of [contender, ...upstreams]) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

const [role, ...rest] = process.argv.slice(2);
if (role === 'upstream') await runUpstream();
else if (role === 'host') await runSlashv1(rest);
else {
  const { values } = parseArgs({ options: { only: { type: 'string' }, faults: { type: 'string' } } });
  const names = ['slashv1', 'haproxy', 'nginx', 'litellm'].filter((name) => {
    if (values.only) return values.only.split(',').includes(name);
    const program = /** @type {Record<string, string>} */ (programs)[name];
    return program === undefined || spawnSync(program, ['-v']).error === undefined;
  });
  const chosen = values.faults?.split(',') ?? faults;
  /** @type {string[][]} */
  const rows = [];
  for (const fault of chosen) {
    const row = [fault];
    for (const name of names) {
      const { lost, cut, seconds } = await measure(name, fault);
      row.push(`${lost} + ${cut}, ${seconds.toFixed(1)} s`);
    }
    rows.push(row);
    console.log(row.join(' | '));
  }
  console.log(`\nlost + cut off of ${requests}, and the time of all`);
  console.log(renderTable(['fault', ...names], rows, (text) => text));
  process.exit();
}
