import type { CallerState } from './caller.ts';
import type { ModelControl } from './engine.ts';
import type { ApiResponse } from './http.ts';
import type { ModelDirectory, ModelInfo } from './model.ts';
import type { CallOptions } from './run.ts';
import type { ErrorCode, InferenceError } from '../errors.ts';
import type { Descriptions } from '../validation/describe-fields.ts';
import type { ForeignFields } from '../validation/foreign-fields.ts';
import type { Pieces } from '../validation/in-pieces.ts';
import type { z } from 'zod';

/** A schema with the name that it has in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

export interface RequestBody extends NamedSchema {
  /** Default `application/json`. */
  readonly mediaType?: 'multipart/form-data' | undefined;
  /** Whether a request without a body is one of `{}`. */
  readonly isOptional?: boolean | undefined;
  /** Fields of well-known servers that are recognized in addition to the schema. */
  readonly foreign?: ForeignFields | undefined;
}

export interface SocketMessages {
  readonly client: NamedSchema;
  readonly server: NamedSchema;
}

/** A parameter in the query. */
export interface QueryParameter {
  readonly description: string;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** If it takes the id of a model: the category of the model. */
  readonly modelOf?: string | undefined;
}

/** Route and documentation of a path below `/v1`. */
export interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/models/{model_id}/parameters`; a placeholder may match several segments. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Parameters in the query, by name. All are optional, and texts unless they have a schema. */
  readonly queryParameters?: Readonly<Record<string, QueryParameter>> | undefined;
  /** Descriptions of the placeholders in its path, and of fields without a description in their schema. */
  readonly descriptions?: Descriptions | undefined;
  readonly requestBody?: RequestBody | undefined;
  /** Messages of the WebSocket that the connection becomes, if it does. */
  readonly messages?: SocketMessages | undefined;
  /** Messages of further sockets on the same path; the category of the model decides between them. */
  readonly otherMessages?: readonly SocketMessages[] | undefined;
  /** Content of the 200 response by media type; `{}` if the path has `messages`. */
  readonly responses: Readonly<Record<string, NamedSchema>>;
  readonly errors: readonly ErrorCode[];
  /** Form of its errors, if its dialect defines one. */
  readonly errorBody?:
    (NamedSchema & { readonly of: (body: ErrorBody, requestId: string) => object }) | undefined;
}

/** The time and the memory of the process that one request may take. */
export interface RequestBudget {
  /** Runs one check in pieces. Each check needs a separate call. */
  readonly pieces: Pieces;
  /**
   * Resolves when the request may continue: immediately, or after the turns of waiting requests. Call it before each small part of long work.
   *
   * @throws InferenceError `cancelled` when the client has gone, `deadline_exceeded`
   */
  pause(): Promise<void>;
  /**
   * Counts bytes that the request is about to take out of a store, until it has ended.
   *
   * @throws InferenceError `rate_limited` or `overloaded` when requests hold too many, as for bodies
   */
  hold(bytes: number): void;
}

/** One request that runs no model. */
export interface RouteCall extends ModelDirectory {
  /**
   * The functions that load and unload a model.
   *
   * @throws InferenceError `upgrade_required` where the caller may not, `unsupported_feature` where the service can't
   */
  control(id: string): Pick<ModelControl<never>, 'load' | 'unload'>;
  readonly query: URLSearchParams;
  /** The body as parsed by the schema of `requestBody`; `undefined` if the path takes no body. */
  readonly body: unknown;
  readonly caller: CallerState;
  readonly budget: RequestBudget;
  /** The values of the path template's placeholders, decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /**
   * @param category required category of the model; default: any
   * @throws InferenceError `model_not_found`, or `invalid_request` for a model of the wrong category
   */
  findModel(id: string, category?: string): ModelInfo;
}

/** A path that runs no model. */
export interface Route extends RouteDescription {
  readonly handle: (call: RouteCall) => Promise<ApiResponse>;
}

/** The part of a request that the server itself needs. */
export interface Asked {
  /** `undefined` leaves the choice to the service. */
  readonly model: string | undefined;
}

/** Report of one run. */
export type EndpointRunOptions = Pick<CallOptions, 'responseId'>;

/** The body of every error response; all four keys are always there. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

/** Abnormal end of a stream of server-sent events. */
export interface StreamEnd {
  /** The frames of a failure after the first event; default: the body of the error. */
  readonly toErrorFrames?: ((body: ErrorBody) => string) | undefined;
  /** Marks the end of a complete stream; default `data: [DONE]`. */
  readonly endFrame?: string | undefined;
}

/** The request's one run of a model: it spends quota, is charged, and ends when the client disconnects. */
export interface EndpointRun<Input, Event> {
  readonly model: ModelInfo;
  readonly caller: CallerState;
  /**
   * Runs to the end.
   *
   * @throws InferenceError `quota_exceeded`, or the error of the run
   */
  collect(request: Input, options?: EndpointRunOptions): Promise<Event[]>;
  /**
   * Runs event by event. Returning the iterator aborts the run immediately, also while an event is awaited.
   *
   * @throws InferenceError `quota_exceeded`
   */
  open(request: Input, options?: EndpointRunOptions): Promise<AsyncIterator<Event>>;
  /**
   * Answers with server-sent events; resolves with the first one. A failure after that is the last event.
   *
   * @throws InferenceError the run's error before its first event
   */
  stream(
    request: Input,
    toFrames: (event: Event) => string | Promise<string>,
    options?: EndpointRunOptions & StreamEnd,
  ): Promise<ApiResponse>;
  /**
   * Starts a run that continues after the response: `signal` ends it, but not a disconnect. It resolves when
   * the run waits or runs.
   *
   * @throws InferenceError `quota_exceeded`, or why the run is not admitted
   */
  detach(
    request: Input,
    options: EndpointRunOptions & Required<Pick<CallOptions, 'signal' | 'onDispatch'>>,
  ): Promise<{
    /** All events; rejects with the error of the run, which may stay unhandled. */
    readonly events: Promise<Event[]>;
  }>;
  /** Reports a failure that can't be the response's status any more. @returns its form for clients */
  report(error: InferenceError): ErrorBody;
}

/** A field of a form that is not a file. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The form of an upload; its file is on the disk until the run is over. */
export interface UploadedForm {
  readonly fields: readonly FormField[];
  readonly path: string;
}

/** A path that runs a model: it counts against rate limits and quotas. */
export interface Endpoint<
  A extends Asked = Asked,
  Input = unknown,
  Event = unknown,
> extends RouteDescription {
  /** Name of the form's field with the file; default: the body is JSON. */
  readonly uploadField?: string | undefined;
  /**
   * A parsed body, or an `UploadedForm` → the request.
   *
   * @throws InferenceError `invalid_request` or `unsupported_feature` with the field at fault as `param`
   */
  read(body: unknown, caller: CallerState, budget: RequestBudget): A | Promise<A>;
  answer(run: EndpointRun<Input, Event>, asked: A): Promise<ApiResponse>;
}

export interface SocketRunOptions {
  /** Default: the endpoint's own. */
  readonly category?: string | undefined;
  /** Cancels the run, also while an event is awaited, in place of the client's leaving. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves when it is clear whether the run is used: an unused one costs nothing. Default: it is used. */
  readonly isUsed?: Promise<boolean> | undefined;
}

export interface SocketCall<Input, Event> {
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the socket has closed. */
  readonly signal: AbortSignal;
  /** Maximum number of bytes that may wait for the end of their utterance. */
  readonly maxBufferBytes: number;
  /**
   * @param id default: the default model of the category
   * @param category default: the endpoint's own
   * @throws InferenceError `model_not_found`, `upgrade_required`, or `invalid_request` for a model of the wrong category
   */
  findModel(id: string | undefined, category?: string): ModelInfo;
  send(message: object): void;
  /** Resolves when the client has read most of its messages, or has disconnected. */
  room(): Promise<void>;
  /**
   * Reports the number of bytes that the session holds now.
   *
   * @throws InferenceError `rate_limited` if the key holds too many, `overloaded` if all keys together do
   */
  hold(bytes: number): void;
  /** Resolves when the next slice of long work may begin. */
  turn(): Promise<void>;
  /** Reports the number of runs that wait or run: the client's messages wait while there are too many. */
  pace(runs: number): void;
  /** Runs a model as a separate request, which is counted and charged like a request over HTTP. Leaving the loop cancels it. */
  run(request: Input, options?: SocketRunOptions): AsyncIterable<Event>;
  /** `x-ratelimit-*` of the last run. */
  limits(): Readonly<Record<string, string>>;
  /** Reports a failure. @returns its form for the client */
  fail(error: InferenceError): ErrorBody['error'];
}

/** The server's half of a conversation. */
export interface SocketSession {
  /** The socket is open. */
  begin(): void;
  /** Takes a parsed message of the client. A returned promise resolves when the next message may follow. */
  receive(message: unknown): void | Promise<void>;
  /** A message that can't be read, or the end of the client's time. */
  refuse(error: InferenceError): void;
  /** Resolves when everything that was received has been answered. */
  settled(): Promise<void>;
}

/** A path that becomes a WebSocket with messages of JSON. */
export interface SocketEndpoint<Input = unknown, Event = unknown> extends RouteDescription {
  /** Category of the models that it serves. */
  readonly category: string;
  /**
   * @throws InferenceError for a request that is answered without a socket
   */
  connect(call: SocketCall<Input, Event>): SocketSession;
}
