import { type Command, textOf } from '../command/command.ts';
import { printSent } from '../printing/sent.ts';

export const resumeCommand: Command = {
  work: async (app, parsed) => {
    const request = { batch: textOf(parsed, 'batch'), join: parsed['join'] === true };
    return printSent(app, await app.engine.resume(request, app.call).result);
  },
};
