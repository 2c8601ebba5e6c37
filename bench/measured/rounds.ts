/** One of the things that are measured beside each other. */
export interface Side {
  readonly name: string;
  /** Does the work once and returns its figure, of the measurement's unit. */
  readonly measure: () => Promise<number>;
}

/** The figures of one side, in the order in which they were taken. */
export interface Figures {
  readonly name: string;
  readonly values: readonly number[];
}

/** A relation between two sides and what it ought to be. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly target: string;
  readonly isMet: boolean;
}

/** The result of one measurement: sides beside each other, or a table of its own. */
export type Report = SidesReport | TableReport;

export interface SidesReport {
  readonly title: string;
  readonly unit: string;
  readonly figures: readonly Figures[];
  readonly ratios: readonly Ratio[];
  readonly conditions: string;
}

export interface TableReport {
  readonly title: string;
  /** The first names what the line is about; the others are figures. */
  readonly columns: readonly string[];
  readonly lines: readonly (readonly string[])[];
  readonly ratios: readonly Ratio[];
  readonly conditions: string;
}

/**
 * Measures all sides once, then all of them again, and so on: what else the machine does meanwhile hits
 * them alike.
 * @param warmUps rounds before the first that counts; none where every measurement is a new process
 */
export async function interleave(rounds: number, sides: readonly Side[], warmUps = 1): Promise<Figures[]> {
  const taken = sides.map((side) => ({ side, values: [] as number[] }));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const { side, values } of taken) {
      const value = await side.measure();
      if (round >= warmUps) values.push(value);
    }
  }
  return taken.map(({ side: { name }, values }) => ({ name, values }));
}

/** The middle value; of two middle ones their mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (upper + lower) / 2;
}

/** The ratio of two sides' medians, which has to be this much at least. */
export function atLeast(target: number, left: Figures, right: Figures): Ratio {
  const value = median(left.values) / median(right.values);
  return {
    name: `${left.name} / ${right.name}`,
    value,
    target: `at least ${target}`,
    isMet: value >= target,
  };
}

/** A single value that may be this much at most. */
export function atMost(target: number, name: string, value: number): Ratio {
  return { name, value, target: `at most ${target}`, isMet: value <= target };
}

/** Rows a second, for work on this number of rows. */
export async function rateOf(rows: number, work: () => Promise<void>): Promise<number> {
  const startedAtInMs = performance.now();
  await work();
  return rows / ((performance.now() - startedAtInMs) / 1000);
}
