import type { Certificates } from '../../runtime/http/fetch-with-certificates.ts';
import type { RemoteKey } from '../access.ts';

/** One of several servers of the same graphs. */
export interface GraphUpstream {
  /** Without `/v2`. */
  readonly url: string;
  /** Sent as bearer token; default: that of the backend. */
  readonly apiKey?: RemoteKey | undefined;
  /** Runs that it gets at once; default 64. */
  readonly maxConcurrent?: number | undefined;
}

/** An input or output of a graph, in the protocol's words: `{ name: 'images', datatype: 'FP32', shape: [-1, 3, 640, 640] }`. */
export interface GraphTensor {
  readonly name: string;
  readonly datatype: string;
  /** -1 for a length that may be any. */
  readonly shape: readonly number[];
}

export interface GraphSignature {
  readonly inputs: readonly GraphTensor[];
  readonly outputs: readonly GraphTensor[];
}

/** A server that runs graphs by the Open Inference Protocol v2; plain data. */
export interface GraphServer {
  readonly kind: 'kserve';
  /** Without `/v2`; left out where there are `upstreams`. */
  readonly url?: string | undefined;
  /** Servers of the same graphs in place of `url`; a run goes to the least busy one that is healthy. */
  readonly upstreams?: readonly GraphUpstream[] | undefined;
  /** As the server calls the graph; of an image model, the name for each of its parts, such as `unet`. */
  readonly model: string | Readonly<Record<string, string>>;
  /** Sent as bearer token; a function is asked for it before every request, in the process that made the model. */
  readonly apiKey?: RemoteKey | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Requests that are worked on at once; the others wait. Default: that of the category on this machine. */
  readonly concurrency?: number | undefined;
  /** Send tensors as bytes; default: if the server lists the extension `binary_tensor_data`. */
  readonly binary?: boolean | undefined;
  /** Inputs and outputs of the graphs by the server's names, for those that it doesn't describe. */
  readonly signature?: Readonly<Record<string, GraphSignature>> | undefined;
  /** Certificates of the connection. */
  readonly tls?: Certificates | undefined;
  /** Longest time for one run; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait at load time for a server that isn't ready; default 60 s. */
  readonly startTimeoutMs?: number | undefined;
}

/** Everything about the servers but their graphs. */
export type GraphAccess = Pick<GraphServer, 'url' | 'upstreams' | 'apiKey' | 'headers' | 'tls'>;
