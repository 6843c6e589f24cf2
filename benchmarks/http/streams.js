// Streams that one host carries on one processor where another server makes the tokens: `node benchmarks/http/streams.js [clients …]`.
// A simulated server of the chat dialect writes 30 tokens a second for each stream, a host in a process of its own passes them on,
// with keys, limits and metrics, and simulated clients read. The host runs on one processor (taskset, where there is one).
// Printed are the host's processor time of a token, beside that of two `node:http` servers, one that writes on what it reads and one
// that parses each event and writes it anew, the streams that fill 80 % of a processor by it, and the gaps between tokens at the
// clients, which are 33 ms at the server.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chat, createHandler, createInference, remote } from 'slashv1';
import { createMetrics } from 'slashv1/metrics';
import { toNodeListener } from 'slashv1/node';
import { machine, median, percentile } from '../measure.js';

const tokensPerSecond = 30;
const tokens = 300;
const [role, ...rest] = process.argv.slice(2);

/** @param {import('node:http').RequestListener} listener */
async function serve(listener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
}

/** A server that writes a token of each stream 30 times a second. */
async function runEngine() {
  const piece = (/** @type {object} */ choice) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;
  const delta = piece({ delta: { content: ' token' } });
  const end = `${piece({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;
  await serve((incoming, response) => {
    incoming.resume();
    if (incoming.method === 'GET') {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = tokens;
    const timer = setInterval(() => {
      if (left-- > 0) return void response.write(delta);
      clearInterval(timer);
      response.end(end);
    }, 1000 / tokensPerSecond);
    response.once('close', () => clearInterval(timer));
  });
}

/** @param {string} engineUrl */
async function runHost(engineUrl) {
  const backend = remote.openai({ baseURL: engineUrl, dialect: 'vllm', concurrency: 4096 });
  const inference = createInference({ models: { m: chat({ source: 'm', backend, contextLength: 4096 }) } });
  await inference.ready();
  const metrics = createMetrics();
  const handler = createHandler(inference, {
    auth: { keys: [{ key: 'key', id: 'one', plan: 'all' }] },
    plans: { all: { rateLimit: { requests: 1e9, perSeconds: 60 } } },
    observers: [metrics.observer],
  });
  await serve(toNodeListener(handler));
}

/** @param {string} event */
function rewrite(event) {
  const data = event.slice('data: '.length);
  return data === '[DONE]' ? event : `data: ${JSON.stringify({ ...JSON.parse(data), id: 'chatcmpl-2' })}`;
}

/** Writes on what the engine writes, each event parsed and written anew if `parses`, and does nothing else. @param {string} engineUrl @param {boolean} parses */
async function runBare(engineUrl, parses) {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json' };
  await serve((incoming, response) => {
    const outgoing = request(engineUrl, { agent, method: 'POST', headers }, (answer) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let tail = '';
      if (parses) answer.setEncoding('utf8');
      answer.on('data', (piece) => {
        if (!parses) return void response.write(piece);
        const events = (tail + piece).split('\n\n');
        tail = events.pop() ?? '';
        response.write(events.map((event) => `${rewrite(event)}\n\n`).join(''));
      });
      answer.on('end', () => response.end());
    });
    incoming.pipe(outgoing);
  });
}

/** Tells the parent what this process used of the processor between `start` and `stop`. */
function reportUsage() {
  let before = process.cpuUsage();
  process.on('message', (message) => {
    const { user, system } = process.cpuUsage(before);
    if (message === 'start') before = process.cpuUsage();
    else process.send?.({ cpuMs: (user + system) / 1000 });
  });
}

/**
 * @param {number} clients
 * @param {number} port
 * @returns {Promise<{ received: number, gaps: number[] }>} after the streams that began together have ended
 */
async function readStreams(clients, port) {
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({
    model: 'm',
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  /** @type {number[]} */
  const gaps = [];
  let received = 0;
  const one = async () => {
    const outgoing = request({
      agent,
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    let last = 0;
    for await (const chunk of response) {
      const pieces = String(chunk).split(' token').length - 1;
      if (pieces === 0) continue;
      received += pieces;
      const now = performance.now();
      if (last > 0) gaps.push(now - last);
      last = now;
    }
  };
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      // Spread over a second, as people are.
      await new Promise((resolve) => setTimeout(resolve, (index * 1000) / clients));
      await one();
    }),
  );
  agent.destroy();
  return { received, gaps };
}

/** @param {string[]} args */
async function start(args) {
  const child = fork(fileURLToPath(import.meta.url), args);
  const [port] = await once(child, 'message');
  return { child, port: Number(port) };
}

/** Processor 1 is the host's, where there is `taskset`; 0 is for all else. @param {number | undefined} pid @param {0 | 1} processor */
function pin(pid, processor) {
  return spawnSync('taskset', ['-ap', '-c', String(processor), String(pid)]).status === 0;
}

/** @param {string} kind @param {string} engineUrl @param {number} clients */
async function measure(kind, engineUrl, clients) {
  const { child, port } = await start([kind, engineUrl]);
  pin(child.pid, 1);
  await readStreams(50, port);
  child.send('start');
  const began = performance.now();
  const { received, gaps } = await readStreams(clients, port);
  const seconds = (performance.now() - began) / 1000;
  child.send('stop');
  const [{ cpuMs }] = await once(child, 'message');
  child.kill();
  return { received, gaps, seconds, microseconds: (1000 * cpuMs) / received };
}

if (role === 'engine') await runEngine();
else if (role === 'host' || role === 'bare' || role === 'parsing') {
  reportUsage();
  const engineUrl = rest[0] ?? '';
  await (role === 'host' ? runHost(engineUrl) : runBare(engineUrl, role === 'parsing'));
} else {
  const engine = await start(['engine']);
  const isPinned = pin(engine.child.pid, 0) && pin(process.pid, 0);
  console.log(
    `${machine()}${isPinned ? ', the host on one processor' : ''}; ${tokensPerSecond} tokens/s a stream`,
  );
  const url = `http://127.0.0.1:${engine.port}`;
  const counts = role === undefined ? [100, 200, 400, 1000] : [role, ...rest].map(Number);
  for (const clients of counts) {
    const bare = await measure('bare', url, clients);
    const parsing = await measure('parsing', url, clients);
    const { received, gaps, seconds, microseconds } = await measure('host', url, clients);
    console.log(
      `${clients} clients: ${received} of ${clients * tokens} tokens in ${seconds.toFixed(1)} s,`,
      `${microseconds.toFixed(0)} µs of the host a token, ${(microseconds / bare.microseconds).toFixed(2)} × the ${bare.microseconds.toFixed(0)} of a bare server,`,
      `${(microseconds / parsing.microseconds).toFixed(2)} × the ${parsing.microseconds.toFixed(0)} of one that parses:`,
      `${Math.floor(0.8e6 / (microseconds * tokensPerSecond))} streams fill 80 % of a processor;`,
      `gaps ${median(gaps).toFixed(0)} ms, p99 ${percentile(gaps, 0.99).toFixed(0)} ms`,
    );
  }
  engine.child.kill();
}
