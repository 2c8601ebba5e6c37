import type { ExitCode } from './exit-code.ts';

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

  constructor(exitCode: ExitCode, code: string, message: string, next: string | null) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.next = next;
  }
}
