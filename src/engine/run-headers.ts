import type { RunOrigin } from '../contracts/run.ts';

const printable = /^[\x21-\x7e]{1,200}$/;
const traceparent = /^[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const tracestate = /^[\x20-\x7e]{1,512}$/;

/**
 * Headers that identify the request for another machine. Of what a client sent nothing else is passed on, and
 * nothing malformed.
 *
 * @see https://www.w3.org/TR/trace-context/
 *
 * @example
 * ```ts
 * const carrier = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', cookie: 'a=b' };
 * runHeaders({ requestId: 'req_1', carrier }); // x-request-id and traceparent
 * ```
 */
export function runHeaders({ requestId, carrier = {} }: RunOrigin): Record<string, string> {
  const headers: Record<string, string> = {};
  if (printable.test(requestId)) headers['x-request-id'] = requestId;
  const parent = carrier['traceparent'];
  if (typeof parent !== 'string' || !traceparent.test(parent)) return headers;
  headers['traceparent'] = parent;
  const given = carrier['tracestate'] ?? [];
  const state = typeof given === 'string' ? given : given.join(',');
  if (tracestate.test(state)) headers['tracestate'] = state;
  return headers;
}
