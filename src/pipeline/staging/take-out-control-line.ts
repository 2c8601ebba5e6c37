import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { tableLike } from '../../domain/tables/table.ts';
import { type ControlFigures, createControlLineCheck } from '../mapping/control-line-template.ts';
import type { SourceRow, SourceTable } from '../ports.ts';

/** The control line that a mapping declares, and what a table's says: known once the table was read to its end. */
export interface ControlLine {
  readonly template: string;
  /** False for a table whose rows nobody has read, since its batch is in the ledger already. */
  isRead: boolean;
  found: { readonly row: number; readonly figures: ControlFigures } | null;
}

/**
 * Takes the declared control line out of a table's rows, be it among them or above the header, and says in the
 * table's notes what it says. Whether the rows are so is for whoever knows them all.
 *
 * @param place the table, as messages name it
 * @throws PaybatchError (`file_refused`), while the rows are read, at a second line that is the control line
 */
export function withControlLine(
  table: SourceTable,
  template: string,
  reading: ReadingRules,
  place: string,
): { readonly table: SourceTable; readonly control: ControlLine } {
  const check = createControlLineCheck(template, reading);
  const control: ControlLine = { template, isRead: false, found: null };
  const isControl = (row: SourceRow): boolean => {
    const figures = check(row);
    if (figures === undefined) return false;
    if (control.found !== null) throw repeated(place, control.found.row, row.number);
    control.found = { row: row.number, figures };
    return true;
  };
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    Object.assign(control, { isRead: false, found: null });
    for (const row of table.above ?? []) isControl(row);
    for await (const group of table.rows()) {
      const kept = group.filter((row) => !isControl(row));
      if (kept.length > 0) yield kept;
    }
    control.isRead = true;
  };
  return {
    control,
    table: tableLike(table, { rows, notes: () => [...table.notes, ...notesOf(control)] }),
  };
}

function notesOf({ found }: ControlLine): string[] {
  if (found === null) return [];
  const { rows, total, currency } = found.figures;
  const figures = [
    ...(rows === null ? [] : [`${rows} ${rows === 1 ? 'row' : 'rows'}`]),
    ...(total === null ? [] : [currency === null ? total : `${currency} ${total}`]),
  ];
  return [`the control line, row ${found.row}, says ${figures.join(' and ')}; compared with what was read`];
}

function repeated(place: string, first: number, second: number): PaybatchError {
  return new PaybatchError(
    'control_line_repeated',
    `${place}: row ${first} and row ${second} are both what the mapping declares as the control line.`,
    'take out the line that does not speak of the whole file, or correct "controlLine" in the mapping',
  );
}
