import { operatorsVersion, type GraphDraft } from '../graph-draft.ts';
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode } from '../model.ts';
import { integerAttribute, integerOf, integersAttribute, integersOf, textOf } from '../value.ts';
import { rewriteNodes } from './rewrite-nodes.ts';

/** The first version with the bounds of a `Slice` as inputs. */
const minOpset = 10;
/** Maximum filters that one thread computes together: 4 blocks of 16. */
const filtersPerThread = 64;
/** With fewer filters than a block, the runtime has no faster kernel. */
const minFilters = 16;

/**
 * Makes convolutions over time two-dimensional, since onnxruntime has blocked kernels (NCHWc) for these only, and transposed ones
 * plain. Only the order of sums changes. @returns `undefined` without such convolutions
 * @param threads share the filters of a kernel
 */
export function toSpatialConvolutions(
  { graph, opsets }: Pick<OnnxModel, 'graph' | 'opsets'>,
  threads: number,
): OnnxGraph | undefined {
  if (operatorsVersion(opsets) < minOpset) return undefined;
  const least = threads === 1 ? minFilters : filtersPerThread * threads;
  return rewriteNodes(graph, (node, draft, index) => {
    const isTransposed = node.operator === 'ConvTranspose';
    if (node.operator !== 'Conv' && !isTransposed) return false;
    const constant = index.constant(node.inputs[1]);
    const quantized = index.producer(node.inputs[1], 'DequantizeLinear')?.inputs[0];
    const dims = (constant ?? index.constant(quantized))?.dims;
    const window = windowOf(node);
    if (dims?.length !== 3 || !window) return false;
    if (!isTransposed) {
      // A filter of one step is a matrix product, which is as fast.
      if (dims[0]! < least || dims[2] === 1) return false;
      const [input, weights, ...bias] = node.inputs as [string, string, ...string[]];
      // Constants that no node computes load faster.
      const image = constant && draft.constant({ ...constant, dims: [dims[0]!, dims[1]!, 1, dims[2]!] });
      convolve(draft, [input, image ?? toImage(draft, weights), ...bias], node);
      return true;
    }
    if (!isDividing(node, window, dims[2]!) || dims[1]! * window.stride < least) return false;
    convolveTransposed(draft, node, { ...window, dims });
    return true;
  });
}

/** The groups of a convolution, and its steps and pads over time; `undefined` if the runtime chooses the pads. */
export function windowOf(node: OnnxNode) {
  if ((textOf(node, 'auto_pad') ?? 'NOTSET') !== 'NOTSET') return undefined;
  const [stride = 1] = integersOf(node, 'strides') ?? [];
  const [dilation = 1] = integersOf(node, 'dilations') ?? [];
  const [first = 0, last = 0] = integersOf(node, 'pads') ?? [];
  return { stride, dilation, groups: integerOf(node, 'group') ?? 1, first, last };
}

function convolve(
  draft: GraphDraft,
  [input, ...weights]: readonly [string, ...string[]],
  { attributes, outputs }: { attributes: readonly OnnxAttribute[]; outputs?: readonly string[] },
): string {
  const inputs = [toImage(draft, input), ...weights];
  const sums = draft.add('Conv', inputs, { attributes: attributes.map(toTwoAxes) });
  return draft.add('Reshape', [sums, draft.int64([0, 0, -1])], { outputs });
}

export function toImage(draft: GraphDraft, name: string): string {
  return draft.add('Reshape', [name, draft.int64([0, 0, 1, -1])]);
}

/** `[7]` → `[1, 7]`; pads `[3, 2]` → `[0, 3, 0, 2]` */
function toTwoAxes(attribute: OnnxAttribute): OnnxAttribute {
  const { name, value } = attribute;
  if (value.type !== 'integers') return attribute;
  const [first = 0, last = 0] = value.value.map(Number);
  return integersAttribute(name, name === 'pads' ? [0, first, 0, last] : [1, first]);
}

type Window = NonNullable<ReturnType<typeof windowOf>>;

/** Whether the stride of a transposed convolution divides the width of its filters, and nothing else shapes its output. */
function isDividing(node: OnnxNode, { stride, dilation, groups }: Window, width: number): boolean {
  const isPlain =
    dilation === 1 &&
    groups === 1 &&
    (integersOf(node, 'output_padding')?.[0] ?? 0) === 0 &&
    integersOf(node, 'output_shape') === undefined;
  return isPlain && stride > 1 && width % stride === 0;
}

/** Output `i · stride + r` is the sum over `j` of input `i - j` times tap `j · stride + r`: one filter for each `r`. */
function convolveTransposed(
  draft: GraphDraft,
  node: OnnxNode,
  { dims, stride, first, last }: Window & { readonly dims: readonly number[] },
): void {
  const [channels, filters, width] = dims as [number, number, number];
  const [input, weights, bias] = node.inputs as [string, string, string | undefined];
  const reshape = (name: string, ...to: number[]): string => draft.add('Reshape', [name, draft.int64(to)]);
  const transpose = (name: string, ...perm: number[]): string =>
    draft.add('Transpose', [name], { attributes: [integersAttribute('perm', perm)] });

  const taps = width / stride;
  const reversed = draft.int64(Array.from({ length: taps }, (_, tap) => taps - 1 - tap));
  const split = draft.add('Gather', [reshape(weights, 0, 0, taps, stride), reversed], {
    attributes: [integerAttribute('axis', 2)],
  });
  const all: [string, ...string[]] = [
    input,
    reshape(transpose(split, 1, 3, 0, 2), filters * stride, channels, 1, taps),
  ];
  if (bias) all.push(reshape(draft.add('Expand', [reshape(bias, -1, 1), draft.int64([1, stride])]), -1));
  const edges = integersAttribute('pads', [taps - 1, taps - 1]);
  const sums = reshape(convolve(draft, all, { attributes: [edges] }), 0, filters, stride, -1);
  const whole = reshape(transpose(sums, 0, 1, 3, 2), 0, filters, -1);
  const bounds = [first, -last || Number.MAX_SAFE_INTEGER, 2].map((bound) => draft.int64([bound]));
  draft.add('Slice', [whole, ...bounds], { outputs: node.outputs });
}
