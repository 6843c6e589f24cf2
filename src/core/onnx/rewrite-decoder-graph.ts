import { withContribDomain, operatorsVersion, liftConstants } from './graph-draft.ts';
import type { OnnxGraph, OnnxModel } from './model.ts';
import { setAccuracyLevel } from './rewrites/accuracy-level.ts';
import { addCandidates } from './rewrites/candidates.ts';
import { fuseAttention, type AttentionWindow } from './rewrites/group-query-attention.ts';
import { gatherLastPosition } from './rewrites/last-position.ts';
import { addEmptySinks } from './rewrites/plain-attention.ts';
import { addNewSlots } from './rewrites/new-slots.ts';
import { makeMask } from './rewrites/row-lengths.ts';
import type { Rewritten } from './rewrites/rewrite-nodes.ts';

/** The rewrites to try: `lastPosition` by default, all others on request. */
export interface RewriteOptions {
  /** Attention becomes `GroupQueryAttention`, if {@link maskModel} has shown what each mask lets a position see. */
  readonly attention?: { readonly windows: ReadonlyMap<string, AttentionWindow> } | false;
  /** Logits are computed for selected positions of a row only. */
  readonly lastPosition?: boolean;
  /** Products with int4 weights use 8-bit activations: for the CPU. */
  readonly accuracyLevel?: boolean;
  /** Attention with at least this many heads (the number of threads) runs in the CPU provider's plain kernel. */
  readonly plainAttention?: number | false;
  /** Adds this many largest logits of each row and the mass of all logits as outputs; needs `lastPosition`. */
  readonly candidates?: number | false;
  /** The attention mask is computed from row lengths, which become inputs; for `GroupQueryAttention`. */
  readonly rowLengths?: boolean;
  /** Each `present.*` gets an additional output with its new slots. */
  readonly newSlots?: boolean;
}

export interface RewrittenModel {
  readonly model: OnnxModel;
  /** Names of the rewrites in the model. */
  readonly applied: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** The first version of the standard operators with axes as inputs. */
const minOpset = 13;

/**
 * Rewrites a decoder's graph for speed. Names, types and layouts of inputs and outputs stay the same, except as each
 * rewrite documents: `logits` have the positions in `last_positions`.
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
  if (opset < minOpset)
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
