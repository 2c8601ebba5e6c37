import { writeResults } from '../../job/results.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { printBatches } from '../printing/result.ts';

export const resultsCommand: Command = {
  build: (program) => program.positional('batch', { ...batchArgument, demandOption: true }),
  work: async (app, parsed) => {
    const result = await writeResults(app, { batch: textOf(parsed, 'batch') ?? '' });
    printBatches(app, result);
    return result;
  },
};
