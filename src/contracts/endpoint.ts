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

/** A schema with its name in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

export interface RequestBody extends NamedSchema {
  /** Default `application/json`. */
  readonly mediaType?: 'multipart/form-data' | undefined;
  /** Treat a missing body as `{}`. */
  readonly isOptional?: boolean | undefined;
  /** Fields of popular servers that are recognized in addition to the schema. */
  readonly foreign?: ForeignFields | undefined;
}

export interface SocketMessages {
  readonly client: NamedSchema;
  readonly server: NamedSchema;
}

/** A query parameter. */
export interface QueryParameter {
  readonly description: string;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** For the id of a model: the model's category. */
  readonly modelOf?: string | undefined;
}

/** Route and documentation of a path below `/v1`. */
export interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/models/{model_id}/parameters`; a placeholder may match several segments. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Query parameters by name. All are optional, and text unless they have a schema. */
  readonly queryParameters?: Readonly<Record<string, QueryParameter>> | undefined;
  /** Descriptions of path placeholders, and of fields without a description in their schema. */
  readonly descriptions?: Descriptions | undefined;
  readonly requestBody?: RequestBody | undefined;
  /** Messages of the WebSocket, if the path is one. */
  readonly messages?: SocketMessages | undefined;
  /** Messages of more sockets on the same path; the model's category decides between them. */
  readonly otherMessages?: readonly SocketMessages[] | undefined;
  /** Content of the 200 response by media type; `{}` if the path has `messages`. */
  readonly responses: Readonly<Record<string, NamedSchema>>;
  readonly errors: readonly ErrorCode[];
  /** Form of its errors, if its dialect defines one. */
  readonly errorBody?:
    (NamedSchema & { readonly of: (body: ErrorBody, requestId: string) => object }) | undefined;
}

/** Time and memory that one request may take from the process. */
export interface RequestBudget {
  /** Runs one check in pieces. Each check needs a separate call. */
  readonly pieces: Pieces;
  /**
   * Resolves when the request may continue: immediately, or after the turns of waiting requests. Call it before each small part
   * of long work.
   *
   * @throws InferenceError `cancelled` if the client has disconnected; `deadline_exceeded`
   */
  pause(): Promise<void>;
  /**
   * Reserves bytes for values read from a store, until the request ends.
   *
   * @throws InferenceError `rate_limited` or `overloaded` if requests hold too many, as for bodies
   */
  hold(bytes: number): void;
}

/** A request that runs no model. */
export interface RouteCall extends ModelDirectory {
  /**
   * The functions that load and unload a model.
   *
   * @throws InferenceError `upgrade_required` if the caller may not, `unsupported_feature` if the service can't
   */
  control(id: string): Pick<ModelControl<never>, 'load' | 'unload'>;
  readonly query: URLSearchParams;
  /** The body as parsed by the schema of `requestBody`; `undefined` if the path takes no body. */
  readonly body: unknown;
  readonly caller: CallerState;
  readonly budget: RequestBudget;
  /** Decoded values of the path template's placeholders. */
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

export interface Asked {
  /** `undefined` lets the service choose. */
  readonly model: string | undefined;
}

export type EndpointRunOptions = Pick<CallOptions, 'responseId'>;

/** The body of every error response; all four keys are always present. */
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
  /** Frames of a failure after the first event; default: the error body. */
  readonly toErrorFrames?: ((body: ErrorBody) => string) | undefined;
  /** Marks the end of a complete stream; default `data: [DONE]`. */
  readonly endFrame?: string | undefined;
}

/** The request's only run of a model: it spends quota, is billed, and ends if the client disconnects. */
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
   * Runs event by event. Returning the iterator aborts the run immediately, even while an event is pending.
   *
   * @throws InferenceError `quota_exceeded`
   */
  open(request: Input, options?: EndpointRunOptions): Promise<AsyncIterator<Event>>;
  /**
   * Answers with server-sent events; resolves with the first. A later failure is sent as the last event.
   *
   * @throws InferenceError the run's error before its first event
   */
  stream(
    request: Input,
    toFrames: (event: Event) => string | Promise<string>,
    options?: EndpointRunOptions & StreamEnd,
  ): Promise<ApiResponse>;
  /**
   * Starts a run that outlives the response: it ends by `signal`, not by a disconnect. Resolves when the run is queued or
   * started.
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
  /** Reports a failure after the response's status was sent. @returns its form for clients */
  report(error: InferenceError): ErrorBody;
}

/** A field of a form that is not a file. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The form of an upload; its file stays on disk until the run ends. */
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
  /** Form field with the file; default: the body is JSON. */
  readonly uploadField?: string | undefined;
  /**
   * A parsed body, or an `UploadedForm` → the request.
   *
   * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
   */
  read(body: unknown, caller: CallerState, budget: RequestBudget): A | Promise<A>;
  answer(run: EndpointRun<Input, Event>, asked: A): Promise<ApiResponse>;
}

export interface SocketRunOptions {
  /** Default: the endpoint's category. */
  readonly category?: string | undefined;
  /** Cancels the run, even while an event is pending; replaces the client's disconnect. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves once it is clear whether the run is used: unused runs cost nothing. Default: used. */
  readonly isUsed?: Promise<boolean> | undefined;
}

export interface SocketCall<Input, Event> {
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the socket has closed. */
  readonly signal: AbortSignal;
  /** Max bytes buffered until their utterance ends. */
  readonly maxBufferBytes: number;
  /**
   * @param id default: the default model of the category
   * @param category default: the endpoint's category
   * @throws InferenceError `model_not_found`, `upgrade_required`, or `invalid_request` for a model of the wrong category
   */
  findModel(id: string | undefined, category?: string): ModelInfo;
  send(message: object): void;
  /** Resolves when the client has read most of its messages or disconnected. */
  room(): Promise<void>;
  /**
   * Reports the number of bytes that the session holds now.
   *
   * @throws InferenceError `rate_limited` if the key holds too many, `overloaded` if all keys together do
   */
  hold(bytes: number): void;
  /** Resolves when the next slice of long work may begin. */
  turn(): Promise<void>;
  /** Reports the number of waiting and running runs; if there are too many, the client's messages wait. */
  pace(runs: number): void;
  /** Runs a model as a separate request, counted and billed like an HTTP request. Leaving the loop cancels it. */
  run(request: Input, options?: SocketRunOptions): AsyncIterable<Event>;
  /** `x-ratelimit-*` of the last run. */
  limits(): Readonly<Record<string, string>>;
  /** Reports a failure. @returns its form for the client */
  fail(error: InferenceError): ErrorBody['error'];
}

/** The server side of a socket. */
export interface SocketSession {
  /** The socket is open. */
  begin(): void;
  /** Takes a parsed message of the client. A returned promise delays the next message until it resolves. */
  receive(message: unknown): void | Promise<void>;
  /** An unreadable message, or the client's time is over. */
  refuse(error: InferenceError): void;
  /** Resolves when all received messages are answered. */
  settled(): Promise<void>;
}

/** A path that becomes a WebSocket with JSON messages. */
export interface SocketEndpoint<Input = unknown, Event = unknown> extends RouteDescription {
  readonly category: string;
  /** @throws InferenceError to answer without a socket */
  connect(call: SocketCall<Input, Event>): SocketSession;
}
