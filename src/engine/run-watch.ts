import { InferenceError } from '../errors.ts';
import type { FinishReason } from '../categories/contract.ts';
import type { Observers } from '../observers.ts';
import type { InferenceObserver, ObservedRun, RunUsage } from './observer.ts';
import type { AnyEvent } from './protocol.ts';

/** Measures one run and tells the observers. */
export interface RunWatch {
  /** A worker has taken it. */
  dispatch(): void;
  push(events: readonly AnyEvent[]): void;
  /** Only the first call counts. */
  end(error?: InferenceError): void;
}

/** Begins to watch a run; `undefined` where nobody would be told. */
export function watchRun(observers: Observers<InferenceObserver>, run: ObservedRun): RunWatch | undefined {
  if (observers.isEmpty) return undefined;
  const startedAt = performance.now();
  const sinceStart = (): number => performance.now() - startedAt;
  const usage: RunUsage = {};
  const finishReasons: FinishReason[] = [];
  let waitMs: number | undefined;
  let firstOutputMs: number | undefined;
  let ended = false;
  observers.tell('onRunStart', run);
  return {
    dispatch() {
      waitMs = sinceStart();
      observers.tell('onRunDispatch', run, waitMs);
    },
    push(events) {
      if (ended) return;
      if (firstOutputMs === undefined && events.some(isOutput)) {
        firstOutputMs = sinceStart();
        observers.tell('onRunFirstOutput', run, firstOutputMs);
      }
      for (const event of events) {
        if (event.type === 'choice-end') finishReasons[event.choice] = event.finishReason;
        else count(event, usage);
      }
      observers.tell('onRunEvents', run, events);
    },
    end(error) {
      if (ended) return;
      ended = true;
      observers.tell('onRunEnd', run, {
        durationMs: sinceStart(),
        waitMs,
        firstOutputMs,
        usage,
        // Choices that have not ended leave holes.
        finishReasons: finishReasons.filter(Boolean),
        error,
      });
    },
  };
}

/** What has come of a run when its caller leaves. */
export function left(): InferenceError {
  return new InferenceError('cancelled', 'The caller has left.');
}

function isOutput({ type }: AnyEvent): boolean {
  switch (type) {
    case 'prompt-end':
    case 'image-step':
    case 'speech-start':
    case 'choice-end':
    case 'usage':
    case 'speech-end':
    case 'transcription-end':
      return false;
    default:
      return true;
  }
}

/** Adds what an event tells. */
function count(event: AnyEvent, usage: RunUsage): void {
  switch (event.type) {
    case 'prompt-end':
      usage.inputTokens = event.promptTokens;
      return;
    case 'text-delta':
    case 'tool-call-delta':
      usage.outputTokens = (usage.outputTokens ?? 0) + 1;
      return;
    case 'reasoning-delta':
      usage.outputTokens = (usage.outputTokens ?? 0) + 1;
      usage.reasoningTokens = (usage.reasoningTokens ?? 0) + 1;
      return;
    case 'usage':
      usage.inputTokens = event.promptTokens;
      usage.cachedTokens = event.cachedTokens;
      usage.outputTokens = event.completionTokens;
      usage.reasoningTokens = event.reasoningTokens;
      return;
    case 'embeddings':
      usage.inputTokens = event.promptTokens;
      usage.vectors = event.embeddings.length;
      return;
    case 'image':
      usage.images = (usage.images ?? 0) + 1;
      return;
    case 'detections':
      usage.detections = event.detections.length;
      return;
    case 'segment':
      usage.audioSeconds = event.segment.endSeconds;
      return;
    case 'transcription-end':
    case 'speech-end':
      usage.audioSeconds = event.durationSeconds;
  }
}
