import type { JobResult } from '../job/running/result.ts';
import type { App } from './command/app.ts';
import { loadCommand } from './commands/load.ts';
import type { GivenOptions } from './options/layered-options.ts';
import { scanWords } from './parsing/scan.ts';

/** What the command line asks for: the options as given, and the work to do with them. */
export interface Call {
  readonly given: GivenOptions;
  readonly work: (app: App) => Promise<JobResult>;
}

/** The command line was answered by itself: `--help` or `--version`. */
export interface Answered {
  readonly text: string;
}

/**
 * Reads a command line. Help waits for neither the parser nor the command.
 * @param columns how wide help may be
 * @throws Failure (exit 2) that says what is wrong with it
 */
export async function parseCommandLine(words: readonly string[], columns: number): Promise<Call | Answered> {
  const scan = scanWords(words.length === 0 ? ['--help'] : words);
  switch (scan.asks) {
    case 'version':
      return { text: (await import('../job/running/version.ts')).version };
    case 'help': {
      const { helpText } = await import('./help/help-text.ts');
      return { text: await helpText(scan.command, scan.isAll, columns) };
    }
    case 'command': {
      const { readValues } = await import('./parsing/values.ts');
      const given = await readValues(words, scan.command);
      const { work } = await loadCommand(scan.command.name);
      return { given, work: (app) => work(app, given) };
    }
  }
}
