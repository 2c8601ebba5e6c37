import { type ErrorCode, type ErrorKind, kindOfCode } from './error-codes.ts';
import { adviceText, type NextCommand, type OptionsOf } from './next-command.ts';

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
  /** The next command to type, or what else to do; null where nothing helps but patience. */
  readonly next: string | null;
  readonly #advice: string | NextCommand | null;

  constructor(
    code: ErrorCode,
    message: string,
    next: string | NextCommand | null,
    { kind = kindOfCode(code), cause }: PaybatchErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.kind = kind;
    this.#advice = next;
    this.next = next === null || typeof next === 'string' ? next : adviceText(next);
  }

  /** The same error where the call ends in another way with it. */
  withKind(kind: ErrorKind): PaybatchError {
    return new PaybatchError(this.code, this.message, this.#advice, { kind, cause: this.cause });
  }

  /** The same error, its next command with the options that it needs. */
  withOptions(optionsOf: OptionsOf): PaybatchError {
    const { code, message, kind, cause } = this;
    const advice = this.#advice;
    if (advice === null || typeof advice === 'string') return this;
    return new PaybatchError(code, message, adviceText(advice, optionsOf), { kind, cause });
  }
}

/** Files of one call that are refused, each for its own reason: all of them are named. */
export class FilesRefused extends PaybatchError {
  override readonly name = 'FilesRefused';
  readonly each: readonly PaybatchError[];

  /** @param each at least one; of a single one, code, message and advice are its own */
  constructor(each: readonly PaybatchError[]) {
    const [first] = each;
    if (first === undefined) throw new Error('no file was refused');
    if (each.length === 1) super(first.code, first.message, first.next, first);
    else {
      const messages = each.map(({ message }) => message).join(' ');
      const advice = each.flatMap(({ next }) => next ?? []);
      super(
        'files_refused',
        `${each.length} files are refused. ${messages}`,
        advice.length === 0 ? null : [...new Set(advice)].join('; '),
      );
    }
    this.each = each;
  }

  override withOptions(optionsOf: OptionsOf): FilesRefused {
    return new FilesRefused(this.each.map((error) => error.withOptions(optionsOf)));
  }
}

/** Whether an error refuses a file as a whole, and nothing else. */
export function isRefusal(error: unknown): error is PaybatchError {
  return error instanceof PaybatchError && error.kind === 'file_refused';
}
