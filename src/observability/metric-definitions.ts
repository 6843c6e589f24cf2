export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** With upper bounds of buckets, in seconds. */
export interface HistogramDefinition extends MetricDefinition {
  readonly buckets: readonly number[];
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const firstOutputBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60];
const tokenBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5];
const loadBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counted as events happen. */
export const counterDefinitions = {
  httpRequests: {
    name: 'http_requests_total',
    help: 'Finished HTTP requests, by route, status and error code (empty without an error).',
    labels: ['method', 'route', 'status', 'error'],
  },
  runs: {
    name: 'runs_total',
    help: 'Finished requests to models: done, or the error code; cancelled if the caller disconnected.',
    labels: ['category', 'model', 'outcome'],
  },
  choices: {
    name: 'choices_total',
    help: 'Finished chat choices, by finish reason.',
    labels: ['model', 'finish_reason'],
  },
  inputTokens: {
    name: 'input_tokens_total',
    help: 'Tokens of prompts and of texts to embed.',
    labels: ['model'],
  },
  cachedTokens: {
    name: 'cached_input_tokens_total',
    help: 'Input tokens reused from the cache of an earlier prompt with the same prefix.',
    labels: ['model'],
  },
  outputTokens: {
    name: 'output_tokens_total',
    help: 'Tokens generated, reasoning included.',
    labels: ['model'],
  },
  reasoningTokens: {
    name: 'reasoning_output_tokens_total',
    help: 'Output tokens of reasoning.',
    labels: ['model'],
  },
  images: {
    name: 'images_total',
    help: 'Images drawn.',
    labels: ['model'],
  },
  transcribedSeconds: {
    name: 'transcribed_audio_seconds_total',
    help: 'Length of the audio transcribed.',
    labels: ['model'],
  },
  spokenSeconds: {
    name: 'spoken_audio_seconds_total',
    help: 'Length of the audio synthesized.',
    labels: ['model'],
  },
  vectors: {
    name: 'vectors_total',
    help: 'Texts turned into vectors.',
    labels: ['model'],
  },
  detections: {
    name: 'detections_total',
    help: 'Objects found in images.',
    labels: ['model'],
  },
  workerRestarts: {
    name: 'worker_restarts_total',
    help: 'Lost workers that are replaced: they crashed, or were killed because they hung.',
    labels: ['model'],
  },
  modelFailures: {
    name: 'model_failures_total',
    help: "Model replicas that could not be loaded and won't be retried.",
    labels: ['model'],
  },
  modelUnloads: {
    name: 'model_unloads_total',
    help: 'Models unloaded, by reason: idle, room (a different model needed the slot), call, failure.',
    labels: ['model', 'reason'],
  },
} as const satisfies Record<string, MetricDefinition>;

export const histogramDefinitions = {
  httpDuration: {
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its response, streams included.',
    labels: ['method', 'route'],
    buckets: requestBuckets,
  },
  runDuration: {
    name: 'run_duration_seconds',
    help: 'Duration of a model request that reached a worker, waiting included.',
    labels: ['category', 'model'],
    buckets: requestBuckets,
  },
  wait: {
    name: 'queue_wait_seconds',
    help: 'Time until a worker took the request.',
    labels: ['model'],
    buckets: requestBuckets,
  },
  firstToken: {
    name: 'time_to_first_token_seconds',
    help: 'Time from a chat request to the first piece of its answer, waiting included.',
    labels: ['model'],
    buckets: firstOutputBuckets,
  },
  outputToken: {
    name: 'time_per_output_token_seconds',
    help: 'Time per chat token after the first.',
    labels: ['model'],
    buckets: tokenBuckets,
  },
  firstAudio: {
    name: 'time_to_first_audio_seconds',
    help: 'Time from a text to the first piece of its speech, waiting included.',
    labels: ['model'],
    buckets: firstOutputBuckets,
  },
  modelLoad: {
    name: 'model_load_seconds',
    help: 'Time to load a model, once per replica and restart.',
    labels: ['model'],
    buckets: loadBuckets,
  },
} as const satisfies Record<string, HistogramDefinition>;

/** Read at collection time. */
export const gaugeDefinitions = {
  httpInFlight: {
    name: 'http_requests_in_flight',
    help: 'HTTP requests whose response has not ended.',
    labels: [],
  },
  waiting: {
    name: 'queue_depth',
    help: 'Requests waiting for a worker.',
    labels: ['model'],
  },
  running: {
    name: 'runs_running',
    help: 'Requests running in workers.',
    labels: ['model'],
  },
  ready: {
    name: 'model_ready',
    help: '1 for a model that accepts requests, including models that load on demand; else 0.',
    labels: ['category', 'model'],
  },
  loaded: {
    name: 'model_loaded',
    help: '1 for a model in memory, 0 for a loading, unloaded or failed model.',
    labels: ['model'],
  },
  upstreamHealthy: {
    name: 'upstream_healthy',
    help: '1 for a healthy server of a remote model, else 0.',
    labels: ['model', 'upstream'],
  },
  upstreamRunning: {
    name: 'upstream_running',
    help: 'Requests running on a server of a remote model.',
    labels: ['model', 'upstream'],
  },
  upstreamFailures: {
    name: 'upstream_failures',
    help: "Failed requests of a remote model's server since the model was loaded; some were answered by a different server.",
    labels: ['model', 'upstream'],
  },
} as const satisfies Record<string, MetricDefinition>;
