import type { Float } from './values.ts';

/** The statements of a template, in order. */
export type Statement =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'print'; readonly value: Expression }
  | { readonly type: 'if'; readonly test: Expression; readonly body: Body; readonly otherwise: Body }
  | For
  | { readonly type: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly type: 'set-block';
      readonly target: Target;
      readonly filters: readonly FilterCall[];
      readonly body: Body;
    }
  | {
      readonly type: 'with';
      readonly bindings: readonly (readonly [Target, Expression])[];
      readonly body: Body;
    }
  | {
      readonly type: 'macro';
      readonly name: string;
      readonly parameters: readonly Parameter[];
      readonly body: Body;
    }
  | {
      readonly type: 'call-block';
      readonly call: Call;
      readonly parameters: readonly Parameter[];
      readonly body: Body;
    }
  | { readonly type: 'filter-block'; readonly filters: readonly FilterCall[]; readonly body: Body }
  /** A body with names of its own. */
  | { readonly type: 'scope'; readonly body: Body }
  | { readonly type: 'break' | 'continue' };

export type Body = readonly Statement[];

export interface For {
  readonly type: 'for';
  readonly target: Target;
  readonly items: Expression;
  /** Rounds where it fails are left out, and not counted. */
  readonly condition: Expression | undefined;
  readonly isRecursive: boolean;
  readonly body: Body;
  readonly otherwise: Body;
}

/** Targets of an assignment. */
export type Target =
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'attribute'; readonly value: Expression; readonly name: string }
  | { readonly type: 'tuple'; readonly items: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export type Expression =
  | { readonly type: 'constant'; readonly value: string | boolean | number | bigint | Float | null }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly type: 'dictionary'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: 'attribute'; readonly value: Expression; readonly name: string }
  | { readonly type: 'item'; readonly value: Expression; readonly key: Expression }
  | {
      readonly type: 'slice';
      readonly value: Expression;
      /** Start, stop and step. */
      readonly bounds: readonly (Expression | undefined)[];
    }
  | Call
  | { readonly type: 'filter'; readonly value: Expression; readonly filter: FilterCall }
  | { readonly type: 'test'; readonly value: Expression; readonly name: string; readonly args: Arguments }
  | { readonly type: 'unary'; readonly operator: string; readonly value: Expression }
  | Binary
  | {
      readonly type: 'comparison';
      readonly value: Expression;
      readonly rest: readonly (readonly [operator: string, Expression])[];
    }
  | {
      readonly type: 'choice';
      readonly test: Expression;
      readonly value: Expression;
      readonly otherwise: Expression | undefined;
    };

export interface Binary {
  readonly type: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Call {
  readonly type: 'call';
  readonly callee: Expression;
  readonly args: Arguments;
}

export interface FilterCall {
  readonly name: string;
  readonly args: Arguments;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*list` and `**mapping`. */
  readonly list: Expression | undefined;
  readonly mapping: Expression | undefined;
}
