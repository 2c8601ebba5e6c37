import { type Command, textOf, textsOf } from '../command/command.ts';
import { printSent } from '../printing/sent.ts';

export const importCommand: Command = {
  work: async (app, parsed) => {
    const request = { files: textsOf(parsed, 'file'), planHash: textOf(parsed, 'plan-hash') };
    return printSent(app, await app.engine.import(request, app.call).result);
  },
};
