/*
 * How a call fails: its outcome, the one class of errors with their typed data, and what a failure is that
 * nobody foresaw.
 */

import type { StatusCounts } from '../rows/row-state.ts';
import { type ErrorCode, type ErrorKind, kindOfCode } from './error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from './remedy.ts';

/**
 * How a call ended. `done`: every row is created or existing, or what was asked for is done. `rows_need_correction`,
 * `decision_needed`: it came to its end, and rows wait for that.
 */
export type CallOutcome = 'done' | 'rows_need_correction' | ErrorKind;

/** Where several apply, the first of these counts. */
const precedence = [
  'internal',
  'busy',
  'credentials_refused',
  'stopped',
  'approval_needed',
  'plan_changed',
  'file_refused',
  'usage',
  'decision_needed',
  'rows_need_correction',
  'done',
] as const satisfies readonly CallOutcome[];

export function gravest(outcomes: readonly CallOutcome[]): CallOutcome {
  return precedence.find((outcome) => outcomes.includes(outcome)) ?? 'done';
}

/**
 * A batch's own outcome. Rows that are ready and were not sent mean that the run stopped before its end; unknown and
 * held rows are for a person, and so are those that need a correction.
 * @param contradicted created rows whose answer contradicts what was sent: they are for a person too
 * @param obstacle why rows are for a person: `refused_alike` where the API refused all rows for one reason,
 *   `approval` where the policy asks for approvals that are missing; null where the next run sends them
 */
export function outcomeOfRows(
  counts: StatusCounts,
  contradicted = 0,
  obstacle: 'refused_alike' | 'approval' | null = null,
): CallOutcome {
  const outcomes: CallOutcome[] = [];
  if (counts.not_sent) outcomes.push(outcomeOfUnsent[obstacle ?? 'none']);
  // No command sends refused rows again before a person has let the batch go on, whether others are left or not.
  if (counts.rejected && obstacle === 'refused_alike') outcomes.push('decision_needed');
  // Rows in doubt are sent again under an approval only.
  if (counts.unknown && obstacle === 'approval') outcomes.push('approval_needed');
  if (counts.unknown || counts.held || contradicted > 0) outcomes.push('decision_needed');
  if (counts.invalid || counts.rejected || counts.waiting) outcomes.push('rows_need_correction');
  return gravest(outcomes);
}

const outcomeOfUnsent = {
  none: 'stopped',
  refused_alike: 'decision_needed',
  approval: 'approval_needed',
} as const;

/** Where an error does not mean for the call what its code mostly means. */
interface PaybatchErrorOptions {
  readonly kind?: ErrorKind;
  readonly cause?: unknown;
  readonly file?: string | null;
}

/**
 * An expected failure of the world outside: a clear sentence for people, a code of the closed list, how the call ends
 * with it, and what helps. Anything else that is thrown is a bug of ours.
 */
export class PaybatchError extends Error {
  override readonly name: string = 'PaybatchError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** Any one of these helps; none where nothing helps but patience. */
  readonly remedies: readonly Remedy[];
  /** The path of the one file that is refused with it; null for every other error. */
  readonly file: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    remedies: Remedies,
    { kind = kindOfCode(code), cause, file = null }: PaybatchErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.kind = kind;
    this.remedies = remediesOf(remedies);
    this.file = file;
  }

  /** The same error about one file of several. */
  about(file: string): PaybatchError {
    return new PaybatchError(this.code, this.message, this.remedies, { ...this, file, cause: this.cause });
  }

  /** The same error where the call ends in another way with it. */
  withKind(kind: ErrorKind): PaybatchError {
    return new PaybatchError(this.code, this.message, this.remedies, { ...this, kind, cause: this.cause });
  }
}

/** Files of one call that are refused, each for its own reason: all of them are named. */
export class FilesRefused extends PaybatchError {
  override readonly name = 'FilesRefused';
  readonly each: readonly PaybatchError[];

  /** @param each at least one; of a single one, code, message and remedies are its own */
  constructor(each: readonly PaybatchError[]) {
    const [first] = each;
    if (first === undefined) throw new Error('no file was refused');
    if (each.length === 1) super(first.code, first.message, first.remedies, first);
    else {
      const messages = each.map(({ message }) => message).join(' ');
      super(
        'files_refused',
        `${each.length} files are refused. ${messages}`,
        each.flatMap(({ remedies }) => remedies),
        // One that is still being written can be taken later: then the call has not come to its end.
        each.some(({ kind }) => kind === 'stopped') ? { kind: 'stopped' } : {},
      );
    }
    this.each = each;
  }
}

/** Whether an error refuses a file as a whole, and nothing else. */
export function isRefusal(error: unknown): error is PaybatchError {
  return error instanceof PaybatchError && error.kind === 'file_refused';
}

/** The facts of a database's error that hold no value of a row. */
const databaseFacts = [
  'severity',
  'code',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
] as const;

/**
 * What is shown of an error that nobody foresaw, in one line. A database and a parser quote in their messages what they
 * were given, which may be a person's data: of their errors only the kind and the facts are told.
 */
export function describeUnexpected(error: unknown): string {
  if (!(error instanceof Error)) return `something that is no error was thrown (${typeof error})`;
  if ('severity' in error) return `database error (${factsOf(error)})`;
  return error instanceof SyntaxError ? error.name : `${error.name}: ${error.message}`;
}

/** The same, with where it was thrown. */
export function traceOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line));
  return [describeUnexpected(error), ...frames].join('\n');
}

function factsOf(error: Error): string {
  return databaseFacts
    .flatMap((name) => {
      const fact: unknown = Reflect.get(error, name);
      return typeof fact === 'string' && fact !== '' ? [`${name} ${fact}`] : [];
    })
    .join(', ');
}
