import { float16ToFloat32Into } from '../../../core/math/float16.ts';
import type { Candidates } from '../../../core/vision/candidates.ts';
import { decodeDetrSoftmaxInto } from '../../../core/vision/heads/detr-softmax.ts';
import { decodeDetrInto } from '../../../core/vision/heads/detr.ts';
import { decodeEndToEndInto } from '../../../core/vision/heads/end-to-end.ts';
import type { Head } from '../../../core/vision/heads/find-head.ts';
import type {
  DecodeInto,
  HeadName,
  HeadOutput,
  SizedDecodeOptions,
} from '../../../core/vision/heads/head.ts';
import { decodeYoloV5Into } from '../../../core/vision/heads/yolov5.ts';
import { decodeYoloV8Into } from '../../../core/vision/heads/yolov8.ts';
import { decodeYoloXInto } from '../../../core/vision/heads/yolox.ts';
import type { Tensor, TensorMap } from '../../../runtime/contract.ts';

const decoders: Readonly<Record<Exclude<HeadName, 'detr' | 'detr-softmax'>, DecodeInto>> = {
  yolov5: decodeYoloV5Into,
  yolov8: decodeYoloV8Into,
  yolox: decodeYoloXInto,
  'end-to-end': decodeEndToEndInto,
};

/** Outputs of a model → candidates, in pixels of its input. */
export function decodeOutputsInto(
  candidates: Candidates,
  outputs: TensorMap,
  { name, output, boxes }: Head,
  options: SizedDecodeOptions,
): Candidates {
  const scores = toHeadOutput(outputs[output]!);
  if (name !== 'detr' && name !== 'detr-softmax') return decoders[name](candidates, scores, options);
  const decode = name === 'detr' ? decodeDetrInto : decodeDetrSoftmaxInto;
  return decode(candidates, { logits: scores, boxes: toHeadOutput(outputs[boxes!]!) }, options);
}

function toHeadOutput({ type, data, dims }: Tensor): HeadOutput {
  if (type === 'float16') {
    return { data: float16ToFloat32Into(new Float32Array(data.length), data as Uint16Array), dims };
  }
  if (type !== 'float32') throw new TypeError(`output: expected float32 or float16, got ${type}`);
  return { data: data as Float32Array, dims };
}
