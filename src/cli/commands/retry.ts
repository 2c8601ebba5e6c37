import { retry } from '../../job/retry.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { printSent } from '../print-sent.ts';

export const retryCommand: Command = {
  words: 'retry <batch>',
  description: "Send a batch's rejected rows again, under new keys, and its waiting rows",
  build: (program) => program.positional('batch', { ...batchArgument, demandOption: true }),
  work: async (app, parsed) => printSent(app, await retry(app, { batch: textOf(parsed, 'batch') ?? '' })),
};
