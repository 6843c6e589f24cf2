import { fieldError } from '../../errors.ts';
import type { SessionBackend } from '../contract.ts';
import { openInferenceSession } from './open-inference-session.ts';
import type { GraphServer } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

/** Graphs on a server of the Open Inference Protocol. */
export function kserveSessions(server: GraphServer): SessionBackend {
  return {
    hasGraphs: false,
    async openSession({ name }) {
      const model = modelOf(server.model, name);
      if (model !== undefined) return openInferenceSession({ ...server, model });
      const expected =
        name === undefined ? 'the name of one graph' : `a name for each graph, ${name} among them`;
      throw fieldError('backend.model', `expected ${expected}, got ${describeValue(server.model)}`);
    },
  };
}

function modelOf(
  models: string | Readonly<Record<string, string>>,
  name: string | undefined,
): string | undefined {
  if (typeof models === 'string') return name === undefined ? models : undefined;
  return name === undefined ? undefined : models[name];
}
