import type { BitWriter } from './bit-writer.ts';

const maxPartitionOrder = 8;
const maxPartitions = 2 ** maxPartitionOrder;
const methodBits = 2;
const partitionOrderBits = 4;
const parameterBits = 4;
/** The next one marks numbers that aren't coded. */
const maxParameter = 14;

/** How a residual is cut into partitions, and the parameter of each one's code. */
export interface RicePlan {
  /** There are 2 to this power. */
  partitionOrder: number;
  readonly parameters: Uint8Array;
  /** At most so many are written. */
  bits: number;
}

/** An empty plan, to be made by {@link createRicePlanner}'s function. */
export function createRicePlan(): RicePlan {
  return { partitionOrder: 0, parameters: new Uint8Array(maxPartitions), bits: 0 };
}

/**
 * Makes a function that finds the partitions and parameters which take the fewest bits, and writes them into a plan. It reuses its
 * memory. Its parameters are the plan, the residual of a block, and how many numbers of that come before the first that counts.
 *
 * @see RFC 9639 §9.2.7
 */
export function createRicePlanner(): (plan: RicePlan, residual: Int32Array, order: number) => void {
  const sums = new Float64Array(maxPartitions);
  const parameters = new Uint8Array(maxPartitions);

  /** Finds the parameter of each partition. @returns bits of all */
  const chooseParameters = (partitionLength: number, order: number, partitions: number): number => {
    let total = methodBits + partitionOrderBits;
    for (let partition = 0; partition < partitions; partition++) {
      const numbers = partition === 0 ? partitionLength - order : partitionLength;
      let fewest = Infinity;
      // The best parameter is about log2(0.7 × mean), and never below this one.
      const least = 30 - Math.clz32(sums[partition]! / numbers);
      for (
        let parameter = Math.max(0, Math.min(maxParameter, least));
        parameter <= maxParameter;
        parameter++
      ) {
        const bits =
          parameterBits + numbers * (parameter + 1) + Math.floor(sums[partition]! / 2 ** parameter);
        if (bits >= fewest) break;
        fewest = bits;
        parameters[partition] = parameter;
      }
      total += fewest;
    }
    return total;
  };

  return (plan, residual, order) => {
    const { length } = residual;
    let partitionOrder = 0;
    while (
      partitionOrder < maxPartitionOrder &&
      length % 2 ** (partitionOrder + 1) === 0 &&
      length >> (partitionOrder + 1) > order
    ) {
      partitionOrder++;
    }
    const finestLength = length >> partitionOrder;
    sums.fill(0);
    for (let at = order; at < length; at++) sums[Math.floor(at / finestLength)]! += toUnsigned(residual[at]!);
    plan.bits = Infinity;
    for (; partitionOrder >= 0; partitionOrder--) {
      const partitions = 2 ** partitionOrder;
      const bits = chooseParameters(length >> partitionOrder, order, partitions);
      if (bits < plan.bits) {
        plan.bits = bits;
        plan.partitionOrder = partitionOrder;
        plan.parameters.set(parameters);
      }
      for (let at = 0; at < partitions / 2; at++) sums[at] = sums[2 * at]! + sums[2 * at + 1]!;
    }
  };
}

/** Writes the numbers of a residual from number `order` on, as it was planned. */
export function writeRice(writer: BitWriter, residual: Int32Array, order: number, plan: RicePlan): void {
  const { partitionOrder, parameters } = plan;
  writer.write(0, methodBits);
  writer.write(partitionOrder, partitionOrderBits);
  const partitionLength = residual.length >> partitionOrder;
  let at = order;
  for (let partition = 0; partition < 2 ** partitionOrder; partition++) {
    const parameter = parameters[partition]!;
    writer.write(parameter, parameterBits);
    for (const end = (partition + 1) * partitionLength; at < end; at++) {
      const value = toUnsigned(residual[at]!);
      writer.writeUnary(value >>> parameter);
      writer.write(value, parameter);
    }
  }
}

/** 0, −1, 1, −2, 2, … as 0, 1, 2, 3, 4, … */
function toUnsigned(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}
