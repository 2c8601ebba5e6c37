/* Adds the facts of created objects to the rows that go into the files. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { readAhead } from '../../domain/machine/map-in-turns.ts';
import type { CreatedObject, KeptAnswer, ResultRow } from '../../domain/rows/result-row.ts';
import { readFacts } from '../../kinds/answer.ts';
import type { AnswerSettings } from '../../kinds/definition.ts';
import type { OwnColumn } from '../../kinds/own-columns.ts';
import { definitionNamed } from '../../kinds/registry.ts';

/** So many answers are held in memory at once: each may be 64 KiB long. And after so many rows the next page is asked for. */
const rowsAtOnce = 200;

/** A group of rows as they go into the result files, and those of their objects that are there. */
export interface RowsWithObjects {
  readonly rows: readonly ResultRow[];
  readonly objects: readonly CreatedObject[];
}

type ReadAnswers = (
  rows: readonly { readonly row: number; readonly objectId: string }[],
) => Promise<readonly KeptAnswer[]>;

/** How an object's answer is read, and what of its row people know it by. */
interface ObjectReading extends AnswerSettings {
  readonly own: readonly OwnColumn[];
}

/**
 * Adds to the rows of a batch what the API answered about their objects, on their one way into the files.
 * The notes about an object become notes of its row.
 * @param groups every row once, in input order
 */
export async function* withAnsweredObjects(
  groups: AsyncIterable<readonly ResultRow[]>,
  readAnswers: ReadAnswers,
  reading: ObjectReading,
): AsyncGenerator<RowsWithObjects> {
  for await (const rows of inSlices(readAhead(groups))) yield await addObjects(rows, readAnswers, reading);
}

/**
 * The same for a kind of which answers say nothing but the id: none is read.
 * @param groups with each row's own reference
 */
export async function* withNamedObjects(
  groups: AsyncIterable<readonly ResultRow[]>,
): AsyncGenerator<RowsWithObjects> {
  for await (const rows of inSlices(readAhead(groups))) {
    const objects = rows
      .filter(hasObject)
      .map((row) => ({ row, reference: row.reference ?? '', own: [], facts: null, contradiction: null }));
    yield { rows, objects };
  }
}

async function* inSlices<Row>(groups: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const group of groups) {
    for (let start = 0; start < group.length; start += rowsAtOnce) {
      // Rows of the batch may still be sent: answers, and what the database said, come first.
      await turnOfEventLoop();
      yield group.slice(start, start + rowsAtOnce);
    }
  }
}

function hasObject(row: ResultRow): row is ResultRow & { readonly objectId: string } {
  return row.objectId !== null && (row.status === 'created' || row.status === 'existing');
}

async function addObjects(
  rows: readonly ResultRow[],
  readAnswers: ReadAnswers,
  reading: ObjectReading,
): Promise<RowsWithObjects> {
  const named = rows.filter(hasObject);
  if (named.length === 0) return { rows, objects: [] };
  const kept = new Map((await readAnswers(named)).map((answer) => [answer.row, answer]));
  const objects: CreatedObject[] = [];
  const noted = rows.map((row) => {
    const answer = kept.get(row.row);
    if (answer === undefined) return row;
    const object = objectOf(row, answer, reading);
    objects.push(object);
    return object.row;
  });
  return { rows: noted, objects };
}

function objectOf(
  row: ResultRow,
  { record, resource, answer, contradiction }: KeptAnswer,
  { own, ...settings }: ObjectReading,
): CreatedObject {
  const definition = definitionNamed(resource);
  const reference = record[definition.ownReference] ?? '';
  const facts = answer === null ? null : readFacts(definition, record, answer, settings);
  // The row that created the object says it itself.
  const ofCreator = contradiction === null || row.message === contradiction ? [] : [contradiction];
  const notes = [...row.notes, ...(facts?.notes ?? []), ...ofCreator];
  const noted = notes.length === row.notes.length ? row : { ...row, notes };
  const known = own.map(({ cellOf }) => cellOf(record, row.cells));
  return { row: noted, reference, own: known, facts, contradiction };
}
