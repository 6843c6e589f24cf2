import type { RunOrigin } from '../contracts/run.ts';
import type { ObservedModel, ObservedRun, RunEnd, ObservedRequest, Observer } from '../contracts/observer.ts';
import { messageOf, type InferenceError } from '../errors.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { reasonOf } from './run-facts.ts';
import type { Logger } from './logger.ts';

const known = new WeakMap<Logger, Observer>();

/**
 * Logs a line per request, per run outside a request, and per model event; never user content, keys or addresses. One observer
 * per logger, so that a handler and its inference can share a logger without duplicate lines.
 */
export function logObserver(logger: Logger): Observer {
  return getOrCreate(known, logger, () => createLogObserver(logger));
}

function createLogObserver(given: Logger): Observer {
  const logger = given.child?.({ component: 'slashv1' }) ?? given;
  const runs = new WeakMap<RunOrigin, object>();
  const advised = new Set<string>();
  return {
    onRequestStart({ requestId, method, route = null }) {
      logger.debug({ requestId, method, route }, `${title(method, route)} received`);
    },
    onRequestEnd(request, end) {
      const { requestId, method, route = null } = request;
      const { status, durationMs, error } = end;
      const fields = {
        requestId,
        method,
        route,
        status,
        durationMs: round(durationMs),
        ...runs.get(request),
        ...describe(error),
      };
      logger[levelOf(error)](fields, `${title(method, route)} ${outcomeOf(status, error)}`);
    },
    onRunEnd(run, end) {
      const fields = describeRun(run, end);
      const { model, telemetry } = run;
      const advice = advised.has(model) ? undefined : telemetry.advice?.(run.request as object, end);
      if (advice !== undefined) {
        advised.add(model);
        logger.warn({ model, category: run.category }, advice);
      }
      if (run.origin !== undefined && isRequest(run.origin)) {
        runs.set(run.origin, fields);
        return;
      }
      const { origin, category } = run;
      const durationMs = round(end.durationMs);
      const line = { requestId: origin?.requestId, category, durationMs, ...fields, ...describe(end.error) };
      logger[levelOf(end.error)](line, `${category} ${end.error?.code ?? 'done'}`);
    },
    onModelLoad(model, { replica, loadMs, runtime }) {
      logger.info(
        { ...named(model), replica, loadMs: round(loadMs), ...(runtime && { runtime }) },
        'model loaded',
      );
    },
    onModelFailure(model, { replica, error }) {
      logger.error({ ...named(model), replica, err: error.cause ?? error }, 'model could not be loaded');
    },
    onWorkerLoss(model, { replica, reason, restartInMs }) {
      const next = restartInMs === undefined ? 'given up' : 'restarting';
      logger.warn({ ...named(model), replica, reason, restartInMs }, `worker lost, ${next}`);
    },
    onModelUnload(model, { reason }) {
      logger.info({ ...named(model), reason }, 'model unloaded');
    },
    onModelClose(model) {
      logger.info(named(model), 'model closed');
    },
  };
}

function isRequest(origin: RunOrigin): origin is ObservedRequest {
  return 'route' in origin;
}

function title(method: string, route: string | null): string {
  return `${method.slice(0, 20)} ${route ?? 'unknown route'}`;
}

function outcomeOf(status: number, error: InferenceError | undefined): string {
  return error === undefined ? String(status) : `${status} ${error.code}`;
}

function levelOf(error: InferenceError | undefined): 'info' | 'warn' | 'error' {
  if (error === undefined || error.code === 'cancelled') return 'info';
  return error.code === 'internal' ? 'error' : 'warn';
}

/** Codes of faults outside of this package. */
const outside: ReadonlySet<string> = new Set(['worker_failed', 'overloaded']);

function describe(error: InferenceError | undefined): object {
  if (error === undefined) return {};
  const { code, param, cause } = error;
  const reason = reasonOf(error);
  return {
    code,
    ...(param === undefined ? {} : { param }),
    ...(reason === undefined ? {} : { reason }),
    ...(code === 'internal' ? { err: cause ?? error } : {}),
    // A single line for a fault of a remote server or of the host's function.
    ...(outside.has(code) && cause !== undefined ? { detail: messageOf(cause) } : {}),
  };
}

function describeRun(run: ObservedRun, { waitMs, firstOutputMs, usage, finishReasons }: RunEnd): object {
  return {
    ...(run.isKnownModel ? { model: run.model } : {}),
    ...(waitMs === undefined ? {} : { waitMs: round(waitMs) }),
    ...(firstOutputMs === undefined ? {} : { firstOutputMs: round(firstOutputMs) }),
    ...usage,
    ...(finishReasons.length === 0 ? {} : { finishReasons }),
  };
}

function named({ id, category }: ObservedModel): object {
  return { model: id, category };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
