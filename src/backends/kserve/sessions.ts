import { fieldError, InferenceError, whileWanted } from '../../errors.ts';
import { unlessAborted } from '../../runtime/all-aborted.ts';
import type { SessionBackend } from '../../contracts/sessions.ts';
import { endpointsOf, senderTo, type RemoteEndpoint } from '../access.ts';
import { Upstreams } from '../upstreams.ts';
import { openInferenceSession } from './open-inference-session.ts';
import type { GraphAccess, GraphServer } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { Pipeline } from '../../contracts/category.ts';

/** Name of the only graph of a single-graph model. */
const whole = '';

/** Graphs on servers of the Open Inference Protocol. */
export function kserveSessions(server: GraphServer, servers: Upstreams<RemoteEndpoint>): SessionBackend {
  return {
    hasGraphs: false,
    async openSession({ name }) {
      const models = typeof server.model === 'string' ? { [whole]: server.model } : server.model;
      const model = models[name ?? whole];
      if (model !== undefined) {
        const signature = server.signature?.[model];
        return openInferenceSession({ ...server, servers, model, signature });
      }
      const expected =
        name === undefined ? 'the name of one graph' : `one name per graph, ${name} among them`;
      throw fieldError('backend.model', `expected ${expected}, got ${describeValue(server.model)}`);
    },
  };
}

/** The servers of a backend, with health checks; a server without a health page counts as ready. */
export function graphServers(access: GraphAccess): Upstreams<RemoteEndpoint> {
  return new Upstreams({
    servers: endpointsOf(access.upstreams ?? [{ url: access.url!, maxConcurrent: Infinity }], access),
    async check(server, signal) {
      const response = await (await senderTo(server))('/v2/health/ready', { signal });
      void response.body?.cancel();
      if (response.ok || response.status === 404) return;
      throw new InferenceError('worker_failed', `The graph server answered ${response.status}.`);
    },
  });
}

/**
 * Ends the runs of a pipeline as soon as they are cancelled, even while they wait for a remote server: a waiting run
 * would look like a hung worker.
 */
export function endAtAbort(pipeline: Pick<Pipeline, 'run'>): Pipeline['run'] {
  return (request, options = {}) => {
    const events = pipeline.run(request, options);
    return options.signal ? untilAborted(events, options.signal) : events;
  };
}

async function* untilAborted<Event>(
  source: AsyncIterable<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const events = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await whileWanted(signal, unlessAborted(signal, events.next()));
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited: a run that waits for a server returns only after the response.
    void events.return?.().catch(() => {});
  }
}
