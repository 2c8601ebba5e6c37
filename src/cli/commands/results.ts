import { type Command, textOf } from '../command/command.ts';
import { printBatches } from '../printing/result.ts';
import { boundHeapGrowth } from '../terminal/heap-growth.ts';

export const resultsCommand: Command = {
  work: async (app, parsed) => {
    boundHeapGrowth();
    const result = await app.engine.results({ batch: textOf(parsed, 'batch') ?? '' }, app.call).result;
    printBatches(app, result);
    return result;
  },
};
