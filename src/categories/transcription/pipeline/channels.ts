import { fieldError } from '../../../errors.ts';
import type { TranscriptionEvent } from '../events.ts';

/** Most channels of a recording whose channels are transcribed each by itself. */
const maxChannels = 8;

/** The transcription of one channel. */
export interface ChannelEvents {
  /** Number of channels in the file. */
  readonly channels: number;
  readonly events: AsyncGenerator<TranscriptionEvent>;
  close(): Promise<void>;
}

/** Transcribes every channel by itself, and merges the segments by time; each channel waits for those that are behind it. */
export async function* mergeChannels(
  open: (channel: number) => Promise<ChannelEvents>,
): AsyncGenerator<TranscriptionEvent> {
  const sources = [await open(0)];
  try {
    const { channels } = sources[0]!;
    if (channels > maxChannels)
      throw fieldError('multichannel', `expected at most ${maxChannels} channels, got ${channels}`);
    while (sources.length < channels) sources.push(await open(sources.length));
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
    for (const { events, close } of sources) {
      await events.return(undefined);
      await close();
    }
  }
}

/** No transcription ends before its event `transcription-end`. */
async function nextOf({ events }: ChannelEvents): Promise<TranscriptionEvent> {
  return (await events.next()).value as TranscriptionEvent;
}

function timeOf(event: TranscriptionEvent): number {
  if (event.type === 'segment') return event.segment.startSeconds;
  return event.type === 'progress' ? event.seconds : Infinity;
}
