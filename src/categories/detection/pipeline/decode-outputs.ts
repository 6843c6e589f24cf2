import { float16ToFloat32Into } from '../../../core/math/float16.ts';
import type { Candidates } from '../../../core/vision/candidates.ts';
import { decodeDetrSoftmaxInto } from '../../../core/vision/heads/detr-softmax.ts';
import { decodeDetrInto } from '../../../core/vision/heads/detr.ts';
import { decodeEndToEndInto } from '../../../core/vision/heads/end-to-end.ts';
import { decodeFastestDetInto } from '../../../core/vision/heads/fastestdet.ts';
import type { Head } from '../../../core/vision/heads/find-head.ts';
import type { HeadName, HeadOutput, SizedDecodeOptions } from '../../../core/vision/heads/head.ts';
import { decodeNmsRowsInto } from '../../../core/vision/heads/nms-rows.ts';
import { decodeNmsInto } from '../../../core/vision/heads/nms.ts';
import { decodeYolo26Into } from '../../../core/vision/heads/yolo26.ts';
import { decodeYoloV5Into } from '../../../core/vision/heads/yolov5.ts';
import { decodeYoloV8Into } from '../../../core/vision/heads/yolov8.ts';
import { decodeYoloXMapsInto } from '../../../core/vision/heads/yolox-maps.ts';
import { decodeYoloXInto } from '../../../core/vision/heads/yolox.ts';
import type { Tensor, TensorMap } from '../../../runtime/contract.ts';

/** The outputs of a head, each under its part. */
interface Parts {
  readonly output: HeadOutput;
  readonly boxes: HeadOutput;
  readonly labels: HeadOutput;
  readonly count: HeadOutput | undefined;
  readonly maps: readonly HeadOutput[];
}

type Decode = (candidates: Candidates, parts: Parts, options: SizedDecodeOptions) => Candidates;

const decoders: Readonly<Record<HeadName, Decode>> = {
  yolov5: (candidates, { output }, options) => decodeYoloV5Into(candidates, output, options),
  yolov8: (candidates, { output }, options) => decodeYoloV8Into(candidates, output, options),
  yolox: (candidates, { output }, options) => decodeYoloXInto(candidates, output, options),
  'yolox-maps': (candidates, { maps }, options) => decodeYoloXMapsInto(candidates, maps, options),
  yolo26: (candidates, { output }, options) => decodeYolo26Into(candidates, output, options),
  fastestdet: (candidates, { output }, options) => decodeFastestDetInto(candidates, output, options),
  'end-to-end': (candidates, { output }, options) => decodeEndToEndInto(candidates, output, options),
  nms: (candidates, { output: scores, boxes, labels, count }, options) =>
    decodeNmsInto(candidates, { scores, boxes, labels, count }, options),
  'nms-rows': (candidates, { output }, options) => decodeNmsRowsInto(candidates, output, options),
  detr: (candidates, { output, boxes }, options) =>
    decodeDetrInto(candidates, { logits: output, boxes }, options),
  'detr-softmax': (candidates, { output, boxes }, options) =>
    decodeDetrSoftmaxInto(candidates, { logits: output, boxes }, options),
};

/** Outputs of a model → candidates, in pixels of its input. */
export function decodeOutputsInto(
  candidates: Candidates,
  outputs: TensorMap,
  { name, output, boxes = output, labels = output, count, maps = [output] }: Head,
  options: SizedDecodeOptions,
): Candidates {
  const part = (which: string): HeadOutput => toHeadOutput(outputs[which]!);
  const parts = {
    output: part(output),
    boxes: part(boxes),
    labels: part(labels),
    count: count === undefined ? undefined : part(count),
    maps: maps.map(part),
  };
  return decoders[name](candidates, parts, options);
}

/** The numbers of an output, whatever their type. */
export function toHeadOutput({ type, data, dims }: Tensor): HeadOutput {
  if (type === 'float32') return { data: data as Float32Array, dims };
  if (type === 'float16') {
    return { data: float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array), dims };
  }
  if (type === 'int64') return { data: Float32Array.from(data as BigInt64Array, Number), dims };
  if (type === 'int32') return { data: Float32Array.from(data as Int32Array), dims };
  throw new TypeError(`output: expected float32, float16, int64 or int32, got ${type}`);
}
