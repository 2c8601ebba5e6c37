import { submit } from '../../job/submit.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { planHashOption } from '../options/plan-hash-option.ts';
import { printSent } from '../printing/sent.ts';

export const submitCommand: Command = {
  build: (program) =>
    program.positional('batch', { ...batchArgument, demandOption: true }).option('plan-hash', planHashOption),
  work: async (app, parsed) => {
    const request = { batch: textOf(parsed, 'batch') ?? '', planHash: textOf(parsed, 'plan-hash') };
    return printSent(app, await submit(app, request));
  },
};
