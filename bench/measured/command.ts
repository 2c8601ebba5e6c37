import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from './program.ts';

/** Where a command of the built program works, and with what. */
export interface CommandSetting {
  readonly folder: string;
  readonly apiKey: string;
  /** Null for the embedded ledger. */
  readonly databaseUrl: string | null;
}

export function startCommand(
  args: readonly string[],
  { folder, apiKey, databaseUrl }: CommandSetting,
): ChildProcess {
  const { PATH, TMPDIR } = process.env;
  return spawn(process.execPath, [programPath, ...args, '--quiet'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH,
      TMPDIR,
      PAYBATCH_API_KEY: apiKey,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    },
  });
}

/** Runs a command to its end. @throws Error when it ends with another exit code than 0 */
export async function runCommand(args: readonly string[], setting: CommandSetting): Promise<void> {
  await endOf(startCommand(args, setting));
}

/** @throws Error when it ends with another exit code */
export async function endOf(command: ChildProcess, exitCode = 0): Promise<void> {
  const [code] = await once(command, 'exit');
  if (code !== exitCode) throw new Error(`the command ended with ${code}`);
}
