import { tableLike } from '../../domain/tables/table.ts';
import type { InputTable } from './input-table.ts';

/** The inputs of a call, each content once, and what there is to say about those that are left out. */
interface DistinctInputTables {
  readonly inputTables: readonly InputTable[];
  readonly notes: readonly string[];
}

/**
 * The same content, read in the same way, is the same batch, whatever its file is called. The name that was
 * given first counts; the others are told, and stand among the notes of the first.
 */
export function distinctInputTables(inputTables: readonly InputTable[]): DistinctInputTables {
  const first = new Map<string, { readonly inputTable: InputTable; readonly others: string[] }>();
  const notes: string[] = [];
  for (const inputTable of inputTables) {
    const key = JSON.stringify([
      inputTable.contentHash,
      inputTable.table.sheet,
      inputTable.mapping.kind,
      inputTable.readingHash,
    ]);
    const known = first.get(key);
    if (known === undefined) {
      first.set(key, { inputTable, others: [] });
      continue;
    }
    known.others.push(inputTable.fileName);
    const [name, other] = [nameOf(inputTable), nameOf(known.inputTable)];
    notes.push(
      `${name}: the same content as ${other}; it counts once, and its files are named after ${other}.`,
    );
  }
  return {
    inputTables: [...first.values()].map(({ inputTable, others }) => noting(inputTable, others)),
    notes,
  };
}

function nameOf({ fileName, table: { sheet } }: InputTable): string {
  const file = fileName === '-' ? 'standard input' : fileName;
  return sheet === null ? file : `${file}, sheet "${sheet}"`;
}

function noting(inputTable: InputTable, others: readonly string[]): InputTable {
  if (others.length === 0) return inputTable;
  const note = `the same content was given as ${others.join(', ')} too; it counts once`;
  return {
    ...inputTable,
    table: tableLike(inputTable.table, { notes: () => [note, ...inputTable.table.notes] }),
  };
}
