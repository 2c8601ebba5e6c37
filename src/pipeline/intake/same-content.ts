import { tableLike } from '../../domain/tables/table.ts';
import type { Intake } from './take-in.ts';

/** The inputs of a call, each content once, and what there is to say about those that are left out. */
interface DistinctIntakes {
  readonly intakes: readonly Intake[];
  readonly notes: readonly string[];
}

/**
 * The same content, read in the same way, is the same batch, whatever its file is called. The name that was
 * given first counts; the others are told, and stand among the notes of the first.
 */
export function distinctIntakes(intakes: readonly Intake[]): DistinctIntakes {
  const first = new Map<string, { readonly intake: Intake; readonly others: string[] }>();
  const notes: string[] = [];
  for (const intake of intakes) {
    const key = JSON.stringify([
      intake.contentHash,
      intake.table.sheet,
      intake.mapping.kind,
      intake.readingHash,
    ]);
    const known = first.get(key);
    if (known === undefined) {
      first.set(key, { intake, others: [] });
      continue;
    }
    known.others.push(intake.fileName);
    const [name, other] = [nameOf(intake), nameOf(known.intake)];
    notes.push(
      `${name}: the same content as ${other}; it counts once, and its files are named after ${other}.`,
    );
  }
  return { intakes: [...first.values()].map(({ intake, others }) => noting(intake, others)), notes };
}

function nameOf({ fileName, table: { sheet } }: Intake): string {
  const file = fileName === '-' ? 'standard input' : fileName;
  return sheet === null ? file : `${file}, sheet "${sheet}"`;
}

function noting(intake: Intake, others: readonly string[]): Intake {
  if (others.length === 0) return intake;
  const note = `the same content was given as ${others.join(', ')} too; it counts once`;
  return { ...intake, table: tableLike(intake.table, { notes: () => [note, ...intake.table.notes] }) };
}
