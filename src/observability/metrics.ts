import type * as PromClient from 'prom-client';
import { assertNames } from '../core/assert-names.ts';
import type { UpstreamStatus } from '../contracts/run.ts';
import type { ModelDirectory } from '../contracts/model.ts';
import type { ObservedRun, Observer, RunEnd } from '../contracts/observer.ts';
import {
  counterDefinitions,
  gaugeDefinitions,
  histogramDefinitions,
  type HistogramDefinition,
  type MetricDefinition,
} from './metric-definitions.ts';
import { requireOptional } from './optional-package.ts';
import { timePerOutputToken } from './run-facts.ts';

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /** Registry of the metrics; default: a new registry. `prom-client`'s default registry is `register`. */
  readonly register?: PromClient.Registry | undefined;
  /** Prefix of every name; default `slashv1_`. */
  readonly prefix?: string | undefined;
}

/** The metrics of one registry. */
export interface CountingObserver {
  /** For the `observers` of `createHandler`, or of `createInference` without a handler. */
  readonly observer: Observer;
  readonly register: PromClient.Registry;
}

/** `createMetrics` without its handler. */
export function createCountingObserver(options: MetricsOptions): CountingObserver {
  assertNames('createMetrics', options, ['register', 'prefix']);
  const client = requireOptional('prom-client', 'createMetrics') as typeof PromClient;
  const { register = new client.Registry(), prefix = 'slashv1_' } = options;
  if (!/^([a-zA-Z_:][\w:]*)?$/.test(prefix))
    throw new TypeError(`prefix: expected letters, digits, "_" and ":", got ${JSON.stringify(prefix)}`);
  const configure = ({ name, help, labels }: MetricDefinition) => ({
    name: prefix + name,
    help,
    labelNames: [...labels],
    registers: [register],
  });
  const counters = mapValues(counterDefinitions, (definition) => new client.Counter(configure(definition)));
  const histograms = mapValues(
    histogramDefinitions,
    (definition: HistogramDefinition) =>
      new client.Histogram({ ...configure(definition), buckets: [...definition.buckets] }),
  );
  const inferences = new Set<ModelDirectory>();
  const inFlight = new client.Gauge(configure(gaugeDefinitions.httpInFlight));
  createModelGauges((definition, collect) => {
    const gauge: PromClient.Gauge = new client.Gauge({
      ...configure(definition),
      collect() {
        gauge.reset();
        for (const inference of inferences) collect(gauge, inference);
      },
    });
  });
  return {
    observer: createObserver({ counters, histograms, inFlight, inferences }),
    register,
  };
}

type Collect = (gauge: PromClient.Gauge, inference: ModelDirectory) => void;

function createModelGauges(create: (definition: MetricDefinition, collect: Collect) => void): void {
  create(gaugeDefinitions.waiting, (gauge, inference) => {
    for (const { id, waiting } of inference.status()) gauge.inc({ model: id }, waiting);
  });
  create(gaugeDefinitions.running, (gauge, inference) => {
    for (const { id, running } of inference.status()) gauge.inc({ model: id }, running);
  });
  create(gaugeDefinitions.ready, (gauge, inference) => {
    const categories = new Map(inference.models().map(({ id, category }) => [id, category]));
    for (const { id, state } of inference.status()) {
      const takesRequests = state === 'ready' || state === 'unloaded';
      gauge.set({ category: categories.get(id), model: id }, takesRequests ? 1 : 0);
    }
  });
  create(gaugeDefinitions.loaded, (gauge, inference) => {
    for (const { id, state } of inference.status())
      gauge.set({ model: id }, state === 'ready' || state === 'draining' ? 1 : 0);
  });
  const perUpstream = (definition: MetricDefinition, valueOf: (upstream: UpstreamStatus) => number): void =>
    create(definition, (gauge, inference) => {
      for (const { id: model, upstreams = [] } of inference.status()) {
        for (const upstream of upstreams) gauge.inc({ model, upstream: upstream.url }, valueOf(upstream));
      }
    });
  perUpstream(gaugeDefinitions.upstreamHealthy, ({ isHealthy }) => (isHealthy ? 1 : 0));
  perUpstream(gaugeDefinitions.upstreamRunning, ({ running }) => running);
  perUpstream(gaugeDefinitions.upstreamFailures, ({ failures }) => failures);
}

interface Instruments {
  readonly counters: Readonly<Record<keyof typeof counterDefinitions, PromClient.Counter>>;
  readonly histograms: Readonly<Record<keyof typeof histogramDefinitions, PromClient.Histogram>>;
  readonly inFlight: PromClient.Gauge;
  readonly inferences: Set<ModelDirectory>;
}

function createObserver({ counters, histograms, inFlight, inferences }: Instruments): Observer {
  return {
    onAttach(inference) {
      inferences.add(inference);
      // Initialize at 0: a rate needs to see the step to 1.
      for (const { id: model } of inference.models()) {
        counters.workerRestarts.inc({ model }, 0);
        counters.modelFailures.inc({ model }, 0);
      }
    },
    onRequestStart: () => inFlight.inc(),
    onRequestEnd({ method: given, route = 'unknown' }, { status, durationMs, error }) {
      const method = commonMethod.test(given) ? given : 'other';
      inFlight.dec();
      counters.httpRequests.inc({ method, route, status, error: error?.code ?? '' });
      histograms.httpDuration.observe({ method, route }, durationMs / 1000);
    },
    onRunDispatch: (run, waitMs) => histograms.wait.observe({ model: labelOf(run) }, waitMs / 1000),
    onRunFirstOutput(run, firstOutputMs) {
      const name = firstOutputs[run.category];
      if (name !== undefined) histograms[name].observe({ model: labelOf(run) }, firstOutputMs / 1000);
    },
    onRunEnd(run, end) {
      const model = labelOf(run);
      const { category } = run;
      counters.runs.inc({ category, model, outcome: end.error?.code ?? 'done' });
      if (end.waitMs !== undefined)
        histograms.runDuration.observe({ category, model }, end.durationMs / 1000);
      const secondsPerToken = timePerOutputToken(end);
      if (category === 'chat' && secondsPerToken !== undefined)
        histograms.outputToken.observe({ model }, secondsPerToken);
      for (const finish_reason of end.finishReasons) counters.choices.inc({ model, finish_reason });
      countUsage(counters, run, end);
    },
    onModelLoad: ({ id: model }, { loadMs }) => histograms.modelLoad.observe({ model }, loadMs / 1000),
    onModelFailure: ({ id: model }) => counters.modelFailures.inc({ model }),
    onModelUnload: ({ id: model }, { reason }) => counters.modelUnloads.inc({ model, reason }),
    onWorkerLoss({ id: model }, { restartInMs }) {
      if (restartInMs !== undefined) counters.workerRestarts.inc({ model });
    },
  };
}

const commonMethod = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

const firstOutputs: Partial<Record<ObservedRun['category'], 'firstToken' | 'firstAudio'>> = {
  chat: 'firstToken',
  speech: 'firstAudio',
};

function countUsage(counters: Instruments['counters'], run: ObservedRun, { usage }: RunEnd): void {
  const labels = { model: labelOf(run) };
  const { audioSeconds, ...counts } = usage;
  for (const [name, count] of Object.entries(counts))
    counters[name as keyof typeof counts].inc(labels, count);
  if (audioSeconds === undefined) return;
  counters[run.category === 'speech' ? 'spokenSeconds' : 'transcribedSeconds'].inc(labels, audioSeconds);
}

/** Clients can invent any number of names. */
function labelOf({ model, isKnownModel }: ObservedRun): string {
  return isKnownModel ? model : 'unknown';
}

function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From) => To,
): Record<Key, To> {
  const mapped = Object.entries<From>(record).map(([key, value]) => [key, map(value)]);
  return Object.fromEntries(mapped) as Record<Key, To>;
}
