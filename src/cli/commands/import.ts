import { importFiles } from '../../job/import.ts';
import { type Command, textOf, textsOf } from '../command.ts';
import { planHashOption } from '../options/plan-hash-option.ts';
import { printSent } from '../printing/sent.ts';

export const importCommand: Command = {
  build: (program) =>
    program
      .positional('file', { type: 'string', array: true, description: 'Paths; - is standard input' })
      .option('plan-hash', planHashOption),
  work: async (app, parsed) => {
    const request = { files: textsOf(parsed, 'file'), planHash: textOf(parsed, 'plan-hash') };
    return printSent(app, await importFiles(app, request));
  },
};
