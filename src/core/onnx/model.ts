/** A whole ONNX file: `ModelProto` of onnx.proto, without the bytes of large tensors. */
export interface OnnxModel {
  readonly irVersion: number;
  readonly producerName: string;
  readonly producerVersion: string;
  readonly opsets: readonly OpsetImport[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly graph: OnnxGraph;
  /** Unsupported fields, unchanged. */
  readonly unknown: UnknownFields;
}

/** Fields that are kept without being parsed: tags and contents. */
export type UnknownFields = readonly Uint8Array[];

export interface OpsetImport {
  /** `''` for the standard operators. */
  readonly domain: string;
  readonly version: number;
}

/** `GraphProto`. */
export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Types and shapes of intermediate results. */
  readonly values: readonly OnnxValue[];
  readonly unknown: UnknownFields;
}

/** `NodeProto`. */
export interface OnnxNode {
  readonly name: string;
  readonly operator: string;
  readonly domain: string;
  /** `''` for an omitted optional input. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly OnnxAttribute[];
  readonly unknown: UnknownFields;
}

/** `AttributeProto`; `values` of unknown kinds are in `unknown`. */
export interface OnnxAttribute {
  readonly name: string;
  readonly value: AttributeValue;
  readonly unknown: UnknownFields;
}

export type AttributeValue =
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'integer'; readonly value: bigint }
  | { readonly type: 'text'; readonly value: Uint8Array }
  | { readonly type: 'tensor'; readonly value: OnnxTensor }
  | { readonly type: 'graph'; readonly value: OnnxGraph }
  | { readonly type: 'floats'; readonly value: readonly number[] }
  | { readonly type: 'integers'; readonly value: readonly bigint[] }
  | { readonly type: 'graphs'; readonly value: readonly OnnxGraph[] }
  /** The value is in `unknown`; `number` is the attribute type. */
  | { readonly type: 'other'; readonly number: number };

/** `TensorProto`. */
export interface OnnxTensor {
  readonly name: string;
  /** A `TensorProto.DataType`. */
  readonly elementType: number;
  readonly dims: readonly number[];
  readonly data: TensorBytes;
  readonly unknown: UnknownFields;
}

/** Location of a tensor's elements: little-endian, row-major. */
export type TensorBytes =
  | { readonly place: 'inline'; readonly bytes: Uint8Array }
  /** A part of the file that the model was read from. */
  | { readonly place: 'model'; readonly offset: number; readonly length: number }
  /** A part of a separate file. */
  | {
      readonly place: 'file';
      /** Relative to the model's folder. */
      readonly location: string;
      readonly offset: number;
      /** In bytes; default: up to the end of the file. */
      readonly length: number | undefined;
    };

/** `ValueInfoProto`. */
export interface OnnxValue {
  readonly name: string;
  /** A `TensorProto.DataType`; `undefined` for sequences, maps and optional values. */
  readonly elementType: number | undefined;
  /** Numbers for fixed dimensions, otherwise names, or `''` without a name; `undefined` for an unknown rank. */
  readonly dims: readonly (number | string)[] | undefined;
  /** The original message. */
  readonly bytes: Uint8Array;
}
