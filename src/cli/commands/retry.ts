import { shortBatchId } from '../../domain/batch.ts';
import { groupedNumber } from '../../output/wording.ts';
import { batchArgument, type Command, textOf } from '../command.ts';
import { goOn } from '../go-on.ts';

export const retryCommand: Command = {
  build: (program) => program.positional('batch', { ...batchArgument, demandOption: true }),
  work: (app, parsed) =>
    goOn(app, {
      command: 'retry',
      named: textOf(parsed, 'batch') ?? '',
      join: false,
      rows: 'fresh',
      before: async ({ verbs }, held) => {
        for (const { batch } of held) {
          const rows = await verbs.returnRejected(batch.id);
          app.terminal.say(
            `batch ${shortBatchId(batch.id)}: ${groupedNumber(rows)} rejected row(s) go again under new keys`,
          );
        }
      },
    }),
};
