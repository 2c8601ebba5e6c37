import { writeResults } from '../../job/results.ts';
import { type Command, textOf } from '../command.ts';
import { printBatches } from '../printing/result.ts';

export const resultsCommand: Command = {
  work: async (app, parsed) => {
    const result = await writeResults(app, { batch: textOf(parsed, 'batch') ?? '' });
    printBatches(app, result);
    return result;
  },
};
