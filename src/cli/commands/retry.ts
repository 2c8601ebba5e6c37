import { retry } from '../../engine/retry.ts';
import { type Command, textOf } from '../command/command.ts';
import { printSent } from '../printing/sent.ts';

export const retryCommand: Command = {
  work: async (app, parsed) => printSent(app, await retry(app, { batch: textOf(parsed, 'batch') ?? '' })),
};
