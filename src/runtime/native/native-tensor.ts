import type { ElementType, ResidentTensor, Tensor, TensorData } from '../../contracts/graph.ts';
import { assertTensor, countElements, elementKind } from '../tensors.ts';
import { elementTypeNames } from '../../core/onnx/element-types.ts';
import { Handle } from './handle.ts';
import type { Api } from './load-api.ts';

/** Address for tensors without elements: the address of an empty array may be null. */
const nowhere = new Uint8Array(8);

/** Creates an `OrtValue` over a tensor's memory, which the caller must keep until it is released. */
export function wrapTensor(api: Api, tensor: Tensor, label: string): bigint {
  assertTensor(tensor, label);
  const { type, dims, data } = tensor;
  return api.create(
    'CreateTensorWithDataAsOrtValue',
    api.cpuMemory,
    data.length > 0 ? data : nowhere,
    data.byteLength,
    BigInt64Array.from(dims, BigInt),
    dims.length,
    elementKind(type, label).code,
  );
}

/** Copies an `OrtValue` in this process's memory. */
export function readTensor(api: Api, value: bigint, label: string): Tensor {
  const { type, dims } = shapeOf(api, value);
  const { array } = elementKind(type, label);
  const bytes = countElements(dims, label) * array.BYTES_PER_ELEMENT;
  return { type, dims, data: new array(api.copyBytes(api.find('GetTensorMutableData', value), bytes)) };
}

export function shapeOf(api: Api, value: bigint): ReturnType<typeof readShape> {
  const info = api.create('GetTensorTypeAndShape', value);
  try {
    return readShape(api, info);
  } finally {
    api.call('ReleaseTensorTypeAndShapeInfo', info);
  }
}

export interface NativeTensorParts {
  /** `OrtValue *`, owned by the tensor from now on. */
  readonly value: bigint;
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly device: string;
  /** The memory, if it is a JavaScript array. */
  readonly data?: TensorData | undefined;
  /** Calls its argument as soon as device memory may be freed. */
  readonly whenFree: (free: () => void) => void;
  /** Called when the memory is no longer needed. */
  readonly onFree: (tensor: NativeTensor) => void;
}

/** A tensor for bindings. Its `OrtValue` and the underlying array live until its owner and every binding have released it. */
export class NativeTensor implements ResidentTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly device: string;
  readonly data: TensorData | undefined;
  readonly #api: Api;
  readonly #handle: Handle;
  readonly #byteLength: number;
  readonly #parts: Pick<NativeTensorParts, 'whenFree' | 'onFree'>;
  #holders = 0;
  isReleased = false;

  constructor(api: Api, parts: NativeTensorParts) {
    this.#api = api;
    this.#handle = new Handle(api, 'tensor', parts.value, 'ReleaseValue');
    this.#parts = parts;
    this.type = parts.type;
    this.dims = parts.dims;
    this.device = parts.device;
    this.data = parts.data;
    this.#byteLength = parts.data?.byteLength ?? 0;
  }

  read(): Tensor {
    this.#assertMine();
    if (this.device !== 'cpu') throw new Error(`tensor: expected memory of this process, got ${this.device}`);
    this.assertAttached();
    return readTensor(this.#api, this.#handle.address, 'tensor');
  }

  release(): void {
    this.#assertMine();
    this.isReleased = true;
    this.#freeIfUnused();
  }

  /** Keeps the tensor for a binding, until it calls `drop`. */
  hold(): bigint {
    this.#assertMine();
    this.assertAttached();
    this.#holders++;
    return this.#handle.address;
  }

  /** Address of its `OrtValue`, while it is held. */
  get address(): bigint {
    return this.#handle.address;
  }

  drop(): void {
    this.#holders--;
    this.#freeIfUnused();
  }

  /** @throws Error if the array's memory was transferred, for example to a worker thread */
  assertAttached(): void {
    if (this.data !== undefined && this.data.byteLength !== this.#byteLength)
      throw new Error('tensor: the memory of its array was transferred away');
  }

  #assertMine(): void {
    if (this.isReleased) throw new Error('tensor: already released');
  }

  #freeIfUnused(): void {
    if (!this.isReleased || this.#holders > 0) return;
    this.#handle.release(this.device === 'cpu' ? undefined : this.#parts.whenFree);
    this.#parts.onFree(this);
  }
}

const int = new Int32Array(1);

/** Reads an `OrtTensorTypeAndShapeInfo`; a dynamic dimension is −1. */
export function readShape(api: Api, info: bigint) {
  api.call('GetTensorElementType', info, int);
  const dims = new BigInt64Array(Number(api.find('GetDimensionsCount', info)));
  if (dims.length > 0) api.call('GetDimensions', info, dims, dims.length);
  // Some names have no tensors here.
  const type = (elementTypeNames.get(int[0]!) ?? `type ${int[0]}`) as ElementType;
  return { type, dims: Array.from(dims, Number) };
}
