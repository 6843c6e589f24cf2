import { float16ToFloat32Into } from '../../../../core/math/float16.ts';
import type { HeadOutput } from '../../../../core/vision/heads/head.ts';
import type { Tensor } from '../../../../runtime/contract.ts';

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
