/** A metric; its name lacks the prefix. */
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
    help: 'HTTP requests that have ended, by route, status and error code (empty without an error).',
    labels: ['method', 'route', 'status', 'error'],
  },
  runs: {
    name: 'runs_total',
    help: 'Requests to models that have ended: done, or the code of their error; those whose caller disconnected are cancelled.',
    labels: ['category', 'model', 'outcome'],
  },
  choices: {
    name: 'choices_total',
    help: 'Choices of chats that have ended, by finish reason.',
    labels: ['model', 'finish_reason'],
  },
  inputTokens: {
    name: 'input_tokens_total',
    help: 'Tokens of prompts and of texts to embed.',
    labels: ['model'],
  },
  cachedTokens: {
    name: 'cached_input_tokens_total',
    help: 'Input tokens that needed no computing, because an earlier prompt began in the same way.',
    labels: ['model'],
  },
  outputTokens: {
    name: 'output_tokens_total',
    help: 'Tokens generated, reasoning included.',
    labels: ['model'],
  },
  reasoningTokens: {
    name: 'reasoning_output_tokens_total',
    help: 'Output tokens that were reasoning.',
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
    help: 'Length of the audio spoken.',
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
    help: 'Workers that were lost and are replaced: they crashed, or were killed because they did not answer.',
    labels: ['model'],
  },
  modelFailures: {
    name: 'model_failures_total',
    help: 'Replicas of models that could not be loaded, and will not be tried again.',
    labels: ['model'],
  },
  modelUnloads: {
    name: 'model_unloads_total',
    help: 'Models unloaded, by reason: idle, room (another model needed their place), call, failure.',
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
    help: 'Time of a request to a model that a worker took, waiting included.',
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
    help: 'Time of a chat after the first token, over the number of its other tokens.',
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
    help: 'Requests that wait for a worker.',
    labels: ['model'],
  },
  running: {
    name: 'runs_running',
    help: "Requests in the workers' hands.",
    labels: ['model'],
  },
  ready: {
    name: 'model_ready',
    help: '1 for a model that takes requests, else 0; also for one that the next request loads.',
    labels: ['category', 'model'],
  },
  loaded: {
    name: 'model_loaded',
    help: '1 for a model in memory, 0 for one that is loading, unloaded or failed.',
    labels: ['model'],
  },
  upstreamHealthy: {
    name: 'upstream_healthy',
    help: '1 for a server that gets requests, of a model on other machines; else 0.',
    labels: ['model', 'upstream'],
  },
  upstreamRunning: {
    name: 'upstream_running',
    help: 'Requests in the hands of a server, of a model on other machines.',
    labels: ['model', 'upstream'],
  },
  upstreamFailures: {
    name: 'upstream_failures',
    help: 'Requests that a server of a model on other machines has failed since the model was loaded; some of them another has answered.',
    labels: ['model', 'upstream'],
  },
} as const satisfies Record<string, MetricDefinition>;
