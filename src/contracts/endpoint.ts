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

/** With its name in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

export interface RequestBody extends NamedSchema {
  /** Default `application/json`. */
  readonly mediaType?: 'multipart/form-data' | undefined;
  /** Treat a missing body as `{}`. */
  readonly isOptional?: boolean | undefined;
  /** Recognized fields of popular servers. */
  readonly foreign?: ForeignFields | undefined;
}

export interface SocketMessages {
  readonly client: NamedSchema;
  readonly server: NamedSchema;
}

export interface QueryParameter {
  readonly description: string;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** For the id of a model: the model's category. */
  readonly modelOf?: string | undefined;
}

export interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/models/{model_id}/parameters`; a placeholder may match several segments. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Query parameters by name. All are optional, and text unless they have a schema. */
  readonly queryParameters?: Readonly<Record<string, QueryParameter>> | undefined;
  /** For path placeholders and fields without a description in their schema. */
  readonly descriptions?: Descriptions | undefined;
  readonly requestBody?: RequestBody | undefined;
  /** Messages, if the path is a WebSocket. */
  readonly messages?: SocketMessages | undefined;
  /** More sockets on the path; the model's category decides. */
  readonly otherMessages?: readonly SocketMessages[] | undefined;
  /** 200 responses by media type; `{}` if the path has `messages`. */
  readonly responses: Readonly<Record<string, NamedSchema>>;
  readonly errors: readonly ErrorCode[];
  /** Custom form of errors. */
  readonly errorBody?:
    (NamedSchema & { readonly of: (body: ErrorBody, requestId: string) => object }) | undefined;
}

export interface RequestBudget {
  /** Runs one check in pieces. */
  readonly pieces: Pieces;
  /**
   * Call it before each small part of long work; resolves in the request's next turn.
   * @throws InferenceError `cancelled` after a disconnect; `deadline_exceeded`
   */
  pause(): Promise<void>;
  /** Reserves bytes for stored values until the request ends. @throws InferenceError `rate_limited` or `overloaded` */
  hold(bytes: number): void;
}

export interface RouteCall extends ModelDirectory {
  /** @throws InferenceError `upgrade_required` if the caller may not, `unsupported_feature` if the service can't */
  control(id: string): Pick<ModelControl<never>, 'load' | 'unload'>;
  readonly query: URLSearchParams;
  /** Parsed by the schema of `requestBody`. */
  readonly body: unknown;
  readonly caller: CallerState;
  readonly budget: RequestBudget;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** @param category default: any @throws InferenceError `model_not_found`, or `invalid_request` for a model of the wrong category */
  findModel(id: string, category?: string): ModelInfo;
}

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

export interface StreamEnd {
  /** Default: the error body. */
  readonly toErrorFrames?: ((body: ErrorBody) => string) | undefined;
  /** Default `data: [DONE]`. */
  readonly endFrame?: string | undefined;
}

/** The request's only run: it spends quota, is billed, and ends if the client disconnects. */
export interface EndpointRun<Input, Event> {
  readonly model: ModelInfo;
  readonly caller: CallerState;
  /** @throws InferenceError `quota_exceeded`, or the error of the run */
  collect(request: Input, options?: EndpointRunOptions): Promise<Event[]>;
  /** Returning the iterator aborts the run immediately, even while an event is pending. @throws InferenceError `quota_exceeded` */
  open(request: Input, options?: EndpointRunOptions): Promise<AsyncIterator<Event>>;
  /** Resolves with the first event; a later failure is sent as the last event. @throws InferenceError the run's error before its first event */
  stream(
    request: Input,
    toFrames: (event: Event) => string | Promise<string>,
    options?: EndpointRunOptions & StreamEnd,
  ): Promise<ApiResponse>;
  /**
   * Starts a run that outlives the response; resolves when it is queued or started.
   * @throws InferenceError `quota_exceeded`, or why the run is not admitted
   */
  detach(
    request: Input,
    options: EndpointRunOptions & Required<Pick<CallOptions, 'signal' | 'onDispatch'>>,
  ): Promise<{
    /** Rejects with the error of the run; may stay unhandled. */
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

/** The file stays on disk until the run ends. */
export interface UploadedForm {
  readonly fields: readonly FormField[];
  readonly path: string;
}

export interface Endpoint<
  A extends Asked = Asked,
  Input = unknown,
  Event = unknown,
> extends RouteDescription {
  /** Form field with the file; default: the body is JSON. */
  readonly uploadField?: string | undefined;
  /**
   * Parsed body, or an `UploadedForm` → request.
   * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
   */
  read(body: unknown, caller: CallerState, budget: RequestBudget): A | Promise<A>;
  answer(run: EndpointRun<Input, Event>, asked: A): Promise<ApiResponse>;
}

export interface SocketRunOptions {
  /** Default: the endpoint's category. */
  readonly category?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Resolves once it is clear whether the run is billed. Default: billed. */
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
   * @param id default: the category's default model
   * @throws InferenceError `model_not_found`, `upgrade_required`, or `invalid_request` for a model of the wrong category
   */
  findModel(id: string | undefined, category?: string): ModelInfo;
  send(message: object): void;
  /** Resolves when the client has read most of its messages or disconnected. */
  room(): Promise<void>;
  /** Reports the session's size. @throws InferenceError `rate_limited` if the key holds too many bytes, `overloaded` if all keys together do */
  hold(bytes: number): void;
  /** Resolves when the next slice of long work may begin. */
  turn(): Promise<void>;
  /** Reports the number of runs: if there are too many, the client's messages wait. */
  pace(runs: number): void;
  /** A separate run, billed like an HTTP request. Leaving the loop cancels it. */
  run(request: Input, options?: SocketRunOptions): AsyncIterable<Event>;
  /** `x-ratelimit-*` of the last run. */
  limits(): Readonly<Record<string, string>>;
  /** Reports a failure. @returns its form for the client */
  fail(error: InferenceError): ErrorBody['error'];
}

export interface SocketSession {
  begin(): void;
  receive(message: unknown): void | Promise<void>;
  /** An unreadable message, or the end of the client's time. */
  refuse(error: InferenceError): void;
  settled(): Promise<void>;
}

/** A path that becomes a WebSocket with JSON messages. */
export interface SocketEndpoint<Input = unknown, Event = unknown> extends RouteDescription {
  readonly category: string;
  /** @throws InferenceError to answer without a socket */
  connect(call: SocketCall<Input, Event>): SocketSession;
}
