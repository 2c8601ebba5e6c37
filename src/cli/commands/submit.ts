import { batchArgument, type Command, textOf } from '../command.ts';
import { goOn } from '../go-on.ts';
import { planHashOf, planHashOption } from '../plan-hash-option.ts';

export const submitCommand: Command = {
  build: (program) =>
    program.positional('batch', { ...batchArgument, demandOption: true }).option('plan-hash', planHashOption),
  work: async (app, parsed) =>
    goOn(app, {
      command: 'submit',
      named: textOf(parsed, 'batch') ?? '',
      join: false,
      planHash: planHashOf(textOf(parsed, 'plan-hash')),
      before: async () => {},
    }),
};
