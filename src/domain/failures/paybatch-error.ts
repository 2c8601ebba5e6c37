import { type ErrorCode, type ErrorKind, kindOfCode } from './error-codes.ts';
import { type Remedies, type Remedy, remediesOf } from './remedy.ts';

/** Where an error does not mean for the call what its code mostly means. */
interface PaybatchErrorOptions {
  readonly kind?: ErrorKind;
  readonly cause?: unknown;
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

  constructor(
    code: ErrorCode,
    message: string,
    remedies: Remedies,
    { kind = kindOfCode(code), cause }: PaybatchErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.kind = kind;
    this.remedies = remediesOf(remedies);
  }

  /** The same error where the call ends in another way with it. */
  withKind(kind: ErrorKind): PaybatchError {
    return new PaybatchError(this.code, this.message, this.remedies, { kind, cause: this.cause });
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
      );
    }
    this.each = each;
  }
}

/** Whether an error refuses a file as a whole, and nothing else. */
export function isRefusal(error: unknown): error is PaybatchError {
  return error instanceof PaybatchError && error.kind === 'file_refused';
}
