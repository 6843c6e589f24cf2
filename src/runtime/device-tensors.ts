import { elementTypes } from '../core/onnx/element-types.ts';
import type { OnnxModel } from '../core/onnx/model.ts';
import { joinRowsModel, pickPositionModel, zerosModel } from '../core/onnx/tensor-graphs.ts';
import { writeOnnxModel } from '../core/onnx/messages.ts';
import { bindGraph } from './bound-graph.ts';
import { int64 } from './tensors.ts';
import type { BindableSession, ResidentTensor, Tensor } from '../contracts/graph.ts';

/** Bytes copied between this process and a device, both ways. */
export interface BusTraffic {
  bytes: number;
}

export interface TensorRows {
  readonly tensor: ResidentTensor;
  readonly rows: readonly number[];
}

type FloatTensor = ResidentTensor & { readonly type: 'float32' | 'float16' };

export type DeviceTensors = ReturnType<typeof createDeviceTensors>;

/**
 * Creates, joins and reads a device's tensors with small graphs on the device, so that their content stays there.
 * Sessions are created on demand. One call at a time.
 * @param createSession on the device
 */
export function createDeviceTensors(
  createSession: (model: Uint8Array) => Promise<BindableSession>,
  traffic: BusTraffic,
) {
  const sessions = new Map<string, BindableSession>();
  const sessionFor = async (key: string, create: () => OnnxModel): Promise<BindableSession> => {
    let session = sessions.get(key);
    if (!session) {
      session = await createSession(writeOnnxModel(create()));
      sessions.set(key, session);
    }
    return session;
  };
  /** Bindings are released, since they would keep the memory of their tensors. */
  const run = async (
    session: BindableSession,
    feeds: Readonly<Record<string, Tensor | ResidentTensor>>,
    place: 'cpu' | 'session' = 'session',
  ): Promise<ResidentTensor> => {
    const graph = bindGraph(session);
    try {
      graph.feedAll(feeds);
      for (const feed of Object.values(feeds)) if (!('read' in feed)) traffic.bytes += feed.data.byteLength;
      if (place === 'cpu') graph.fetch('y');
      else graph.keep(['y']);
      await graph.run();
      return graph.take(['y'])[0]!;
    } finally {
      graph.release();
    }
  };
  return {
    /** @param dims four */
    async zeros(type: 'float32' | 'float16', dims: readonly number[]): Promise<ResidentTensor> {
      const session = await sessionFor(`zeros ${type}`, () => zerosModel(elementTypes[type]));
      return run(session, { shape: int64([dims.length], dims) });
    },
    /** Concatenates rows of several tensors into a new one. */
    async joinRows(parts: readonly TensorRows[], capacity: number): Promise<ResidentTensor> {
      const { type } = parts[0]!.tensor as FloatTensor;
      const session = await sessionFor(`join ${type} ${parts.length}`, () =>
        joinRowsModel(elementTypes[type], parts.length),
      );
      const feeds: Record<string, Tensor | ResidentTensor> = {};
      for (const [index, { tensor, rows }] of parts.entries()) {
        const kept = Math.min(tensor.dims[2]!, capacity);
        feeds[`x${index}`] = tensor;
        feeds[`rows${index}`] = int64([rows.length], rows);
        feeds[`kept${index}`] = int64([1], [kept]);
        feeds[`pads${index}`] = int64([8], [0, 0, 0, 0, 0, 0, capacity - kept, 0]);
      }
      return run(session, feeds);
    },
    /** Copies one position into this process. @param tensor `[rows, positions, size]` */
    async read(tensor: ResidentTensor, place: number): Promise<Tensor> {
      const { type, dims } = tensor as FloatTensor;
      const size = dims.at(-1)!;
      const session = await sessionFor(`pick ${type} ${size}`, () =>
        pickPositionModel(elementTypes[type], size),
      );
      const picked = await run(session, { x: tensor, place: int64([1], [place]) }, 'cpu');
      const read = picked.read();
      picked.release();
      traffic.bytes += read.data.byteLength;
      return read;
    },
    /** Its tensors stay valid. */
    async release(): Promise<void> {
      const made = [...sessions.values()];
      sessions.clear();
      for (const session of made) await session.release();
    },
  };
}
