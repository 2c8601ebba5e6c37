/* The verdicts of a person: the effect of each on its row, and the file with many of them. */

import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  type DecidedRow,
  isVerdict,
  type RowOfBatch,
  type RowToResolve,
  type Verdict,
  verdicts,
} from '../../domain/rows/ledger-row.ts';
import { joined, type Message, say } from '../../domain/settings/message.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import { fillInIds, naturalKeyOf, referencesIn } from '../../kinds/request.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { BulkInsert } from '../matching/bulk-insert.ts';
import { countOfRequests, evidenceOf } from './waiting-rows.ts';

/** A person's verdict on one row. */
export interface GivenVerdict {
  readonly row: number;
  readonly verdict: Verdict;
  /** The object's id at the API, if the person stated one. */
  readonly id: string | null;
  readonly note: string;
  /** The row's key when the person looked at it; null where it is not known. */
  readonly key: string | null;
  /** The requests sent for the row when the person looked at it; null where the number is not known. */
  readonly attempts: number | null;
}

/** The facts about the row of a verdict. */
export interface ResolvableRow extends Pick<RowToResolve, 'state' | 'resource' | 'firstSentAt' | 'code'> {
  /** The id of the object that another row created for the same natural key, if there is one. */
  readonly otherObjectId: string | null;
}

/** The consequence of a verdict; its message is for the result files. */
export type VerdictDecision = Pick<DecidedRow, 'fromState' | 'to' | 'objectId' | 'message'>;

/**
 * Decides the consequence of a person's verdict on a row.
 * @returns the decision, or a text that says why the verdict does not fit the row
 */
export function decide(given: GivenVerdict, row: ResolvableRow): VerdictDecision | string {
  const { verdict, id } = given;
  const fromState = row.state;
  if (fromState !== 'held' && fromState !== 'unknown') {
    return `its state is ${row.state}, and only held and unknown rows wait for a verdict`;
  }
  if (row.resource === null) return 'its payee type is not known yet: correct it in the failed file';
  if (id !== null && verdict !== 'created' && verdict !== 'existing')
    return `the verdict ${verdict} takes no id`;
  const anew = { fromState, to: 'staged', objectId: null } as const;
  switch (verdict) {
    case 'created':
      if (row.firstSentAt === null)
        return 'it was never sent, so it cannot have created an object: existing or send';
      if (id === null) return "created needs the object's id";
      return { fromState, to: 'created', objectId: id, message: 'A person found it created.' };
    case 'existing': {
      const objectId = id ?? row.otherObjectId;
      if (objectId === null)
        return 'this ledger knows no other object for it: give the id of the one that stands';
      const message = 'A person decided that the earlier object stands.';
      return { fromState, to: 'existing', objectId, message };
    }
    case 'not-created':
      if (row.firstSentAt === null)
        return 'it was never sent, so there is nothing to rule out: existing or send';
      return { ...anew, message: 'A person found it not created: the next run sends it under a new key.' };
    case 'send':
      if (row.code === 'corrects_in_doubt') {
        return 'it corrects a row in doubt, which the message names: decide about that one first';
      }
      return {
        ...anew,
        message: 'A person decided to send it all the same: the next run does, under a new key.',
      };
  }
}

/** The most problems that are shown; enough for a verdicts file that a person has filled in. */
const problemsShown = 1_000;

/** The object ids that the API may have: text of 1 to 255 characters without spaces. */
const objectIdPattern = /^[\p{L}\p{N}\p{P}\p{S}]{1,255}$/u;

/** Where verdicts come from: the request itself or a file, which is refused as a whole. */
export interface VerdictSource {
  /** Its name for people: `the verdict`, or a file's name. */
  readonly name: string;
  readonly isFile: boolean;
}

export const requestSource: VerdictSource = { name: 'the verdict', isFile: false };

/** The problems of verdicts: the first ones, and their number. */
export class FoundProblems {
  readonly #texts: Message[] = [];
  #unlisted = 0;

  get texts(): readonly Message[] {
    return this.#texts;
  }

  get count(): number {
    return this.#texts.length + this.#unlisted;
  }

  /**
   * The number of problems that can still be added; at least 1, so that a query with this limit still counts them.
   */
  get room(): number {
    return Math.max(1, problemsShown - this.#texts.length);
  }

  add(text: Message): void {
    if (this.#texts.length < problemsShown) this.#texts.push(text);
    else this.#unlisted += 1;
  }

  addUnlisted(count: number): void {
    this.#unlisted += count;
  }
}

/** A row's verdict with everything needed to record it. */
export interface DecidedVerdict extends DecidedRow {
  readonly idempotencyKey: string | null;
}

/** The consequences of some verdicts, and the problems of the others. */
interface DecidedPage {
  readonly decided: readonly DecidedVerdict[];
  readonly problems: readonly Message[];
}

/** Decides the consequence of each verdict; one that does not fit its row is reported by number. */
export async function decideVerdicts(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  given: readonly GivenVerdict[],
): Promise<DecidedPage> {
  const rows = await verbs.findRowsToResolve(
    batch.id,
    given.map(({ row }) => row),
  );
  // Those that need the id of another row's object.
  const wanting = new Set(
    given.flatMap(({ row, verdict, id }) => (verdict === 'existing' && id === null ? [row] : [])),
  );
  const others = await findOtherObjects(
    verbs,
    batch,
    rows.filter(({ row }) => wanting.has(row)),
  );
  const creators = await verbs.findCreators(
    batch.id,
    given.flatMap(({ id }) => (id === null ? [] : [id])),
  );
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  const problems: Message[] = [];
  const decided: DecidedVerdict[] = [];
  for (const each of given) {
    const row = byNumber.get(each.row);
    const decision = row === undefined ? 'the batch has no such row' : judge(each, row, others);
    const isDecided = typeof decision === 'object' && 'fromState' in decision;
    const problem = isDecided ? idProblem(each, batch, creators) : decision;
    if (problem !== undefined) problems.push(say`row ${each.row}: ${problem}`);
    else if (row !== undefined && isDecided) {
      const { verdict, note, attempts } = each;
      const { idempotencyKey } = row;
      const requests = attempts ?? row.attempts;
      decided.push({ row: row.row, verdict, note, ...decision, idempotencyKey, attempts: requests });
    }
  }
  return { decided, problems };
}

/** The objects that other rows created for the same natural keys, or as members of the same families, by row. */
async function findOtherObjects(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  rows: readonly Pick<RowToResolve, 'row' | 'resource' | 'record'>[],
): Promise<Map<number, string>> {
  const known = rows.flatMap(({ row, resource, record }) =>
    resource === null ? [] : [{ row, definition: definitionNamed(resource), record }],
  );
  const references = referencesIn(verbs, batch.environmentId, []);
  const resolved = await fillInIds(known, references);
  const keys = known.map(({ definition, record }, at) =>
    naturalKeyOf(definition, resolved[at]?.record ?? record),
  );
  const owners = await references.findKeyOwners(batch.kind, keys);
  const numbers = known.map(({ row }) => row);
  const rivals = await references.findRivals(batch.id, numbers);
  const ofFamilies = [...rivals].flatMap(([row, { objectId }]) =>
    objectId === null ? [] : [[row, objectId] as const],
  );
  const compared = await verbs.findComparedObjects(batch.id, numbers);
  return new Map([
    ...compared,
    ...ofFamilies,
    ...known.flatMap(({ row }, at) => {
      const owner = owners.get(keys[at]?.toString('hex') ?? '');
      const isOther = owner !== undefined && (owner.batch !== batch.id || owner.row !== row);
      return isOther && owner.objectId !== null ? [[row, owner.objectId] as const] : [];
    }),
  ]);
}

function judge(
  given: GivenVerdict,
  row: RowToResolve,
  others: ReadonlyMap<number, string>,
): VerdictDecision | Message {
  // A file that was written before its row changed must not decide about it.
  if (given.key !== null && given.key !== row.idempotencyKey) return 'its key is another one by now';
  const decision = decide(given, { ...row, otherObjectId: others.get(row.row) ?? null });
  return typeof decision === 'string' ? decision : (evidenceProblem(given, row) ?? decision);
}

/** A verdict covers only the requests that the person knew of; later ones may have created an object. */
function evidenceProblem({ attempts }: GivenVerdict, row: RowToResolve): Message | undefined {
  if (attempts === row.attempts || (attempts === null && row.attempts <= 1)) return undefined;
  const known = `what is known now: ${evidenceOf(row)}`;
  if (attempts === null) {
    const state = say`state ${{ setting: 'attempts' }} ${row.attempts}, or attempts in the file, if the verdict knows of all of them`;
    return say`it was sent ${row.attempts} times: ${state}; ${known}`;
  }
  const requests = `${countOfRequests(attempts)} then, ${row.attempts} now`;
  if (attempts > row.attempts) return `it was not sent so often: ${requests}; ${known}`;
  return `it was sent again since: ${requests}; ${known}`;
}

/** An object belongs to one row: the id of another row's object cannot be this row's too. */
function idProblem(
  { verdict, id }: GivenVerdict,
  batch: BatchRecord,
  creators: ReadonlyMap<string, RowOfBatch>,
): string | undefined {
  if (id === null) return undefined;
  if (!objectIdPattern.test(id)) return 'the id is no id: 1 to 255 characters without spaces';
  if (verdict !== 'created') return undefined;
  const creator = creators.get(id);
  if (creator === undefined) return undefined;
  const where = creator.batch === batch.id ? '' : ` of batch ${shortBatchId(creator.batch)}`;
  return `the object ${id} is that of row ${creator.row}${where} already`;
}

/** A verdict's entry in the run log: its resulting state, never its note. */
export function resolvedEvent(decided: DecidedVerdict) {
  const { row, idempotencyKey, attempts, to, objectId } = decided;
  const event = 'row.resolved' as const;
  return { event, row, key: idempotencyKey, attempt: attempts, verdict: to, id: objectId };
}

/** The failure of verdicts of which some do not fit their rows; none of them is recorded. */
export function refusedVerdicts(
  problems: FoundProblems,
  batch: BatchRecord,
  { name, isFile }: VerdictSource,
): PaybatchError {
  const unlisted = problems.count - problems.texts.length;
  return new PaybatchError(
    'verdict_refused',
    say`${isFile ? name : 'The verdict'} does not suit batch ${shortBatchId(batch.id)}: ${joined(problems.texts, '; ')}${unlisted > 0 ? `; and ${unlisted} more` : ''}. Nothing was changed.`,
    { action: 'reconcile', batch: shortBatchId(batch.id), environment: batch },
    { kind: isFile ? 'file_refused' : 'usage' },
  );
}

/* A verdicts file, and rows with several verdicts in it. */

/**
 * Reports rows with several verdicts and several rows with the same id, anywhere in a file. It uses a temporary
 * table, since a file may have as many verdicts as a batch has rows.
 */
export async function noteRepeatedVerdicts(
  sql: ScratchSql,
  pages: AsyncIterable<readonly GivenVerdict[]>,
  problems: FoundProblems,
): Promise<void> {
  await sql.run(
    'CREATE TEMP TABLE given_verdicts (row_number int, object_id text COLLATE "C") ON COMMIT DROP',
  );
  const insert = new BulkInsert(sql, 'given_verdicts', ['int', 'text']);
  for await (const page of pages) {
    for (const { row, verdict, id } of page) insert.add([row, verdict === 'created' ? id : null]);
    await insert.sendFull();
  }
  await insert.finish();
  await sql.run('ANALYZE given_verdicts');
  await noteFound(
    sql,
    problems,
    `SELECT row_number AS row, 'it has two verdicts' AS problem FROM given_verdicts
     GROUP BY row_number HAVING count(*) > 1`,
  );
  await noteFound(
    sql,
    problems,
    `SELECT g.row_number AS row, 'row ' || CASE WHEN g.row_number = t.first THEN t.last ELSE t.first END
       || ' is given the same id' AS problem
     FROM given_verdicts g JOIN (
       SELECT object_id, min(row_number) AS first, max(row_number) AS last FROM given_verdicts
       WHERE object_id IS NOT NULL GROUP BY object_id HAVING count(DISTINCT row_number) > 1) t USING (object_id)`,
  );
}

async function noteFound(sql: ScratchSql, problems: FoundProblems, found: string): Promise<void> {
  const rows = await sql.query<{ row: number; problem: string; all: number }>(
    `SELECT row, problem, (count(*) OVER ())::int AS "all" FROM (${found}) f
     ORDER BY row LIMIT ${problems.room}`,
  );
  for (const { row, problem } of rows) problems.add(`row ${row}: ${problem}`);
  problems.addUnlisted((rows[0]?.all ?? 0) - rows.length);
}

/** The columns of a verdicts file, which `reconcile` writes for a person to fill in. */
const verdictColumns = [
  'row',
  'status',
  'key',
  'attempts',
  'age',
  'what is known',
  'verdict',
  'id',
  'note',
] as const;

/** One line of a verdicts file, with the number that a spreadsheet program shows. */
export interface VerdictLine {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The content of one line: a verdict, a problem, or nothing where its verdict is empty. */
export type ReadLine = { readonly verdict: GivenVerdict } | { readonly problem: string } | null;

/**
 * Reads the lines of a verdicts file one by one. Wrong lines are reported and not thrown, so that they are reported
 * together with verdicts that do not fit their rows.
 * @throws PaybatchError (`file_refused`) where a column is missing
 */
export function verdictReader(name: string, header: readonly string[]): (line: VerdictLine) => ReadLine {
  const titles = header.map((title) => unprotectCell(title).trim().toLowerCase());
  for (const needed of ['row', 'verdict']) {
    if (!titles.includes(needed)) throw refused(name, `it has no column "${needed}"`);
  }
  return (line) => {
    const cell = (column: (typeof verdictColumns)[number]): string =>
      unprotectCell(line.cells[titles.indexOf(column)] ?? '').trim();
    const verdict = cell('verdict').toLowerCase().replaceAll(/[_ ]/g, '-');
    if (verdict === '') return null;
    const row = /^\d{1,9}$/.test(cell('row')) ? Number(cell('row')) : null;
    if (row === null) return { problem: `line ${line.number}: "row" is no row number` };
    if (!isVerdict(verdict)) {
      return { problem: `row ${row}: the verdict is none of ${verdicts.join(', ')}` };
    }
    if (!/^\d{0,9}$/.test(cell('attempts'))) return { problem: `row ${row}: "attempts" is no number` };
    const [id = null, key = null, attempts = null] = [cell('id'), cell('key'), cell('attempts')].map(
      (text) => (text === '' ? null : text),
    );
    const known = attempts === null ? null : Number(attempts);
    return { verdict: { row, verdict, id, note: cell('note'), key, attempts: known } };
  };
}

function refused(name: string, problem: string): PaybatchError {
  return new PaybatchError(
    'verdict_refused',
    `${name} cannot be used as a file of verdicts: ${problem}. Nothing was changed.`,
    'fill in the verdicts file that a reconciliation writes',
  );
}
