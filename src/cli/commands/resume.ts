import { resume } from '../../job/resume.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { printSent } from '../printing/sent.ts';

export const resumeCommand: Command = {
  build: (program) =>
    program.positional('batch', batchArgument).option('join', {
      type: 'boolean',
      description: 'Work on the batch beside other runs, on this or other machines (PostgreSQL server)',
    }),
  work: async (app, parsed) => {
    const request = { batch: textOf(parsed, 'batch'), join: parsed['join'] === true };
    return printSent(app, await resume(app, request));
  },
};
