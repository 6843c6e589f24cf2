import type { TranscriptionEvent } from '../events.ts';

/** Merges the transcriptions of channels by time; each channel waits for those that are behind it. */
export async function* mergeChannels(
  sources: readonly AsyncGenerator<TranscriptionEvent>[],
): AsyncGenerator<TranscriptionEvent> {
  const channels = sources.length;
  try {
    const heads: TranscriptionEvent[] = [];
    for (const source of sources) heads.push(await nextOf(source));
    for (let id = 0; ;) {
      const channel = heads.reduce(
        (least, head, at) => (timeOf(head) < timeOf(heads[least]!) ? at : least),
        0,
      );
      const event = heads[channel]!;
      if (event.type === 'segment') yield { ...event, segment: { ...event.segment, id: id++, channel } };
      else if (event.type === 'progress') yield { ...event, channels };
      else break;
      heads[channel] = await nextOf(sources[channel]!);
    }
    const ends = heads.filter((head) => head.type === 'transcription-end');
    const language = ends.find((end) => end.language !== undefined)?.language;
    yield { ...ends[0]!, language, channels };
  } finally {
    for (const source of sources) await source.return(undefined);
  }
}

/** No transcription ends before its event `transcription-end`. */
async function nextOf(events: AsyncGenerator<TranscriptionEvent>): Promise<TranscriptionEvent> {
  return (await events.next()).value as TranscriptionEvent;
}

function timeOf(event: TranscriptionEvent): number {
  if (event.type === 'segment') return event.segment.startSeconds;
  return event.type === 'progress' ? event.seconds : Infinity;
}
