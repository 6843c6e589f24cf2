import type { Tensor, TensorData, TensorMap } from '../../contracts/graph.ts';
import { tensorArrays } from '../../runtime/tensors.ts';
import { dataTypeOf, elementTypeOf } from './data-types.ts';

interface WireOutput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** In JSON: flat or nested. */
  readonly data?: readonly unknown[];
  readonly parameters?: { readonly binary_data_size?: number };
}

/** The JSON of a response. */
export interface InferResponse {
  readonly outputs?: readonly WireOutput[];
}

/** The length of the JSON before the tensors, if these are sent as bytes. */
export const lengthHeader = 'inference-header-content-length';

/**
 * Encodes a request.
 * @param isBinary whether tensors are sent as bytes after the JSON, and requested in that form
 */
export function encodeInputs(
  feeds: TensorMap,
  fetches: readonly string[],
  isBinary: boolean,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array<ArrayBuffer> } {
  const tensors = Object.entries(feeds);
  const request = {
    inputs: tensors.map(([name, tensor]) => ({
      name,
      datatype: dataTypeOf(tensor.type),
      shape: tensor.dims,
      ...(isBinary
        ? { parameters: { binary_data_size: tensor.data.byteLength } }
        : { data: toNumbers(name, tensor) }),
    })),
    outputs: fetches.map((name) => ({ name, ...(isBinary ? { parameters: { binary_data: true } } : {}) })),
  };
  const header = new TextEncoder().encode(JSON.stringify(request));
  if (!isBinary) return { headers: { 'content-type': 'application/json' }, body: header };
  const size = tensors.reduce((sum, [, { data }]) => sum + data.byteLength, header.byteLength);
  const body = new Uint8Array(size);
  body.set(header);
  let at = header.byteLength;
  for (const [, { data }] of tensors) {
    body.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  const headers = {
    'content-type': 'application/octet-stream',
    [lengthHeader]: String(header.byteLength),
  };
  return { headers, body };
}

/**
 * Decodes the tensors of a response.
 * @param bytes the part after the JSON
 */
export function decodeOutputs({ outputs = [] }: InferResponse, bytes: Uint8Array): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  let at = 0;
  for (const { name, datatype, shape, data, parameters } of outputs) {
    const type = elementTypeOf(datatype);
    if (type === undefined) throw new Error(`${name} is ${datatype}`);
    const size = parameters?.binary_data_size;
    const values = size === undefined ? fromNumbers(data ?? [], type) : fromBytes(bytes, at, size, type);
    at += size ?? 0;
    if (!Array.isArray(shape) || !shape.every((length) => Number.isSafeInteger(length) && length >= 0))
      throw new Error(`${name} has the shape ${JSON.stringify(shape)}`);
    const count = shape.reduce((product, length) => product * length, 1);
    if (values.length !== count) throw new Error(`${name} has ${values.length} elements, its shape ${count}`);
    tensors[name] = { type, dims: shape, data: values };
  }
  return tensors;
}

function toNumbers(name: string, { type, data }: Tensor): unknown[] {
  if (type === 'float16') throw new Error(`${name}: float16 needs a server that knows binary_tensor_data`);
  if (type === 'bool') return Array.from(data as Uint8Array, (value) => value !== 0);
  // JSON has no BigInt; token ids and masks are far below the limit.
  return Array.from(data as ArrayLike<number | bigint>, Number);
}

function fromNumbers(data: readonly unknown[], type: Tensor['type']): TensorData {
  if (type === 'float16') throw new Error('float16 as JSON');
  const flat = data.flat(Infinity);
  const values = new tensorArrays[type](flat.length);
  flat.forEach((value, index) => {
    values[index] = (type === 'int64' ? BigInt(value as number) : Number(value)) as never;
  });
  return values;
}

function fromBytes(bytes: Uint8Array, at: number, size: number, type: Tensor['type']): TensorData {
  if (!Number.isSafeInteger(size) || size < 0) throw new Error(`a tensor of ${JSON.stringify(size)} bytes`);
  if (at + size > bytes.byteLength) throw new Error('the answer is cut off');
  // A copy, since elements may not be aligned within the response.
  return new tensorArrays[type](bytes.slice(at, at + size).buffer);
}
