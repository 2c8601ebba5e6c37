import { retry } from '../../job/retry.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { printSent } from '../printing/sent.ts';

export const retryCommand: Command = {
  build: (program) => program.positional('batch', { ...batchArgument, demandOption: true }),
  work: async (app, parsed) => printSent(app, await retry(app, { batch: textOf(parsed, 'batch') ?? '' })),
};
