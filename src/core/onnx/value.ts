import type { OnnxValue } from './model.ts';
import { WireWriter } from '../protobuf/writer.ts';

/** Describes an input or output of a graph. */
export function tensorValue(
  name: string,
  elementType: number,
  dims: readonly (number | string)[],
): OnnxValue {
  const bytes = new WireWriter()
    .text(1, name)
    .message(2, (type) =>
      type.message(1, (tensor) =>
        tensor.integer(1, elementType).message(2, (shape) => {
          for (const dim of dims) {
            shape.message(1, (entry) =>
              typeof dim === 'number' ? entry.integer(1, dim) : entry.text(2, dim),
            );
          }
        }),
      ),
    )
    .finish();
  return { name, elementType, dims, bytes };
}
