import type { ReasoningConstraint } from '../grammar/constraint.ts';
import type { CallsInReasoning, ReasoningSplitter } from './reasoning.ts';
import type { ModelTraits } from './tool-calls/format.ts';

/** One way in which models mark their thinking. */
export interface ReasoningFormat {
  /** Unique, kebab-case: what a setting says to choose the format. */
  readonly name: string;
  /** Example of an answer with thinking, for documentation. */
  readonly example: string;
  /** Texts that carry structure; see `ToolCallFormat.markers`. */
  readonly markers: readonly string[];
  /**
   * @param prompt the rendered prompt: some templates open the block there
   * @param calls how calls begin, where the answer may hold some
   */
  createSplitter(prompt: string, calls?: CallsInReasoning): ReasoningSplitter;
  /**
   * How thinking is written, for answers under a grammar.
   *
   * @param prompt the rendered prompt
   */
  constraint(prompt: string): ReasoningConstraint;
  /** Whether it counts before what the template shows. Default false. */
  readonly overrides?: boolean | undefined;
  detect(model: ModelTraits): boolean;
}
