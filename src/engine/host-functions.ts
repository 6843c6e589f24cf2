import { messageOf } from '../errors.ts';
import type { DataPath, HostMessage, WorkerMessage } from './protocol.ts';

type HostFunction = () => unknown;
type Answer = HostMessage & { readonly type: 'return' };

/** Extracts functions from data for a worker, which calls them by number. */
export function separateFunctions<Data>(data: Data) {
  const paths: DataPath[] = [];
  const functions: HostFunction[] = [];
  const copy = (value: unknown, path: DataPath): unknown => {
    if (typeof value === 'function') {
      paths.push(path);
      functions.push(value as HostFunction);
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, [...path, key])]));
  };
  return { data: copy(data, []) as Data, paths, functions };
}

/** Calls a function for a worker. Only the message of its error is sent. */
export async function callFor(
  functions: readonly HostFunction[],
  { id, number }: WorkerMessage & { readonly type: 'call' },
): Promise<Answer> {
  try {
    return { type: 'return', id, value: structuredClone(await functions[number]!()) };
  } catch (error) {
    return { type: 'return', id, error: messageOf(error) };
  }
}

/** The worker's side: inserts functions that call the host into data. */
export function createHostCalls(send: (message: WorkerMessage) => void) {
  const open = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  const call = (number: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      open.set(id, ({ value, error }) => (error === undefined ? resolve(value) : reject(new Error(error))));
      send({ type: 'call', id, number });
    });
  return {
    /** Mutates `data`, which is empty at these paths. */
    place(data: object, paths: readonly DataPath[]): void {
      for (const [number, path] of paths.entries()) {
        const parents = path.slice(0, -1);
        const parent = parents.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], data);
        (parent as Record<string | number, unknown>)[path.at(-1)!] = () => call(number);
      }
    },
    receive(answer: Answer): void {
      open.get(answer.id)?.(answer);
      open.delete(answer.id);
    },
  };
}
