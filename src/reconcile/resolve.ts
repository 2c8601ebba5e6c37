import { shortBatchId } from '../domain/batch.ts';
import { type ExitCode, exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import type { BatchRecord } from '../domain/ledger-row.ts';
import type { ResolvedEvent, ResolvePort, ResolvingRow, StoredVerdict } from './ports.ts';
import { type Decision, decide, type GivenVerdict } from './verdict.ts';

/** Enough for a file of verdicts that a person has filled in. */
const problemsShown = 1_000;

/** The object ids that the API may have: text of 1 to 255 characters without spaces. */
const objectIdPattern = /^[\p{L}\p{N}\p{P}\p{S}]{1,255}$/u;

/** Where verdicts come from: a command line or a file, which fail with different codes. */
export interface VerdictSource {
  /** As people call it: `the command line`, a file's name. */
  readonly name: string;
  readonly exitCode: ExitCode;
  /** What is wrong with lines of it that could not even be read as a verdict. */
  readonly problems: readonly string[];
}

export const commandLineSource: VerdictSource = {
  name: 'the verdict',
  exitCode: exitCodes.usage,
  problems: [],
};

/** A row's verdict with everything that recording it needs. */
export interface DecidedVerdict extends StoredVerdict {
  readonly idempotencyKey: string | null;
  readonly attempts: number;
}

/**
 * Decides what follows from each verdict, for all rows or for none.
 * @throws Failure that lists every row whose verdict does not suit it, by number
 */
export async function decideVerdicts(
  given: readonly GivenVerdict[],
  batch: BatchRecord,
  port: ResolvePort,
  source: VerdictSource,
): Promise<DecidedVerdict[]> {
  const rows = await port.findRows(given.map(({ row }) => row));
  const others = await port.findOtherObjects(
    rows.filter((row) => given.some((each) => each.row === row.row && needsOther(each))),
  );
  const creators = await port.findCreators(given.flatMap(({ id }) => (id === null ? [] : [id])));
  const byNumber = new Map(rows.map((row) => [row.row, row]));
  const problems: string[] = [...source.problems];
  const decided: DecidedVerdict[] = [];
  for (const each of given) {
    const row = byNumber.get(each.row);
    const decision = row === undefined ? 'the batch has no such row' : judge(each, row, others);
    const problem = typeof decision === 'string' ? decision : idProblem(each, batch, creators, given);
    if (problem !== undefined) problems.push(`row ${each.row}: ${problem}`);
    else if (row !== undefined && typeof decision !== 'string') decided.push(toStored(each, row, decision));
  }
  if (problems.length > 0) throw refused(problems, batch, source);
  return decided;
}

function needsOther({ verdict, id }: GivenVerdict): boolean {
  return verdict === 'existing' && id === null;
}

function judge(
  given: GivenVerdict,
  row: ResolvingRow,
  others: ReadonlyMap<number, string>,
): Decision | string {
  // A file that was written before its row moved on must not decide about it.
  if (given.key !== null && given.key !== row.idempotencyKey) return 'its key is another one by now';
  return decide(given, { ...row, otherObjectId: others.get(row.row) ?? null });
}

/** One object is one row's: an id that another row created cannot be this row's as well. */
function idProblem(
  { row, verdict, id }: GivenVerdict,
  batch: BatchRecord,
  creators: ReadonlyMap<string, { readonly batch: string; readonly row: number }>,
  all: readonly GivenVerdict[],
): string | undefined {
  if (id === null) return undefined;
  if (!objectIdPattern.test(id)) return 'the id is no id: 1 to 255 characters without spaces';
  if (verdict !== 'created') return undefined;
  const creator = creators.get(id);
  if (creator !== undefined) {
    const where = creator.batch === batch.id ? '' : ` of batch ${shortBatchId(creator.batch)}`;
    return `the object ${id} is that of row ${creator.row}${where} already`;
  }
  const twin = all.find((other) => other.row !== row && other.verdict === 'created' && other.id === id);
  return twin === undefined ? undefined : `row ${twin.row} is given the same id`;
}

function toStored(given: GivenVerdict, row: ResolvingRow, decision: Decision): DecidedVerdict {
  const { idempotencyKey, attempts } = row;
  return {
    row: given.row,
    verdict: given.verdict,
    note: given.note,
    ...decision,
    idempotencyKey,
    attempts,
  };
}

/** What the run log says of a verdict: the state that it led to, never its note. */
export function resolvedEvent(decided: DecidedVerdict): ResolvedEvent {
  const { row, idempotencyKey, attempts, to, objectId } = decided;
  return { event: 'row.resolved', row, key: idempotencyKey, attempt: attempts, verdict: to, id: objectId };
}

function refused(problems: readonly string[], batch: BatchRecord, source: VerdictSource): Failure {
  const shown = problems.slice(0, problemsShown).join('; ');
  const rest = problems.length - problemsShown;
  return new Failure(
    source.exitCode,
    'verdict_refused',
    `${source.name === commandLineSource.name ? 'The verdict' : source.name} does not suit batch ` +
      `${shortBatchId(batch.id)}: ${shown}${rest > 0 ? `; and ${rest} more` : ''}. Nothing was changed.`,
    `paybatch reconcile ${shortBatchId(batch.id)}`,
  );
}
