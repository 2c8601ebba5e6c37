import { writeResults } from '../../engine/results.ts';
import { type Command, textOf } from '../command/command.ts';
import { printBatches } from '../printing/result.ts';
import { boundHeapGrowth } from '../terminal/heap-growth.ts';

export const resultsCommand: Command = {
  work: async (app, parsed) => {
    boundHeapGrowth();
    const result = await writeResults(app, { batch: textOf(parsed, 'batch') ?? '' });
    printBatches(app, result);
    return result;
  },
};
