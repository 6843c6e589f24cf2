import type { ArgumentsNotation } from '../../grammar/schemas/notation.ts';
import type { ToolCall, ToolDefinition } from '../messages.ts';
import type { ToolCallParser, ToolCallParserOptions } from './parser.ts';

export type WrittenCall = Pick<ToolCall, 'name' | 'arguments'>;

/** Evidence by which a format is recognized. */
export interface ModelTraits {
  /** Jinja source of the chat template, all its variants joined. */
  readonly template: string;
  /** Whether the tokenizer knows this text as one token. */
  hasToken(token: string): boolean;
}

/** Models that were trained together and call tools in the same way. */
export interface ModelFamily {
  readonly name: string;
  /** Models of the family that are known to use the format. */
  readonly models: readonly string[];
}

/** One way in which models write tool calls. */
export interface ToolCallFormat {
  /** Unique, kebab-case: what a setting says to choose the format. */
  readonly name: string;
  /** Example of an answer that calls a tool, for documentation. */
  readonly example: string;
  readonly families: readonly ModelFamily[];
  /** Whether one answer may hold several calls. */
  readonly parallel: boolean;
  /**
   * Texts that carry structure. Where the tokenizer has one of them as a special token, the token's text must reach
   * the parser although special tokens are no part of an answer otherwise.
   */
  readonly markers: readonly string[];
  /** Texts that calls begin with, as far as they begin with a marker: a call inside the thinking ends it. */
  readonly openers: readonly string[];
  /** @param tools the tools of the request: some formats leave it to their schemas what type a value has */
  createParser(tools: readonly ToolDefinition[], options?: ToolCallParserOptions): ToolCallParser;
  detect(model: ModelTraits): boolean;
  /** Writes calls as the models do, where that is not what `constraint` says. */
  write?(calls: readonly WrittenCall[]): string;
  readonly constraint: ToolCallConstraint;
}

/**
 * Notation of calls, for generating them under a grammar:
 *
 * ```text
 * begin  call(name₁).prefix  {arguments₁}  call(name₁).suffix  separator  …  end
 * ```
 *
 * The format's parser reads back what is written like this.
 */
export interface ToolCallConstraint {
  /**
   * Text that only a call begins with, and that comes first: until it has been written, an answer that may call a tool is
   * free text. Left out, each tool has one: all that comes before the arguments of a first call.
   */
  readonly trigger?: string | undefined;
  /** Before the trigger, but for a call that the answer begins with. None if left out. */
  readonly lead?: string | undefined;
  /** Before the first call. May be empty. */
  readonly begin: string;
  call(name: string): CallFrame;
  /** Between two calls; `null` where an answer holds only one. */
  readonly separator: string | null;
  /** After the last call. May be empty. */
  readonly end: string;
  /** Notation of the arguments of a tool with such a schema; a JSON object if left out. */
  readonly arguments?: ((schema: unknown) => ArgumentsNotation) | undefined;
  /** Whether line breaks around arguments may be left out. Default false. */
  readonly isLoose?: boolean | undefined;
  /** Other ways in which models of the format write calls. */
  readonly others?: readonly ToolCallConstraint[] | undefined;
}

/** The frame of one call's arguments. */
export interface CallFrame {
  readonly prefix: string;
  readonly suffix: string;
}
