import { open, type FileHandle } from 'node:fs/promises';

/** Numbers of fields in `onnx.proto`. */
const metadataProps = 14;
const entryKey = 1;
const entryValue = 2;

const varintBytes = 10;
/** Entries beyond that size are no settings. */
const largestEntry = 2 ** 20;

/**
 * Reads the `metadata_props` of an ONNX file. Everything else is skipped, not read, so that the size of the model
 * makes no difference.
 *
 * @throws RangeError when the file is no protobuf message
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 *
 * @example
 * ```ts
 * (await readOnnxMetadata('yolov8n.onnx')).get('stride'); // '32'
 * ```
 */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const metadata = new Map<string, string>();
    for (let at = 0; at < size;) {
      const field = readField(await readAt(file, at, 2 * varintBytes), path);
      const content = at + field.headerLength;
      if (field.number === metadataProps && field.length <= largestEntry) {
        const [key, value] = readEntry(await readAt(file, content, field.length), path);
        metadata.set(key, value);
      }
      at = content + field.length;
    }
    return metadata;
  } finally {
    await file.close();
  }
}

interface Field {
  readonly number: number;
  /** Bytes before the content. */
  readonly headerLength: number;
  /** Bytes of the content. */
  readonly length: number;
}

/** @see https://protobuf.dev/programming-guides/encoding/ */
function readField(bytes: Uint8Array, path: string): Field {
  const tag = readVarint(bytes, 0, path);
  const number = Math.floor(tag.value / 8);
  switch (tag.value % 8) {
    case 0:
      return { number, headerLength: tag.end, length: readVarint(bytes, tag.end, path).end - tag.end };
    case 1:
      return { number, headerLength: tag.end, length: 8 };
    case 2: {
      const length = readVarint(bytes, tag.end, path);
      return { number, headerLength: length.end, length: length.value };
    }
    case 5:
      return { number, headerLength: tag.end, length: 4 };
    default:
      throw notOnnx(path);
  }
}

function readEntry(bytes: Uint8Array, path: string): [key: string, value: string] {
  const texts = new Map<number, string>();
  for (let at = 0; at < bytes.length;) {
    const { number, headerLength, length } = readField(bytes.subarray(at), path);
    texts.set(
      number,
      Buffer.from(bytes.subarray(at + headerLength, at + headerLength + length)).toString('utf8'),
    );
    at += headerLength + length;
  }
  return [texts.get(entryKey) ?? '', texts.get(entryValue) ?? ''];
}

function readVarint(bytes: Uint8Array, start: number, path: string): { value: number; end: number } {
  let value = 0;
  for (let index = start; index < Math.min(bytes.length, start + varintBytes); index++) {
    const byte = bytes[index]!;
    value += (byte & 127) * 2 ** (7 * (index - start));
    if (byte < 128) return { value, end: index + 1 };
  }
  throw notOnnx(path);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function notOnnx(path: string): RangeError {
  return new RangeError(`${path}: expected an ONNX model, got other content`);
}
