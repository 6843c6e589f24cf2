import type { Certificates } from '../../runtime/http/fetch-with-certificates.ts';
import type { RemoteKey } from '../access.ts';

/** One of several servers of the same graphs. */
export interface GraphUpstream {
  /** Without `/v2`. */
  readonly url: string;
  /** Sent as bearer token; default: the backend's key. */
  readonly apiKey?: RemoteKey | undefined;
  /** Maximum concurrent runs; default 64. */
  readonly maxConcurrent?: number | undefined;
}

/**
 * An input or output of a graph, in the protocol's notation: `{ name: 'images', datatype: 'FP32', shape: [-1, 3, 640, 640] }`.
 */
export interface GraphTensor {
  readonly name: string;
  readonly datatype: string;
  /** -1 for a dynamic dimension. */
  readonly shape: readonly number[];
}

export interface GraphSignature {
  readonly inputs: readonly GraphTensor[];
  readonly outputs: readonly GraphTensor[];
}

/** A server that runs graphs by the Open Inference Protocol v2; plain data. */
export interface GraphServer {
  readonly kind: 'kserve';
  /** Without `/v2`; omitted with `upstreams`. */
  readonly url?: string | undefined;
  /** Servers of the same graphs instead of `url`; a run goes to the least busy healthy one. */
  readonly upstreams?: readonly GraphUpstream[] | undefined;
  /** The server's name of the graph; for an image model, the name of each part, such as `unet`. */
  readonly model: string | Readonly<Record<string, string>>;
  /** Sent as bearer token; a function is called before every request, in the process that created the model. */
  readonly apiKey?: RemoteKey | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum concurrent requests; further ones wait. Default: the category's local default. */
  readonly concurrency?: number | undefined;
  /** Send tensors as bytes; default: if the server lists the extension `binary_tensor_data`. */
  readonly binary?: boolean | undefined;
  /** Inputs and outputs of graphs that the server doesn't describe, by the server's names. */
  readonly signature?: Readonly<Record<string, GraphSignature>> | undefined;
  /** Certificates of the connection. */
  readonly tls?: Certificates | undefined;
  /** Timeout per run; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Maximum wait at load time for a server to become ready; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

/** The access settings of the servers, without their graphs. */
export type GraphAccess = Pick<GraphServer, 'url' | 'upstreams' | 'apiKey' | 'headers' | 'tls'>;
