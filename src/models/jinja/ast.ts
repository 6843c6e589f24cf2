/** The syntax tree that `@huggingface/jinja` parses a template into, as far as evaluating it needs. */
export type Node =
  | { readonly type: 'Comment' | 'Break' | 'Continue' }
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | {
      readonly type: 'If';
      readonly test: Node;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | For
  | {
      readonly type: 'Set';
      readonly assignee: Node;
      readonly value: Node | null;
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'Macro';
      readonly name: Identifier;
      readonly args: readonly Parameter[];
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'CallStatement';
      readonly call: CallExpression;
      readonly callerArgs: readonly Parameter[] | null;
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'FilterStatement';
      readonly filter: Identifier | CallExpression;
      readonly body: readonly Node[];
    }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | Identifier
  | MemberExpression
  | CallExpression
  | { readonly type: 'UnaryExpression'; readonly operator: Operator; readonly argument: Node }
  | BinaryExpression
  | {
      readonly type: 'FilterExpression';
      readonly operand: Node;
      readonly filter: Identifier | CallExpression;
    }
  | {
      readonly type: 'TestExpression';
      readonly operand: Node;
      readonly negate: boolean;
      readonly test: Identifier;
    }
  | SelectExpression
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | SliceExpression
  | KeywordArgument
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

export interface For {
  readonly type: 'For';
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

export interface Identifier {
  readonly type: 'Identifier';
  readonly value: string;
}

export interface MemberExpression {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node;
  readonly computed: boolean;
}

export interface CallExpression {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}

export interface BinaryExpression {
  readonly type: 'BinaryExpression';
  readonly operator: Operator;
  readonly left: Node;
  readonly right: Node;
}

/** `value if test`: in a loop's head a filter, elsewhere a choice without an `else`. */
export interface SelectExpression {
  readonly type: 'SelectExpression';
  readonly lhs: Node;
  readonly test: Node;
}

export interface SliceExpression {
  readonly type: 'SliceExpression';
  readonly start: Node | undefined;
  readonly stop: Node | undefined;
  readonly step: Node | undefined;
}

export interface KeywordArgument {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Identifier;
  readonly value: Node;
}

export type Parameter = Identifier | KeywordArgument;

interface Operator {
  readonly value: string;
}
