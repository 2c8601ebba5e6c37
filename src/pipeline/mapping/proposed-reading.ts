import type { Kind } from '../../domain/batches/kind.ts';
import { shorten } from '../../resources/check/wording.ts';
import type { FieldType, ResourceDefinition } from '../../resources/definition.ts';
import { ruleOf } from '../../resources/registry.ts';
import type { ColumnProposal, SampledColumn } from './column-guess.ts';
import type { MappingFile } from './mapping-file.ts';

/** A value as the file has it, and as it would be read. */
export interface SampleReading {
  readonly before: string;
  readonly after: string;
}

/** How values are written, as far as the values themselves say so; a person agrees to it once. */
export interface ProposedReading {
  /** The sentence to agree to, without any value of the file: `Days in “DOB” are written DD/MM/YYYY.` */
  readonly text: string;
  readonly samples: readonly SampleReading[];
  /** What it adds to the mapping. */
  readonly mapping: MappingFile;
}

/** What is proposed of one side of the writing, and what it leaves to a person. */
export interface Guess {
  readonly readings: readonly ProposedReading[];
  readonly open: readonly string[];
  /** Where several ways of reading are possible, which only a person can choose between. */
  readonly alternatives?: readonly ProposedReading[];
}

export const nothingToSay: Guess = { readings: [], open: [] };

const samplesShown = 3;

/** What is looked at to find out how a table is written. */
export interface Sampled {
  readonly kind: Kind;
  readonly columns: readonly ColumnProposal[];
  readonly sampled: readonly SampledColumn[];
  /** The payee types that the rows may be of. */
  readonly definitions: readonly ResourceDefinition[];
  /** YYYY-MM-DD: nobody is born later. */
  readonly today: string;
}

/** A column of the file that is a field, with the values of its first rows. */
export interface FieldColumn {
  readonly field: string;
  readonly type: FieldType | undefined;
  readonly title: string;
  readonly values: readonly string[];
  /** Those of its values that stand in number cells. */
  readonly numbers: readonly string[];
}

export function fieldColumns({ kind, columns, sampled }: Sampled): FieldColumn[] {
  return columns.flatMap(({ field, title }, index): FieldColumn[] => {
    const column = sampled[index];
    if (field === null || column === undefined) return [];
    const { values, numbers = [] } = column;
    return [{ field, title, values, numbers, type: ruleOf(kind, field)?.type }];
  });
}

export function question(text: string, alternatives: readonly Guess[] = []): Guess {
  return { readings: [], open: [text], alternatives: alternatives.flatMap(({ readings }) => readings) };
}

export function propose(
  text: string,
  mapping: MappingFile,
  samples: readonly (SampleReading | undefined)[] = [],
): Guess {
  const shown = samples
    .filter((sample) => sample !== undefined)
    .filter(({ before, after }) => before !== after)
    .slice(0, samplesShown);
  return { readings: [{ text, samples: shown, mapping }], open: [] };
}

/** Several guesses as one. */
export function together(guesses: readonly Guess[]): Guess {
  return {
    readings: guesses.flatMap(({ readings }) => readings),
    open: guesses.flatMap(({ open }) => open),
  };
}

/** The values that mean something, with what they mean. */
export function readBy(
  values: readonly string[],
  meaning: (value: string) => string | undefined,
): SampleReading[] {
  return values.flatMap((before) => {
    const after = meaning(before);
    return after === undefined ? [] : [{ before, after }];
  });
}

/** Proposes to translate those values of a column that are other words for what they mean. */
export function translate(
  { field, title, values }: FieldColumn,
  meaning: (value: string) => string | undefined,
): Guess {
  const others = readBy(values, meaning).filter(({ before, after }) => before !== after);
  if (others.length === 0) return nothingToSay;
  const meant = Object.fromEntries(others.map(({ before, after }) => [before, after]));
  return propose(`${shorten(title)} is translated.`, { values: { [field]: meant } }, others);
}

/** How many of the values do not fit, for the end of a sentence; nothing where all do. */
export function exceptions(values: number, fitting: number): string {
  const others = values - fitting;
  if (others === 0) return '';
  return others === 1
    ? ' One value is not, and will be refused.'
    : ` ${others} values are not, and will be refused.`;
}
