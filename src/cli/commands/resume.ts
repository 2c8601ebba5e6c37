import { batchArgument, type Command, textOf } from '../command.ts';
import { goOn } from '../go-on.ts';

export const resumeCommand: Command = {
  build: (program) =>
    program.positional('batch', batchArgument).option('join', {
      type: 'boolean',
      description: 'Work on the batch beside other runs, on this or other machines (PostgreSQL server)',
    }),
  work: (app, parsed) =>
    goOn(app, {
      command: 'resume',
      named: textOf(parsed, 'batch'),
      join: parsed['join'] === true,
      before: async () => {},
    }),
};
