import { recover } from '../../job/recover.ts';
import { type Command, textOf, textsOf } from '../command.ts';
import { printBatches } from '../printing/result.ts';

export const recoverCommand: Command = {
  build: (program) =>
    program
      .positional('file', { type: 'string', description: 'The very file that was imported' })
      .option('log', {
        type: 'string',
        array: true,
        demandOption: true,
        requiresArg: true,
        description: "The batch's run log (NAME.BATCH.run.jsonl); several if it ran in several places",
      }),
  work: async (app, parsed) => {
    const request = { file: textOf(parsed, 'file') ?? '', logs: textsOf(parsed, 'log') };
    const result = await recover(app, request);
    printBatches(app, result);
    return result;
  },
};
