import { type ExitCode, exitCodes } from './exit-code.ts';
import { adviceText, type NextCommand } from './next-command.ts';

/** Gives the options that a next command needs besides its own words. */
export type OptionsOf = (command: NextCommand) => readonly string[];

/**
 * An expected failure of the world outside: a clear sentence for people, the exit code of the
 * contract, and the command that helps. Anything else that is thrown is a bug of ours.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly code: string;
  /** The next command to type, or what else to do; null where nothing helps but patience. */
  readonly next: string | null;
  readonly #advice: string | NextCommand | null;

  constructor(exitCode: ExitCode, code: string, message: string, next: string | NextCommand | null) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.#advice = next;
    this.next = next === null || typeof next === 'string' ? next : adviceText(next);
  }

  /** The same failure under another exit code. */
  withExitCode(exitCode: ExitCode): Failure {
    return new Failure(exitCode, this.code, this.message, this.#advice);
  }

  /** The same failure, its next command with the options that it needs. */
  withOptions(optionsOf: OptionsOf): Failure {
    const advice = this.#advice;
    if (advice === null || typeof advice === 'string') return this;
    return new Failure(this.exitCode, this.code, this.message, adviceText(advice, optionsOf));
  }
}

/** Files of one call that are refused, each for its own reason: all of them are named. */
export class FilesRefused extends Failure {
  readonly each: readonly Failure[];

  /** @param each at least one; of a single one, code, message and advice are its own */
  constructor(each: readonly Failure[]) {
    const [first] = each;
    if (first === undefined) throw new Error('no file was refused');
    if (each.length === 1) super(first.exitCode, first.code, first.message, first.next);
    else {
      const messages = each.map(({ message }) => message).join(' ');
      const advice = each.flatMap(({ next }) => next ?? []);
      super(
        exitCodes.fileRefused,
        'files_refused',
        `${each.length} files are refused. ${messages}`,
        advice.length === 0 ? null : [...new Set(advice)].join('; '),
      );
    }
    this.each = each;
  }

  override withOptions(optionsOf: OptionsOf): FilesRefused {
    return new FilesRefused(this.each.map((failure) => failure.withOptions(optionsOf)));
  }
}

/** Whether an error refuses a file as a whole, and nothing else. */
export function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.exitCode === exitCodes.fileRefused;
}
