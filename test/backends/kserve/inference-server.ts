import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ElementType, Session, Tensor, TensorMap } from '../../../src/contracts/graph.ts';
import { tensorArrays } from '../../../src/runtime/tensors.ts';

export interface InferenceServerOptions {
  /** Whether it offers tensors as bytes. */
  readonly isBinary: boolean;
}

export interface InferenceServer {
  readonly url: string;
  /** The content types of the requests for a run. */
  readonly contentTypes: string[];
  /** Their request ids, where they have one. */
  readonly requestIds: string[];
  /** The keys that all requests came with. */
  readonly keys: (string | undefined)[];
  close(): void;
}

// Written from the protocol's text, without the client's code: it checks that by another reading of the same rules.
const names: Readonly<Record<ElementType, string>> = {
  float32: 'FP32',
  float16: 'FP16',
  float64: 'FP64',
  int64: 'INT64',
  int32: 'INT32',
  int16: 'INT16',
  int8: 'INT8',
  uint16: 'UINT16',
  uint8: 'UINT8',
  bool: 'BOOL',
};

/** A server of the Open Inference Protocol v2 over graphs that this process runs. */
export async function startInferenceServer(
  graphs: Readonly<Record<string, Session>>,
  { isBinary }: InferenceServerOptions,
): Promise<InferenceServer> {
  const contentTypes: string[] = [];
  const requestIds: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    keys.push(request.headers.authorization);
    for await (const part of request) parts.push(part as Buffer);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      if (request.url === '/v2') {
        return send(200, { name: 'test', version: '1', extensions: isBinary ? ['binary_tensor_data'] : [] });
      }
      const [, name = '', action] = /^\/v2\/models\/([^/]+)(\/infer)?$/.exec(request.url!) ?? [];
      const graph = graphs[decodeURIComponent(name)];
      if (!graph) return send(404, { error: `unknown model '${name}'` });
      if (!action) return send(200, describeGraph(name, graph));
      contentTypes.push(request.headers['content-type']!);
      const requestId = request.headers['x-request-id'];
      if (requestId !== undefined) requestIds.push(String(requestId));
      const body = Buffer.concat(parts);
      const headerBytes = Number(request.headers['inference-header-content-length'] ?? body.length);
      const { inputs, outputs } = JSON.parse(String(body.subarray(0, headerBytes)));
      const feeds: Record<string, Tensor> = {};
      let at = headerBytes;
      for (const { name: input, datatype, shape, data, parameters } of inputs) {
        const size = parameters?.binary_data_size;
        const type = (Object.keys(names) as ElementType[]).find((one) => names[one] === datatype)!;
        feeds[input] = {
          type,
          dims: shape,
          data: size === undefined ? fromJson(type, data) : fromBytes(type, body, at, size),
        };
        at += size ?? 0;
      }
      const wanted = (outputs as { name: string; parameters?: { binary_data?: boolean } }[]).map(
        ({ name: one }) => one,
      );
      const results = await graph.run(feeds, wanted);
      answer(results, wanted, outputs[0].parameters?.binary_data === true);
    } catch (error) {
      send(500, { error: (error as Error).message });
    }

    function answer(results: TensorMap, wanted: readonly string[], inBytes: boolean) {
      const described = wanted.map((name) => {
        const { type, dims, data } = results[name]!;
        return {
          name,
          datatype: names[type],
          shape: dims,
          ...(inBytes
            ? { parameters: { binary_data_size: data.byteLength } }
            : { data: Array.from(data as ArrayLike<number>, Number) }),
        };
      });
      const header = Buffer.from(JSON.stringify({ model_name: 'test', outputs: described }));
      if (!inBytes) return response.writeHead(200).end(header);
      response.writeHead(200, { 'inference-header-content-length': header.length });
      response.write(header);
      for (const name of wanted) {
        const { data } = results[name]!;
        response.write(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      }
      return response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    contentTypes,
    requestIds,
    keys,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function describeGraph(name: string, { inputs, outputs }: Session): unknown {
  const toWire = ({ name: one, type, dims }: Session['inputs'][number]) => ({
    name: one,
    datatype: names[type],
    shape: dims.map((size) => (typeof size === 'number' ? size : -1)),
  });
  return { name, platform: 'onnxruntime_onnx', inputs: inputs.map(toWire), outputs: outputs.map(toWire) };
}

function fromJson(type: ElementType, data: readonly number[]): Tensor['data'] {
  return type === 'int64'
    ? BigInt64Array.from(data, BigInt)
    : (tensorArrays[type] as typeof Float32Array).from(data);
}

function fromBytes(type: ElementType, body: Buffer, at: number, size: number): Tensor['data'] {
  const bytes = Uint8Array.from(body.subarray(at, at + size));
  return new (tensorArrays[type] as typeof Float32Array)(bytes.buffer);
}
