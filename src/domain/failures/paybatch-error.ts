/*
 * How a call fails: its outcome, the class of all expected errors with their typed data, and how unexpected failures are
 * shown.
 */

import type { RowRemedy, StatusCounts } from '../rows/row-state.ts';
import { type Adjustable, joined, type Message, plainText, say } from '../settings/message.ts';
import { type ErrorCode, type ErrorKind, isOfReading, kindOfCode } from './error-codes.ts';

/*
 * Remedies, as data: a paybatch call with its arguments, a setting, or an action of a person outside of the program. Each
 * interface shows a remedy in its own form: the command line as text to type, a page as a button, the library as this value.
 */

/** The text around a remedy, and the remedy that follows it. The text names no setting or command. */
interface Around {
  /** Before the remedy: its purpose, as a request. */
  readonly purpose?: string;
  /** After the remedy: its effect, or when it is due. */
  readonly effect?: string;
  /** In brackets, after all other text. */
  readonly remark?: string;
  /** The next remedy after this one. */
  readonly next?: Remedy;
}

/** A setting and its new value. Without a value, a person chooses it. A flag is set by its name alone. */
export interface Adjustment {
  readonly setting: Adjustable;
  readonly value?: string;
}

/** The environment of a batch, for a call about it. */
interface OfBatch {
  readonly environment?: { readonly mode: 'sandbox' | 'live'; readonly origin: string };
}

/** A call that reads files. */
interface OfFiles extends OfBatch {
  /** Paths; empty if they are not known. */
  readonly files: readonly string[];
  /** Whether the files are to be read in the same way as in this call. */
  readonly asRead: boolean;
}

/** A paybatch call that helps, by the name of its use case. Batches are named by the beginning of their ids. */
export type CallRemedy = Around &
  (
    | ({ readonly action: 'resume'; readonly batch: string; readonly refusedAlike?: 'off' } & OfBatch)
    | ({ readonly action: 'retry' | 'results' | 'close'; readonly batch: string } & OfBatch)
    /** The corrections of a batch's rows, in the console. */
    | ({ readonly action: 'corrections'; readonly batch: string } & OfBatch)
    | ({
        readonly action: 'reconcile';
        readonly batch: string;
        readonly replay?: boolean;
        readonly isAgreed?: boolean;
      } & OfBatch)
    | ({ readonly action: 'resolve'; readonly batch: string; readonly file: string } & OfBatch)
    | ({
        readonly action: 'submit' | 'approve';
        readonly batch: string;
        readonly planHash: string | null;
      } & OfBatch)
    | ({ readonly action: 'status'; readonly batch?: string } & OfBatch)
    | ({ readonly action: 'import' | 'plan' | 'validate' } & OfFiles)
    | ({ readonly action: 'recover'; readonly logs: readonly string[] } & OfFiles)
    | ({ readonly action: 'mapping'; readonly file: string | null } & OfBatch)
    | ({
        readonly action: 'edit_mapping';
        readonly file: string | null;
        /** The column in question; null for the whole file. */
        readonly about: string | null;
        readonly sheet: string | null;
      } & OfBatch)
    | { readonly action: 'remembered_mappings' | 'doctor' | 'migrate' | 'verify_audit' }
    /** Lifts the stop of everything. If a policy that lifts it waits, this means approving that policy. */
    | { readonly action: 'lift_halt'; readonly policy: number | null }
    | { readonly action: 'institutions'; readonly country: string }
    | { readonly action: 'template'; readonly kind: string }
    | { readonly action: 'help'; readonly of: string }
  );

/** One remedy. */
export type Remedy =
  | CallRemedy
  /** An action outside of the program. */
  | (Around & { readonly action: 'advice'; readonly text: Message })
  /** The same call again. */
  | (Around & { readonly action: 'again' })
  /** The same call with one of these settings. */
  | (Around & { readonly action: 'set'; readonly oneOf: readonly [Adjustment, ...Adjustment[]] })
  /** The same call without these settings. */
  | (Around & { readonly action: 'leave_out'; readonly settings: readonly [Adjustment, ...Adjustment[]] })
  /** A look at the values of these settings. */
  | (Around & { readonly action: 'check'; readonly settings: readonly [Adjustable, ...Adjustable[]] });

/** Remedies in the form in which an error states them. A message counts as advice. */
export type Remedies = Message | Remedy | readonly (Message | Remedy)[] | null;

export function remediesOf(remedies: Remedies): readonly Remedy[] {
  if (remedies === null) return [];
  if (typeof remedies === 'string' || 'parts' in remedies || 'action' in remedies)
    return [remedyOf(remedies)];
  return remedies.map(remedyOf);
}

function remedyOf(advice: Message | Remedy): Remedy {
  return typeof advice === 'string' || 'parts' in advice ? { action: 'advice', text: advice } : advice;
}

/** The words with which an interface describes remedies. */
export interface Phrasebook {
  /** A remedy in one line: the command to type, or the page to open. */
  readonly remedy: (remedy: Remedy) => string;
  /** What a person can do about a row, as half a sentence. */
  readonly rowRemedy: (remedy: RowRemedy) => string;
  /** A message as one text; in the words of the library if absent. */
  readonly message?: (message: Message) => string;
  /** Whether the interface consists of pages. Then sentences do not mention files to save and commands to type. */
  readonly isOnPages?: boolean;
}

/**
 * How a call ended. `done`: every row is created or existing, or the requested work is done. `rows_need_correction`,
 * `decision_needed`: the call completed, and rows wait for a correction or a decision.
 */
export type CallOutcome = 'done' | 'rows_need_correction' | ErrorKind;

/** If several outcomes apply, the first one in this order counts. */
const precedence = [
  'internal',
  'busy',
  'credentials_refused',
  'content_not_approved',
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
 * The outcome of one batch. Rows that are ready and were not sent mean that the run stopped before its end. Unknown and held
 * rows need a person, and so do rows that need a correction.
 * @param contradicted created rows whose answer contradicts what was sent; they need a person too
 * @param obstacle why rows need a person: `refused_alike` if the API refused all rows for one reason, `approval` if the
 * policy requires approvals that are missing; null if the next run sends the rows
 */
export function outcomeOfRows(
  counts: StatusCounts,
  contradicted = 0,
  obstacle: 'refused_alike' | 'approval' | null = null,
): CallOutcome {
  const outcomes: CallOutcome[] = [];
  if (counts.not_sent) outcomes.push(outcomeOfUnsent[obstacle ?? 'none']);
  // No command sends refused rows again before a person has let the batch continue, even if no other rows are left.
  if (counts.rejected && obstacle === 'refused_alike') outcomes.push('decision_needed');
  // Rows in doubt are sent again only under an approval.
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

/** Used if an error with a code has another effect on the call than usual. */
interface PaybatchErrorOptions {
  readonly kind?: ErrorKind;
  readonly cause?: unknown;
  readonly file?: string | null;
}

/**
 * An expected failure with a cause outside of the program. It has a clear sentence for people, a code of the closed list,
 * its effect on the call, and remedies. Any other thrown error is a bug of paybatch.
 */
export class PaybatchError extends Error {
  override readonly name: string = 'PaybatchError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** Any one of these remedies helps; empty if only waiting helps. */
  readonly remedies: readonly Remedy[];
  /** The message in its parts, for an interface with its own words; `message` is the text of the library. */
  readonly said: Message;
  /** The path of the one file that is refused; null for every other error. */
  readonly file: string | null;

  constructor(
    code: ErrorCode,
    said: Message,
    remedies: Remedies,
    { kind = kindOfCode(code), cause, file = null }: PaybatchErrorOptions = {},
  ) {
    super(plainText(said), cause === undefined ? undefined : { cause });
    this.code = code;
    this.said = said;
    this.kind = kind;
    this.remedies = remediesOf(remedies);
    this.file = file;
  }

  /** The same error about one file of several. */
  about(file: string): PaybatchError {
    return new PaybatchError(this.code, this.said, this.remedies, { ...this, file, cause: this.cause });
  }

  /** The same error with another outcome of the call. */
  withKind(kind: ErrorKind): PaybatchError {
    return new PaybatchError(this.code, this.said, this.remedies, { ...this, kind, cause: this.cause });
  }
}

/** Several refused files of one call, each with its own reason. The message names all of them. */
export class FilesRefused extends PaybatchError {
  override readonly name = 'FilesRefused';
  readonly each: readonly PaybatchError[];

  /** @param each at least one error; for a single one, code, message and remedies are taken from it */
  constructor(each: readonly PaybatchError[]) {
    const [first] = each;
    if (first === undefined) throw new Error('no file was refused');
    if (each.length === 1) super(first.code, first.said, first.remedies, first);
    else {
      const said = each.map((error) => error.said);
      super(
        'files_refused',
        say`${each.length} files are refused. ${joined(said, ' ')}`,
        each.flatMap(({ remedies }) => remedies),
        // A file that is still being written can be imported later, so the call is not complete.
        each.some(({ kind }) => kind === 'stopped') ? { kind: 'stopped' } : {},
      );
    }
    this.each = each;
  }
}

/** Whether an error only refuses one file as a whole. */
export function isRefusal(error: unknown): error is PaybatchError {
  return error instanceof PaybatchError && error.kind === 'file_refused';
}

/** The properties of a database error that contain no value of a row. */
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
 * The description of an unexpected error, in one line. A database or a parser may quote its input in its messages, and the
 * input may be a person's data. So for their errors only the kind and these properties are shown.
 */
export function describeUnexpected(error: unknown): string {
  if (!(error instanceof Error)) return `something that is no error was thrown (${typeof error})`;
  if ('severity' in error) return `database error (${factsOf(error)})`;
  return error instanceof SyntaxError ? error.name : `${error.name}: ${error.message}`;
}

/** The same description, with the place where the error was thrown. */
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

/** Whether a file, or each sheet of it, is refused only because a person has not decided how it is read. */
export function isUnread(error: PaybatchError): boolean {
  return error instanceof FilesRefused
    ? error.each.every(({ code }) => isOfReading(code))
    : isOfReading(error.code);
}
