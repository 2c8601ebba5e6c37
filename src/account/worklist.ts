/*
 * What needs a person today, over all batches, by action. The counts and sums are the same as in each batch's account.
 */

import { type ApprovalStanding, waitsForApproval } from '../domain/batches/batch-facts.ts';
import type { OpenOfPerson } from '../domain/batches/difference-decisions.ts';
import { type PayeeChangeCode, payeeChangeCodes } from '../domain/rows/finding.ts';
import { type ResultStatus, remedyOfReason } from '../domain/rows/row-state.ts';
import type { DifferencesOfBatch, OpenBatch, OpenWork } from '../ledger/after-sending/worklist.ts';
import { isUnderWay, rowsToSend } from './figures.ts';
import {
  type ApprovalTask,
  type ContradictionTask,
  type CorrectionTask,
  type DifferencesTask,
  joinedSums,
  type ReasonTask,
  type SendingTask,
  type Task,
  type WorkSections,
  workSection,
} from './tasks.ts';

/** Whether rows of a batch may be sent, as far as this is known. A policy requires approvals only for such batches. */
export function mayBeSent({ counted, isClosed, canMove }: OpenBatch): boolean {
  if (isClosed || counted === null) return !isClosed && canMove;
  const { notSent, inDoubt } = rowsToSend(counted);
  return notSent + inDoubt > 0;
}

/**
 * What needs a person, from the open work in the ledger.
 * @param approvals the policy's requirements for batches that may be sent, by batch
 * @param limit the maximum of lines that are listed in each section
 * @param viewer the person who looks at the list
 */
export function workSections(
  work: OpenWork,
  approvals: ReadonlyMap<string, ApprovalStanding>,
  { limit, now, viewer }: { readonly limit: number; readonly now: Date; readonly viewer: string },
): WorkSections {
  const { batches, isCutShort, doubts, moreDoubts, differences, runs } = work;
  const underWay = underWayIn(runs, now);
  const open = new Map(batches.map((batch) => [batch.id, batch]));
  const contents = contentsOf(batches);
  const once = onceOfReadings(batches, contents);
  const reasons = once(
    batches.flatMap((batch) => reasonsOf(batch)),
    ({ status, code }) => `${status} ${code}`,
  );
  const held = reasons.filter(({ status }) => status === 'held');
  const toSend = batches.flatMap((batch) => {
    if (underWay.has(batch.id)) return [{ ...sendingTask(batch), state: 'under_way' as const }];
    return toBeSent(batch, approvals.get(batch.id), runs.has(batch.id));
  });
  // If several readings of one content may be sent, only the newest one counts, approved or not.
  const sent = once(toSend, () => 'send');
  const section = <Line extends Task>(tasks: readonly Line[], more?: number) =>
    workSection(tasks, limit, more);
  const inDoubt = doubts.map(({ doubt, ...batch }) => {
    const known = open.get(batch.id);
    const canGoOn = !underWay.has(batch.id) && (known === undefined || isSendable(known));
    return { batch, rows: doubt.rows, sums: sumsOf(known, ['unknown']), doubt, canGoOn };
  });
  return {
    approvals: section(sent.filter((task) => 'standing' in task)),
    doubts: section(inDoubt, moreDoubts),
    changedPayees: section(held.filter(({ code }) => isOfPayee(code))),
    held: section(held.filter(({ code }) => !isOfPayee(code))),
    corrections: section(correctedOnce(batches.flatMap(correctionsOf), once, contents)),
    waiting: section(reasons.filter(({ status }) => status === 'waiting')),
    sending: section(sent.filter((task) => 'state' in task)),
    contradictions: section(batches.flatMap(contradictionsOf)),
    differences: section(differencesOf(differences, viewer)),
    cutOff: cutOffIn(runs, underWay),
    isCutShort: isCutShort || batches.some((batch) => batch.open === null),
  };
}

/** Batches that a run holds. */
function underWayIn(runs: OpenWork['runs'], now: Date): ReadonlySet<string> {
  return new Set(
    [...runs].flatMap(([id, ofBatch]) => (ofBatch.some((run) => isUnderWay(run, now)) ? [id] : [])),
  );
}

/** The last run of each batch for which all runs were cut off. */
function cutOffIn(runs: OpenWork['runs'], underWay: ReadonlySet<string>): WorkSections['cutOff'] {
  return [...runs].flatMap(([batch, ofBatch]) => {
    const last = ofBatch.at(-1);
    if (last === undefined || underWay.has(batch)) return [];
    return [{ batch, command: last.command, actor: last.actor }];
  });
}

/** Rows to correct, once for each content, with the names of the other readings of the content. */
function correctedOnce(
  lines: readonly Omit<CorrectionTask, 'alsoIn'>[],
  once: ReturnType<typeof onceOfReadings>,
  contents: ReadonlyMap<string, string>,
): readonly CorrectionTask[] {
  const listed = once(lines, ({ status }) => `correct ${status}`);
  const left = lines.filter((line) => !listed.includes(line));
  return listed.map((line) => {
    const isSame = ({ batch: { id }, status }: ReasonTask): boolean =>
      status === line.status && contents.get(id) === contents.get(line.batch.id);
    return { ...line, alsoIn: left.filter(isSame).map(({ batch }) => batch) };
  });
}

function sumsOf(batch: OpenBatch | undefined, statuses: readonly ResultStatus[]): Task['sums'] {
  const sums = batch?.totals?.sums;
  return sums === undefined ? null : joinedSums([sums.filter(({ status }) => statuses.includes(status))]);
}

function isOfPayee(code: string | null): code is PayeeChangeCode {
  return (payeeChangeCodes as readonly (string | null)[]).includes(code);
}

function reasonsOf(batch: OpenBatch): readonly ReasonTask[] {
  return (batch.open ?? []).map(({ status, code, rows, since, sums }) => ({
    ...{ batch, status, code, rows, since, sums },
    advice: status === 'held' ? remedyOfReason(code) : null,
    canBeTried: sendsNothingElse(batch),
  }));
}

/** Whether a run may send rows of a batch. */
function isSendable({ isClosed, isEdited }: OpenBatch): boolean {
  return !isClosed && !isEdited.notSent;
}

/** Whether rows of a batch can be sent again without sending new rows, or rows that the API refuses for one reason. */
function sendsNothingElse(batch: OpenBatch): boolean {
  if (batch.counted === null || batch.refusedAlike !== null) return false;
  return isSendable(batch) && rowsToSend(batch.counted).notSent === 0;
}

/** The rows to correct as one line for each status, because a person opens them together, whatever their reasons. */
function correctionsOf(batch: OpenBatch): readonly Omit<CorrectionTask, 'alsoIn'>[] {
  if (batch.isClosed) return [];
  return (['rejected', 'invalid'] as const).flatMap((status) => {
    const groups = (batch.open ?? []).filter((group) => group.status === status);
    const [first] = groups;
    if (first === undefined) return [];
    const rows = groups.reduce((sum, group) => sum + group.rows, 0);
    const code = groups.length === 1 ? first.code : null;
    const sums = joinedSums(groups.map((group) => group.sums));
    const isEdited = batch.isEdited[status];
    const canBeTried = sendsNothingElse(batch) && !batch.isEdited.rejected;
    return [{ batch, status, code, rows, sums, since: null, advice: null, canBeTried, isEdited }];
  });
}

function sendingTask(batch: OpenBatch): Omit<SendingTask, 'state'> {
  const { counted, refusedAlike } = batch;
  const rows = counted === null ? null : rowsToSend(counted).notSent;
  return { batch, rows, sums: sumsOf(batch, ['not_sent']), refusedAlike };
}

/** Why the rows of a batch are not sent while no run sends them. @param isCutOff whether a run of it was interrupted */
function toBeSent(
  batch: OpenBatch,
  approval: ApprovalStanding | undefined,
  isCutOff: boolean,
): readonly (SendingTask | ApprovalTask)[] {
  const { counted, open, isClosed, isOnlyPlanned, latestWasWhole, refusedAlike, canMove, isEdited } = batch;
  const task = sendingTask(batch);
  if (isEdited.notSent && !isClosed) return [{ ...task, state: 'edited' }];
  if (waitsForApproval(approval)) {
    const rows = counted === null ? null : rowsToSend(counted).notSent + rowsToSend(counted).inDoubt;
    return [{ batch: task.batch, rows, sums: sumsOf(batch, ['not_sent', 'unknown']), standing: approval }];
  }
  if (isClosed) return [];
  // Rows that only wait have a section of their own.
  const mayOnlyWait = !isCutOff && (open ?? []).some(({ status }) => status === 'waiting');
  if (task.rows === null ? !canMove || mayOnlyWait : task.rows === 0) return [];
  if (refusedAlike !== null) return [{ ...task, state: 'stopped' }];
  if (isOnlyPlanned) return [{ ...task, state: 'planned' }];
  return [{ ...task, state: latestWasWhole && !isCutOff ? 'joined' : 'unfinished' }];
}

function contradictionsOf(batch: OpenBatch): readonly ContradictionTask[] {
  const { contradicted = 0 } = batch.counted ?? {};
  const { unrecorded } = batch;
  if (contradicted + unrecorded === 0) return [];
  return [{ batch, rows: contradicted + unrecorded, sums: [], contradicted, unrecorded }];
}

/** One line for each reconciliation. Its parts may be found separately. */
function differencesOf(found: readonly DifferencesOfBatch[], viewer: string): readonly DifferencesTask[] {
  const isOwn = ({ assignedTo }: OpenOfPerson): boolean =>
    assignedTo !== null && isSameName(assignedTo, viewer);
  const ids = [...new Set(found.map(({ reconciliation }) => reconciliation))];
  const tasks = ids.flatMap((id): DifferencesTask[] => {
    const parts = found.filter(({ reconciliation }) => reconciliation === id);
    const [first] = parts;
    if (first === undefined) return [];
    const open = joinedByPerson(parts.flatMap(({ byPerson }) => byPerson));
    const { reconciliation, by, at } = first;
    const task = { batch: first, reconciliation, by, at, rows: countOf(open), sums: [] };
    return [{ ...task, own: countOf(open.filter(isOwn)), others: open.filter((each) => !isOwn(each)) }];
  });
  return tasks.sort((left, right) => Number(right.own > 0) - Number(left.own > 0));
}

function joinedByPerson(open: readonly OpenOfPerson[]): readonly OpenOfPerson[] {
  const people = [...new Set(open.map(({ assignedTo }) => assignedTo))];
  return people.map((assignedTo) => ({
    assignedTo,
    count: countOf(open.filter((each) => each.assignedTo === assignedTo)),
  }));
}

function countOf(open: readonly OpenOfPerson[]): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}

/**
 * People type the names of the people to whom differences are assigned, so small differences in a name do not matter.
 */
function isSameName(typed: string, name: string): boolean {
  return typed.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase();
}

/* Lines about rows of a content that was read in more than one way. Each content has one line. */

/** A line about rows of a batch, with the state of the batch if that is known. */
interface ReadingLine {
  readonly batch: { readonly id: string };
  readonly state?: unknown;
}

/** A text for the content of each batch, by batch id. Two batches with the same text are readings of the same rows. */
function contentsOf(batches: readonly OpenBatch[]): ReadonlyMap<string, string> {
  return new Map(
    batches.map(({ id, mode, origin, kind, sheet, content }) => [
      id,
      JSON.stringify([mode, origin, kind, sheet, content]),
    ]),
  );
}

/**
 * Lists the rows of a content that was read in two ways only once, as the rows of the newest reading. A closed reading
 * does not count, and a batch that is being sent is shown in full.
 */
function onceOfReadings(batches: readonly OpenBatch[], contents: ReadonlyMap<string, string>) {
  const closed = new Set(batches.flatMap(({ id, isClosed }) => (isClosed ? [id] : [])));
  return <Line extends ReadingLine>(lines: readonly Line[], workOf: (line: Line) => string): Line[] => {
    const newest = new Map<string, string>();
    return lines.filter((line) => {
      const { id } = line.batch;
      const work = `${workOf(line)} ${contents.get(id)}`;
      const before = newest.get(work) ?? id;
      if (!closed.has(id)) newest.set(work, before);
      return before === id || line.state === 'under_way';
    });
  };
}
