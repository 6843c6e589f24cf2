import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { orElse } from '../errors.ts';
import type { CategoryModels, Pipeline } from '../contracts/category.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createHostCalls } from './host-functions.ts';
import { loadFaultOf } from './load-error.ts';
import type { HostMessage, LoadPipeline } from './protocol.ts';
import { report, send } from './worker-channel.ts';
import { WorkerRuns } from './worker-runs.ts';

/**
 * The CPUs that a worker may use: all but one, which is left to the host and to the remaining workers. Each worker of a
 * host leaves a different one, so that no CPU stays idle while the workers crowd on the rest.
 */
export function assignProcessors(
  processors: readonly number[],
  { threads = 1, place }: { threads?: number | undefined; place: number },
): readonly number[] {
  if (processors.length < 2 || threads >= processors.length) return processors;
  return processors.toSpliced(place % processors.length, 1);
}

/**
 * Keeps this process with all its threads off one of its CPUs, so that the host finds it free whenever it wakes up: with a low
 * priority only, a busy thread would finish its time slice first. On Linux with the program `taskset`; no effect elsewhere.
 */
function leaveCore(options: Parameters<typeof assignProcessors>[1]): void {
  const status = orElse(() => readFileSync('/proc/self/status', 'utf8'), '');
  const processors = parseProcessorList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '');
  const assigned = assignProcessors(processors, options);
  if (assigned.length === processors.length) return;
  spawnSync('taskset', ['-a', '-c', '-p', assigned.join(','), String(process.pid)], { stdio: 'ignore' });
}

/** `0-2,5` → 0, 1, 2, 5: the kernel's notation of CPU sets. */
export function parseProcessorList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    if (range === '' || first === undefined || last === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** A `nice` value: 0 is normal, 19 the lowest. */
const workerPriority = 10;

/**
 * Makes this process a worker of the engine: it loads one model and runs requests until the host closes it or exits.
 * Call it before any heavy import, so that the process can be controlled from its start.
 */
export function serveWorker(
  loadPipeline: LoadPipeline,
  appendOf: (category: string) => CategoryModels['append'] = () => undefined,
): void {
  if (!process.send) throw new Error('serveWorker: expected a process that the engine started');
  followHost();
  // The heartbeat thread keeps its priority, so that it runs even on a busy machine.
  const threads = orElse(() => readdirSync('/proc/self/task'), []).map(Number);
  try {
    startHeartbeat();
  } catch (error) {
    return send({ type: 'load-failed', ...loadFaultOf(error) });
  }
  lowerPriority(threads);

  let pipeline: Pipeline | undefined;
  let runs: WorkerRuns | undefined;
  const calls = createHostCalls(send);
  const load = async ({ spec, place, functions }: HostMessage & { readonly type: 'load' }): Promise<void> => {
    try {
      calls.place(spec, functions);
      pipeline = await loadPipeline(spec, (progress) => send({ type: 'loading', progress }));
      leaveCore({ threads: spec.threads, place });
      const { info, concurrency, reserve, runtime } = pipeline;
      runs = new WorkerRuns(pipeline, appendOf(info.category));
      send({ type: 'loaded', info, concurrency, reserve, runtime, memoryBytes: process.memoryUsage.rss() });
      tellUpstreams(pipeline);
    } catch (error) {
      report(`model "${spec.id}" could not be loaded`, error);
      send({ type: 'load-failed', ...loadFaultOf(error) });
    }
  };
  const close = async (): Promise<void> => {
    await runs?.ended();
    await pipeline?.close().catch((error: unknown) => report('the model could not be closed', error));
    process.exit();
  };
  process.on('message', (message: HostMessage) => {
    if (message.type === 'load') void load(message);
    else if (message.type === 'part') runs?.begin(message);
    else if (message.type === 'cancel') runs?.cancel(message.id);
    else if (message.type === 'return') calls.receive(message);
    else if (message.type === 'close') void close();
  });
}

const upstreamsIntervalMs = 1000;

/** Reports changes of a model's upstream servers to the host. */
function tellUpstreams(pipeline: Pipeline): void {
  if (!pipeline.upstreams) return;
  let told = '';
  const tell = (): void => {
    const upstreams = pipeline.upstreams!();
    const news = JSON.stringify(upstreams);
    if (news !== told) send({ type: 'upstreams', upstreams });
    told = news;
  };
  tell();
  setInterval(tell, upstreamsIntervalMs).unref();
}

/** The host decides when a worker ends: by a message, a kill, or its own exit. A terminal's Ctrl-C reaches both. */
function followHost(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}

/**
 * Yields the CPU to the host. On Linux a priority belongs to a thread: threads started later inherit it, but V8's
 * garbage collection threads already run.
 */
function lowerPriority(threads: readonly number[]): void {
  for (const thread of [0, ...threads]) {
    try {
      if (getPriority(thread) < workerPriority) setPriority(thread, workerPriority);
    } catch {
      // Some containers forbid it, and threads may end; the worker runs anyway.
    }
  }
}
