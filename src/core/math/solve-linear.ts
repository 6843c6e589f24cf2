/** Solves a few linear equations by Gaussian elimination with partial pivoting. */
export function solveLinear(rows: readonly (readonly number[])[], goals: readonly number[]): number[] {
  const left = rows.map((row, index) => [...row, goals[index]!]);
  const size = goals.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(left[row]![column]!) > Math.abs(left[pivot]![column]!)) pivot = row;
    }
    [left[column], left[pivot]] = [left[pivot]!, left[column]!];
    const top = left[column]!;
    for (const [index, row] of left.entries()) {
      if (index === column) continue;
      const factor = row[column]! / top[column]!;
      for (let place = column; place <= size; place++) row[place]! -= factor * top[place]!;
    }
  }
  return left.map((row, index) => row[size]! / row[index]!);
}
