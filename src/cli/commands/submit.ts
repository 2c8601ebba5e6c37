import { type Command, textOf } from '../command/command.ts';
import { printSent } from '../printing/sent.ts';

export const submitCommand: Command = {
  work: async (app, parsed) => {
    const request = { batch: textOf(parsed, 'batch') ?? '', planHash: textOf(parsed, 'plan-hash') };
    return printSent(app, await app.engine.submit(request, app.call).result);
  },
};
