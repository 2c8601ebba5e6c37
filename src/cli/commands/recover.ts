import { type Command, textOf, textsOf } from '../command/command.ts';
import { printBatches } from '../printing/result.ts';
import { boundHeapGrowth } from '../terminal/heap-growth.ts';

export const recoverCommand: Command = {
  work: async (app, parsed) => {
    boundHeapGrowth();
    const request = { file: textOf(parsed, 'file') ?? '', logs: textsOf(parsed, 'log') };
    const result = await app.engine.recover(request, app.call).result;
    printBatches(app, result);
    return result;
  },
};
