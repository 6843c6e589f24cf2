import { fieldError, InferenceError } from '../../errors.ts';
import type { SessionBackend } from '../../contracts/sessions.ts';
import { authorization } from '../access.ts';
import { Upstreams } from '../upstreams.ts';
import { openInferenceSession } from './open-inference-session.ts';
import { fetchWith } from '../../runtime/http/fetch-with-certificates.ts';
import { graphEndpointsOf, type GraphAccess, type GraphEndpoint, type GraphServer } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

/** Graphs on servers of the Open Inference Protocol. */
export function kserveSessions(server: GraphServer, servers: Upstreams<GraphEndpoint>): SessionBackend {
  return {
    hasGraphs: false,
    async openSession({ name }) {
      const model = modelOf(server.model, name);
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

/** The servers of a backend, asked by their page of health whether they are ready; one without such a page is. */
export function graphServers(access: GraphAccess): Upstreams<GraphEndpoint> {
  return new Upstreams({
    servers: graphEndpointsOf(access),
    async check({ url, apiKey, headers, tls }, signal) {
      const response = await fetchWith(tls)(`${url}/v2/health/ready`, {
        headers: { ...(await authorization(apiKey)), ...headers },
        signal,
        redirect: 'error',
      });
      void response.body?.cancel();
      if (response.ok || response.status === 404) return;
      throw new InferenceError('worker_failed', `The graph server answered ${response.status}.`);
    },
  });
}

function modelOf(
  models: string | Readonly<Record<string, string>>,
  name: string | undefined,
): string | undefined {
  if (typeof models === 'string') return name === undefined ? models : undefined;
  return name === undefined ? undefined : models[name];
}
