import type { OutputRecorder } from '../../contracts/telemetry.ts';
import type { SpanMessage } from '../telemetry-messages.ts';
import type { TranscriptionEvent } from './events.ts';

/** Collects the transcript for a trace. */
export function createTranscriptRecorder(): OutputRecorder<TranscriptionEvent> {
  let content = '';
  let hasEnded = false;
  return {
    push(event) {
      if (event.type === 'segment') content += event.segment.text;
      else if (event.type === 'transcription-end') hasEnded = true;
    },
    attributes() {
      if (content === '' && !hasEnded) return {};
      const message: SpanMessage & { readonly finish_reason: string } = {
        role: 'assistant',
        parts: content === '' ? [] : [{ type: 'text', content }],
        finish_reason: hasEnded ? 'stop' : 'error',
      };
      return { 'gen_ai.output.messages': JSON.stringify([message]) };
    },
  };
}
