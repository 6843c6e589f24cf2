import { isMainThread } from 'node:worker_threads';
import { getOrCreate } from '../../core/get-or-create.ts';
import { messageOf, orThrow } from '../../errors.ts';
import { disableTelemetry } from '../disable-telemetry.ts';
import {
  apiFunctions,
  apiVersion,
  pluginApiVersion,
  pluginFunctions,
  type ApiFunction,
  type ApiFunctionName,
} from './api-functions.ts';
import { callOnThread, loadKoffi, type Koffi, type NativeFunction } from './load-koffi.ts';
import { findLibrary } from './runtime-library.ts';

type Argument = bigint | number | string | readonly string[] | NodeJS.TypedArray | null;
type Status = bigint | null | undefined;

export type Api = ReturnType<typeof openLibrary>;

const loaded = new Map<string, Promise<Api>>();
/**
 * Library handles of this process. koffi unloads a library when its handle is garbage-collected, which invalidates its
 * functions.
 */
const libraries: unknown[] = [];

/** Loads the library and its function table, once per path. */
export async function loadApi({ path } = findLibrary()): Promise<Api> {
  return getOrCreate(loaded, path, () => loadKoffi().then((koffi) => openLibrary(koffi, path)));
}

function openLibrary(koffi: Koffi, path: string) {
  disableTelemetry();
  // In worker threads `process.env` is a copy, which the library doesn't see.
  if (!isMainThread && process.platform !== 'win32') {
    const setenv = koffi.load(null).func('setenv', 'int', ['str', 'str', 'int']);
    setenv('ORT_DISABLE_TELEMETRY', process.env['ORT_DISABLE_TELEMETRY'], 1);
  }
  const library = loadLibrary(koffi, path);
  libraries.push(library);
  const base = findApiBase(library, path);
  const [getApi, getVersionString] = koffi.decode(base, koffi.array('void *', 2)) as [bigint, bigint];
  const version = koffi.call(getVersionString, koffi.proto('str', [])) as string;
  const getTable = (wanted: number) =>
    koffi.call(getApi, koffi.proto('void *', ['uint32']), wanted) as bigint | null;
  const table = getTable(apiVersion);
  assertApi(table, version);

  const functions = {
    ...readFunctions(koffi, table, apiFunctions, (name) => {
      throw new Error(`expected a function ${name}, which onnxruntime ${version} lacks`);
    }),
    ...readFunctions(koffi, getTable(pluginApiVersion), pluginFunctions, () => () => {
      throw new Error(expectation(pluginApiVersion, version));
    }),
  } as unknown as Record<ApiFunctionName, NativeFunction<Argument, Status>>;

  const check = (status: Status): void => {
    if (status === null || status === undefined) return;
    const message = functions.GetErrorMessage(status) as unknown as string;
    functions.ReleaseStatus(status);
    throw new Error(message);
  };
  const found = new BigUint64Array(1);
  /** Calls a function whose last argument points to a pointer that may stay null (0). */
  const find = (name: ApiFunctionName, ...values: Argument[]): bigint => {
    found[0] = 0n;
    check(functions[name](...values, found));
    return found[0];
  };
  /** Calls a function whose last argument points to a handle that it creates. */
  const create = (name: ApiFunctionName, ...values: Argument[]): bigint => {
    const handle = find(name, ...values);
    if (handle === 0n) throw new Error(`${name}: the runtime returned nothing`);
    return handle;
  };

  const environment = create('CreateEnv', silent, 'slashv1');
  if (process.env['ORT_DISABLE_TELEMETRY'] === '1') check(functions.DisableTelemetryEvents(environment));
  return {
    /** `1.30.0` */
    version,
    path,
    /** `OrtEnv *`, for the lifetime of the process. */
    environment,
    allocator: create('GetAllocatorWithDefaultOptions'),
    /** `OrtMemoryInfo *` of this process's memory. */
    cpuMemory: create('CreateMemoryInfo', 'Cpu', 0, 0, 0),
    find,
    create,
    call: (name: ApiFunctionName, ...values: Argument[]): void => check(functions[name](...values)),
    /** Calls a function on a separate thread. The caller must keep array arguments alive until it returns. */
    callAsync: (name: ApiFunctionName, ...values: Argument[]): Promise<void> =>
      callOnThread(functions[name], values).then(check),
    /** Calls a function that returns a value instead of a status. */
    ask: (name: ApiFunctionName, ...values: Argument[]): unknown => functions[name](...values),
    readPointers: (address: bigint, count: number): readonly bigint[] =>
      count === 0 ? [] : (koffi.decode(address, koffi.array('void *', count)) as bigint[]),
    /** Reads zero-terminated UTF-8. */
    readString: (address: bigint): string => koffi.decode.string(address),
    // A copy, since the memory belongs to the runtime.
    copyBytes: (address: bigint, length: number): ArrayBuffer =>
      length === 0 ? new ArrayBuffer(0) : koffi.view(address, length).slice(0),
    /** Loads a library permanently; returns the system's error message on failure. */
    loadError(other: string): string | undefined {
      try {
        libraries.push(koffi.load(other, { lazy: true }));
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

/** @param table the library's result: null if it doesn't support the requested version */
export function assertApi(table: bigint | null, version: string): asserts table is bigint {
  if (table === null) throw new Error(expectation(apiVersion, version));
}

function expectation(wanted: number, version: string): string {
  const expected = `version ${wanted} or later of its C API, which onnxruntime 1.${wanted} and later have`;
  return `expected ${expected}, got onnxruntime ${version}`;
}

/** @param absent creates a placeholder for a function that the library lacks */
function readFunctions(
  koffi: Koffi,
  table: bigint | null,
  wanted: Readonly<Record<string, ApiFunction>>,
  absent: (name: string) => () => never,
): Record<string, unknown> {
  const length = Math.max(...Object.values(wanted).map(([position]) => position)) + 1;
  const addresses = table === null ? [] : (koffi.decode(table, koffi.array('void *', length)) as bigint[]);
  return Object.fromEntries(
    Object.entries(wanted).map(([name, [position, result, argumentTypes]]) => {
      const address = addresses[position];
      return [name, address ? koffi.decode(address, koffi.proto(result, [...argumentTypes])) : absent(name)];
    }),
  );
}

function loadLibrary(koffi: Koffi, path: string) {
  return orThrow(
    () => koffi.load(path),
    (cause) => new Error(`${path}: ${messageOf(cause)}`, { cause }),
  );
}

function findApiBase(library: ReturnType<Koffi['load']>, path: string): bigint {
  const message = `${path}: expected a library of ONNX Runtime, got one without OrtGetApiBase`;
  return orThrow(
    () => library.func('OrtGetApiBase', 'void *', [])() as bigint,
    (cause) => new Error(message, { cause }),
  );
}

/** `ORT_LOGGING_LEVEL_FATAL`: errors are returned as statuses, so logging is off. */
const silent = 4;
