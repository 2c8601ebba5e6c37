import { type Command, textOf } from '../command/command.ts';
import { printSent } from '../printing/sent.ts';

export const retryCommand: Command = {
  work: async (app, parsed) =>
    printSent(app, await app.engine.retry({ batch: textOf(parsed, 'batch') ?? '' }, app.call).result),
};
