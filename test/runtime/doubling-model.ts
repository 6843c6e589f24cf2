/** An ONNX model `y = x + x` over float32 `[n]`, written by hand. */
export function doublingModel(): Uint8Array {
  const field = (number: number, content: string | readonly number[]): number[] => {
    const bytes = typeof content === 'string' ? [...Buffer.from(content)] : content;
    return [(number << 3) | 2, bytes.length, ...bytes];
  };
  const int = (number: number, value: number): number[] => [number << 3, value];
  const shape = field(2, field(1, field(2, 'n')));
  const value = (name: string) => [...field(1, name), ...field(2, field(1, [...int(1, 1), ...shape]))];
  const node = [...field(1, 'x'), ...field(1, 'x'), ...field(2, 'y'), ...field(4, 'Add')];
  const graph = [
    ...field(1, node),
    ...field(2, 'doubling'),
    ...field(11, value('x')),
    ...field(12, value('y')),
  ];
  return Uint8Array.from([...int(1, 8), ...field(7, graph), ...field(8, int(2, 17))]);
}
