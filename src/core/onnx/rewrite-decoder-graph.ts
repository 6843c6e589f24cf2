import { withContribDomain, operatorsVersion } from './graph-draft.ts';
import { liftConstants } from './lift-constants.ts';
import type { OnnxGraph, OnnxModel } from './model.ts';
import { setAccuracyLevel } from './rewrites/accuracy-level.ts';
import { addCandidates } from './rewrites/candidates.ts';
import { fuseAttention, type AttentionWindow } from './rewrites/group-query-attention.ts';
import { gatherLastPosition } from './rewrites/last-position.ts';
import { addEmptySinks } from './rewrites/plain-attention.ts';
import { addNewSlots } from './rewrites/new-slots.ts';
import { makeMask } from './rewrites/row-lengths.ts';
import type { Rewritten } from './rewrites/rewrite.ts';

/** The rewrites to try: `lastPosition` unless it is turned off, the others when asked for. */
export interface RewriteOptions {
  /** Attention becomes `GroupQueryAttention`, where {@link maskModel} showed what each mask lets a position see. */
  readonly attention?: { readonly windows: ReadonlyMap<string, AttentionWindow> } | false;
  /** Logits are computed for chosen positions of a row only. */
  readonly lastPosition?: boolean;
  /** Products with int4 weights compute with activations of 8 bits: for the CPU. */
  readonly accuracyLevel?: boolean;
  /** Attention with at least so many heads, as many as threads, is computed by the plain kernel of the CPU provider. */
  readonly plainAttention?: number | false;
  /** That many largest logits of each row and the mass of all of them are outputs too; needs `lastPosition`. */
  readonly candidates?: number | false;
  /** The attention mask is made of the rows' lengths, which become inputs; wants `GroupQueryAttention`. */
  readonly rowLengths?: boolean;
  /** Each `present.*` has an output with its new slots beside it. */
  readonly newSlots?: boolean;
}

export interface RewrittenModel {
  readonly model: OnnxModel;
  /** Names of the rewrites that the model has now. */
  readonly applied: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** The first version of the standard operators that take axes as inputs. */
const leastOpset = 13;

/**
 * Rewrites the graph of a decoder for speed. Names, types and layouts of inputs and outputs stay, but for what each rewrite
 * says: `logits` have the positions that `last_positions` names.
 */
export function rewriteDecoderGraph(
  model: OnnxModel,
  {
    attention = false,
    lastPosition = true,
    accuracyLevel = false,
    plainAttention = false,
    candidates = false,
    rowLengths = false,
    newSlots = false,
  }: RewriteOptions = {},
): RewrittenModel {
  const opset = operatorsVersion(model.opsets);
  if (opset < leastOpset)
    return { model, applied: [], skipped: [{ name: 'all', reason: `operators of version ${opset}` }] };
  const rewrites: readonly (readonly [name: string, rewrite: false | ((graph: OnnxGraph) => Rewritten)])[] = [
    ['attention', attention && ((graph) => fuseAttention(graph, attention.windows))],
    ['last-position', lastPosition && gatherLastPosition],
    ['accuracy-level', accuracyLevel && setAccuracyLevel],
    ['plain-attention', plainAttention !== false && ((graph) => addEmptySinks(graph, plainAttention))],
    ['candidates', candidates !== false && ((graph) => addCandidates(graph, candidates))],
    ['row-lengths', rowLengths && makeMask],
    ['new-slots', newSlots && addNewSlots],
  ];
  let graph = liftConstants(model.graph);
  const applied: string[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const [name, rewrite] of rewrites) {
    if (!rewrite) continue;
    const result = rewrite(graph);
    if (result.graph) {
      ({ graph } = result);
      applied.push(name);
    } else {
      skipped.push({ name, reason: result.reason });
    }
  }
  return { model: { ...model, graph, opsets: withContribDomain(model.opsets) }, applied, skipped };
}
