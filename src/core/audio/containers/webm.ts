import {
  ebmlElements,
  type EbmlElement,
  readEbmlElement,
  toFields,
  toFloat,
  toSigned,
  toUnsigned,
  toVariableInteger,
} from './ebml.ts';
import { ContainerError, findMark, type Reading, toLatin1 } from './reading.ts';
import { unlaceXiph } from './vorbis-headers.ts';
import { toWebmTrack, type WebmTrack } from './webm-track.ts';

export interface WebmStart {
  readonly track: WebmTrack;
  /** From the header; `undefined` if it has no duration. */
  readonly durationSeconds: number | undefined;
}

export interface WebmPacket {
  readonly bytes: Uint8Array;
  /** Padding at the end of the decoded packet. */
  readonly discardSeconds: number;
}

const ids = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  discardPadding: 0x75a2,
} as const;

/** Elements to enter instead of read; their ends don't matter, because ids identify all their children. */
const entered: ReadonlySet<number> = new Set([ids.segment, ids.cluster]);
const maxHeaderBytes = 2 ** 16;
const maxTracksBytes = 2 ** 24;
const maxBlockBytes = 2 ** 22;
const clusterMark = [0x1f, 0x43, 0xb6, 0x75] as const;

/**
 * Reads the first audio track with a supported codec. After damaged data, reading resumes at the next cluster.
 * @param start offset of the file's first element, in bytes
 * @see RFC 9559
 */
export function createWebmReader(start = 0) {
  let offset = start;
  let track: WebmTrack | undefined;

  function* nextElement(): Reading<EbmlElement | undefined> {
    for (;;) {
      const element: EbmlElement | undefined = yield* readEbmlElement(offset);
      if (element === undefined || (element.length === Infinity && !entered.has(element.id))) {
        const cluster: number | undefined = yield* findMark(clusterMark, offset + 1);
        if (cluster === undefined) return undefined;
        offset = cluster;
      } else if (entered.has(element.id)) {
        offset = element.start;
      } else {
        offset = element.start + element.length;
        return element;
      }
    }
  }

  /** @throws ContainerError if there is no audio of a supported codec */
  function* open(): Reading<WebmStart> {
    let durationSeconds: number | undefined;
    for (;;) {
      const element: EbmlElement | undefined = yield* nextElement();
      if (element === undefined) throw new ContainerError('a WebM or Matroska file without tracks');
      const { id, start: at, length } = element;
      if (id === ids.ebml) checkDocType(yield { offset: at, length: Math.min(length, maxHeaderBytes) });
      if (id === ids.info)
        durationSeconds = toDuration(yield { offset: at, length: Math.min(length, maxHeaderBytes) });
      if (id === ids.tracks) {
        track = toWebmTrack(yield { offset: at, length: Math.min(length, maxTracksBytes) });
        return { track, durationSeconds };
      }
    }
  }

  /** The packets of the next block. @returns `undefined` at the end of the file */
  function* nextPackets(): Reading<readonly WebmPacket[] | undefined> {
    for (;;) {
      const element: EbmlElement | undefined = yield* nextElement();
      if (element === undefined || track === undefined) return undefined;
      const { id, start: at, length } = element;
      if (length > maxBlockBytes) continue;
      if (id === ids.simpleBlock) {
        if (!(yield* isOfTrack(at))) continue;
        return toPackets(yield { offset: at, length }, track, 0);
      }
      if (id === ids.blockGroup) {
        const group: Uint8Array = yield { offset: at, length };
        const fields = toFields(group);
        const block = fields.get(ids.block);
        if (block === undefined || toVariableInteger(block)?.value !== track.number) continue;
        const discard = toSigned(fields.get(ids.discardPadding));
        return toPackets(block, track, Math.max(0, discard) / 1e9);
      }
    }
  }

  /** Avoids reading the blocks of a video track. */
  function* isOfTrack(at: number): Reading<boolean> {
    return toVariableInteger(yield { offset: at, length: 8 })?.value === track?.number;
  }

  return { open, nextPackets };
}

function checkDocType(header: Uint8Array): void {
  for (const { id, content } of ebmlElements(header)) {
    if (id !== ids.docType) continue;
    const type = toLatin1(content.subarray(0, 32)).replace(/\0+$/, '');
    if (type !== 'webm' && type !== 'matroska')
      throw new ContainerError('an EBML file of another kind than WebM');
  }
}

function toDuration(info: Uint8Array): number | undefined {
  const fields = toFields(info);
  const duration = fields.get(ids.duration);
  const scale = fields.get(ids.timestampScale);
  const nanoseconds = scale === undefined ? 1e6 : toUnsigned(scale);
  return duration && (toFloat(duration) * nanoseconds) / 1e9;
}

/** The packets of a block, which may contain several laced packets. */
function toPackets(block: Uint8Array, { strippedHeader }: WebmTrack, discardSeconds: number): WebmPacket[] {
  const number = toVariableInteger(block);
  const flags = block[(number?.bytes ?? 0) + 2];
  if (number === undefined || flags === undefined) return [];
  const content = block.subarray(number.bytes + 3);
  const packets = split(content, (flags >> 1) & 3);
  return packets.map((packet, index) => ({
    bytes: strippedHeader.length === 0 ? packet : Uint8Array.from([...strippedHeader, ...packet]),
    discardSeconds: index === packets.length - 1 ? discardSeconds : 0,
  }));
}

const lacings = { none: 0, xiph: 1, fixed: 2 } as const;

/** @see RFC 9559 §10.3 */
function split(content: Uint8Array, lacing: number): Uint8Array[] {
  if (lacing === lacings.none) return [content];
  if (lacing === lacings.xiph) return unlaceXiph(content);
  const count = (content[0] ?? 0) + 1;
  let at = 1;
  let lengths: number[] = [];
  if (lacing === lacings.fixed) {
    lengths = Array.from({ length: count - 1 }, () => Math.floor((content.length - 1) / count));
  } else {
    let length = 0;
    for (let packet = 1; packet < count; packet++) {
      const number = toVariableInteger(content, at);
      if (number === undefined) return [];
      // The first number is a length, the next ones are signed differences.
      length = packet === 1 ? number.value : length + number.value - (2 ** (7 * number.bytes - 1) - 1);
      at += number.bytes;
      lengths.push(Math.max(0, length));
    }
  }
  const packets = lengths.map((length) => content.subarray(at, (at += length)));
  return [...packets, content.subarray(at)];
}
