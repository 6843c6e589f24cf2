import { getOrCreate } from '../../get-or-create.ts';
import { floatAttribute, integerAttribute, integersAttribute, integersOf } from '../value.ts';
import { isPastState, presentKeysAndValues } from '../cache-names.ts';
import { elementTypes } from '../element-types.ts';
import { contribDomain, GraphDraft } from '../graph-draft.ts';
import { GraphIndex } from '../graph-index.ts';
import type { OnnxGraph, OnnxNode } from '../model.ts';
import { sizeAfter, sizeBefore } from '../projection-size.ts';
import { peelMask } from './attention-mask.ts';
import { matchAttention, type Attention, sameLeadingDims } from './attention-parts.ts';
import { matchRotary } from './rotary-parts.ts';
import { unchanged, type Rewritten } from './rewrite-nodes.ts';

/** Number of tokens that a position sees, itself included; `full` without a limit. */
export type AttentionWindow = number | 'full';

// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
/**
 * Fuses each layer's products, masks, repeated heads and concatenated caches into one `GroupQueryAttention`, which also
 * appends to the cache; inputs and outputs stay the same. The rotation of queries and keys becomes `RotaryEmbedding` if its
 * pattern is known, and stays unchanged otherwise. All layers are rewritten, or no layer.
 */
export function fuseAttention(graph: OnnxGraph, windows: ReadonlyMap<string, AttentionWindow>): Rewritten {
  const index = new GraphIndex(graph);
  const inputs = new Map(graph.inputs.map((input) => [input.name, input]));
  const tokens = ['input_ids', 'inputs_embeds'].find((name) => inputs.has(name));
  if (tokens === undefined) return unchanged('no input input_ids');
  if (!inputs.has('attention_mask')) return unchanged('no input attention_mask');
  const presents = [...presentKeysAndValues(graph.inputs)];
  const layers: Layer[] = [];
  let other = 'no Softmax';
  for (const softmax of graph.nodes.filter(({ operator }) => operator === 'Softmax')) {
    const attention = matchAttention(index, softmax);
    if (typeof attention === 'string') {
      // Expert routers have a Softmax too.
      other = attention;
      continue;
    }
    const layer = completeLayer(attention);
    if (typeof layer === 'string') return unchanged(layer);
    layers.push(layer);
  }
  const covered = new Set(layers.flatMap(({ key, value }) => [key.present, value.present]));
  if (layers.length === 0) return unchanged(other);
  if (presents.length !== covered.size || !presents.every((name) => covered.has(name)))
    return unchanged(`attention and outputs present.* do not correspond: ${other}`);
  const draft = new GraphDraft(graph);
  const emitter = new AttentionEmitter(draft, index, tokens);
  for (const layer of layers) emitter.emit(layer);
  if (graph.inputs.some(isPastState)) unmask(draft, index);
  return { graph: draft.finish() };

  function completeLayer(attention: Attention): Layer | string {
    const { key, value, mask } = attention;
    const past = inputs.get(key.past);
    if (!past || !inputs.has(value.past)) return 'keys or values that do not begin with an input';
    const [, keyValueHeads, , headSize] = past.dims ?? [];
    const { elementType } = past;
    if (typeof keyValueHeads !== 'number' || typeof headSize !== 'number')
      return `${past.name} of an unknown size`;
    if (elementType !== elementTypes.float32 && elementType !== elementTypes.float16)
      return `${past.name} of an unknown type`;
    if (!mask) return 'attention without a mask';
    const window = windows.get(peelMask(index, mask.name));
    if (window === undefined) return 'a mask that is not understood';
    const heads = countHeads(index, attention, headSize);
    if (heads === undefined || heads % keyValueHeads !== 0) return 'an unknown number of heads';
    return { ...attention, heads, keyValueHeads, headSize, elementType, window };
  }
}

/**
 * Makes states treat all tokens of a step as part of their rows: rows with states are never padded, and if the ones of
 * a mask come first, its last slots don't belong to the new tokens.
 */
function unmask(draft: GraphDraft, index: GraphIndex): void {
  const shape = draft.add('Shape', ['attention_mask']);
  const ones = draft.add('Expand', [draft.int64([1]), shape]);
  for (const node of index.consumers('attention_mask')) {
    const inputs = node.inputs.map((name) => (name === 'attention_mask' ? ones : name));
    draft.replace(node, { ...node, inputs });
  }
}

interface Layer extends Attention {
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly elementType: number;
  readonly window: AttentionWindow;
}

/** From the size of the product after the attention, or before it. */
function countHeads(index: GraphIndex, { query, output }: Attention, headSize: number): number | undefined {
  const size = sizeAfter(index, output) ?? sizeBefore(index, matchRotary(index, query)?.input ?? query);
  return size !== undefined && size % headSize === 0 ? size / headSize : undefined;
}

/** Adds the nodes layer by layer, and shared nodes once. */
class AttentionEmitter {
  readonly #draft: GraphDraft;
  readonly #index: GraphIndex;
  /** The input with a row of tokens or embeddings. */
  readonly #tokens: string;
  readonly #shared = new Map<string, string>();

  constructor(draft: GraphDraft, index: GraphIndex, tokens: string) {
    this.#draft = draft;
    this.#index = index;
    this.#tokens = tokens;
  }

  emit(layer: Layer): void {
    const { key, value, heads, keyValueHeads, scale, softcap, window } = layer;
    this.#draft.remove(key.node);
    this.#draft.remove(value.node);
    const result = this.#draft.name('attention');
    this.#draft.add(
      'GroupQueryAttention',
      [
        this.#rotated(layer.query, layer, heads),
        this.#rotated(key.added, layer, keyValueHeads),
        this.#flatten(value.added, layer, keyValueHeads),
        key.past,
        value.past,
        this.#lastSlots(),
        this.#totalLength(),
      ],
      {
        domain: contribDomain,
        attributes: [
          integerAttribute('num_heads', heads),
          integerAttribute('kv_num_heads', keyValueHeads),
          floatAttribute('scale', scale),
          floatAttribute('softcap', softcap),
          integerAttribute('local_window_size', window === 'full' ? -1 : window),
        ],
        outputs: [result, key.present, value.present],
      },
    );
    this.#replaceOutput(layer, result);
  }

  /** Replaces the old attention's result by `[batch, sequence, heads · size]`. */
  #replaceOutput({ output, heads, headSize }: Layer, result: string): void {
    const reshape = this.#index.soleConsumer(output, 'Reshape');
    if (reshape && this.#hasRank3(reshape)) {
      this.#draft.redirect(reshape.outputs[0]!, result);
    } else
      this.#draft.redirect(
        output,
        this.#draft.add('Reshape', [result, this.#draft.int64([0, 0, heads, headSize])]),
      );
  }

  #hasRank3(reshape: OnnxNode): boolean {
    const shape = reshape.inputs[1];
    const parts = this.#index.producer(shape, 'Concat')?.inputs;
    return (parts?.length ?? this.#index.values(shape)?.length) === 3;
  }

  /** Queries or keys, `[batch, heads, sequence, size]`, rotated, as `[batch, sequence, heads · size]`. */
  #rotated(name: string, layer: Layer, heads: number): string {
    const rotary = matchRotary(this.#index, name);
    if (!rotary) return this.#flatten(name, layer, heads);
    const flat = this.#flatten(rotary.input, layer, heads);
    const size = rotary.partial ?? layer.headSize;
    const cos = this.#tableOf(rotary.cos, layer, size);
    const sin = this.#tableOf(rotary.sin, layer, size);
    const positions = this.#positionsIn(rotary.cos, cos);
    return this.#draft.add('RotaryEmbedding', [flat, positions, cos, sin], {
      domain: contribDomain,
      // OpenVINO has no default for these.
      attributes: [
        integerAttribute('num_heads', heads),
        integerAttribute('rotary_embedding_dim', rotary.partial ?? 0),
        integerAttribute('interleaved', 0),
        integerAttribute('is_packed_batching', 0),
        floatAttribute('scale', 1),
      ],
    });
  }

  /** `[batch, heads, sequence, size]` → `[batch, sequence, heads · size]` */
  #flatten(name: string, { elementType, headSize }: Layer, heads: number): string {
    const source = this.#index.peel(name);
    const transpose = this.#index.producer(source, 'Transpose');
    const isTurned = transpose && integersOf(transpose, 'perm')?.join() === '0,2,1,3';
    const turned = isTurned
      ? transpose.inputs[0]!
      : this.#draft.add('Transpose', [source], { attributes: [integersAttribute('perm', [0, 2, 1, 3])] });
    const reshape = this.#index.producer(turned, 'Reshape');
    const flat =
      reshape && sameLeadingDims(this.#index, reshape)
        ? reshape.inputs[0]!
        : this.#draft.add('Reshape', [turned, this.#draft.int64([0, 0, heads * headSize])]);
    if (source === name) return flat;
    return this.#draft.cast(flat, elementType);
  }

  /** The index of each row's cosines in the table. */
  #positionsIn(name: string, cos: string): string {
    return getOrCreate(this.#shared, `positions:${name}`, () => {
      // Rows with equal positions share the table.
      const rows = this.#draft.add('Gather', [this.#draft.add('Shape', [cos]), this.#draft.int64([0], [])]);
      const shape = getOrCreate(this.#shared, 'shape', () =>
        this.#draft.add('Slice', [
          this.#draft.add('Shape', [this.#tokens]),
          this.#draft.int64([0]),
          this.#draft.int64([2]),
        ]),
      );
      const count = this.#draft.add('ReduceProd', [shape], { attributes: [integerAttribute('keepdims', 0)] });
      const range = this.#draft.add('Range', [this.#draft.int64([0], []), count, this.#draft.int64([1], [])]);
      return this.#draft.add('Reshape', [this.#draft.add('Mod', [range, rows]), shape]);
    });
  }

  /** Cosines or sines of this step's positions as a table `[batch · sequence, size / 2]`. */
  #tableOf(name: string, { elementType }: Layer, size: number): string {
    return getOrCreate(this.#shared, `table:${name}`, () => {
      const half = this.#draft.add('Slice', [
        name,
        this.#draft.int64([0]),
        this.#draft.int64([size / 2]),
        this.#draft.int64([-1]),
      ]);
      const table = this.#draft.add('Reshape', [half, this.#draft.int64([-1, size / 2])]);
      return this.#draft.cast(table, elementType);
    });
  }

  /** Index of each row's last slot, counted from the mask. */
  #lastSlots(): string {
    return getOrCreate(this.#shared, 'last-slots', () => {
      const attributes = [integerAttribute('keepdims', 0)];
      const counts = this.#draft.add('ReduceSum', ['attention_mask', this.#draft.int64([1])], { attributes });
      const slots = this.#draft.add('Sub', [counts, this.#draft.int64([1])]);
      return this.#draft.cast(slots, elementTypes.int32);
    });
  }

  #totalLength(): string {
    return getOrCreate(this.#shared, 'total-length', () => {
      const shape = this.#draft.add('Shape', ['attention_mask']);
      const length = this.#draft.add('Gather', [shape, this.#draft.int64([1], [])]);
      return this.#draft.cast(length, elementTypes.int32);
    });
  }
}
