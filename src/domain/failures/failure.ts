/*
 * Expected failures: the sentence, the exit code and the next command; and what may be shown of an unexpected
 * error.
 */

import type { Environment } from '../batches/batch.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** Gives the options that a next command needs besides its own words. */
type OptionsOf = (command: NextCommand) => readonly string[];

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

/**
 * A command that helps, as far as it is known where something fails. The options that it needs besides, so that it
 * works as it is printed, only the caller knows.
 */
export interface NextCommand {
  /** Said before it: `look at it again: `. */
  readonly before?: string;
  /** Behind `paybatch`, not quoted: the command's name, its arguments, and options that belong to it alone. */
  readonly words: readonly string[];
  /** Said behind it: ` lists the batches`. */
  readonly after?: string;
  /** Which options of the call it needs again: those of its API, ledger and folders, and those of reading files. */
  readonly needs: 'no_options' | 'place' | 'place_and_reading';
  /** Another command that helps in another way; said behind it. */
  readonly or?: NextCommand;
  /** Of the batch that it is about, where it is about one. */
  readonly environment?: Environment;
}

/** The advice as a sentence, with the options that each of its commands needs. */
export function adviceText(
  command: NextCommand,
  optionsOf: (command: NextCommand) => readonly string[] = () => [],
): string {
  const { before = '', words, after = '', or } = command;
  const line = ['paybatch', ...words, ...optionsOf(command)].map(shellWord).join(' ');
  const other = or === undefined ? '' : `; ${adviceText(or, optionsOf)}`;
  return `${before}${line}${after}${other}`;
}

/** What stands for a file whose path nobody knows. */
export const someFile = 'FILE';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * An argument as a POSIX shell takes it for one word. What a terminal would act on is escaped in the way that
 * bash, ksh and zsh read.
 */
export function shellWord(text: string): string {
  if (unprintable.test(text)) {
    const escaped = text.replace(/['\\]/g, '\\$&').replace(new RegExp(unprintable, 'gu'), escapedByte);
    return `$'${escaped}'`;
  }
  return /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Byte by byte, which every one of those shells understands, whatever its locale. */
function escapedByte(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
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
