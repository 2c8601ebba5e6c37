import type { BatchSummary } from '../../domain/batches/batch-summary.ts';
import type { ValidateResult } from '../../engine/validate.ts';
import type { App } from '../command/app.ts';
import { type Command, textsOf } from '../command/command.ts';
import { sayFailure } from '../printing/result.ts';
import { readingOptions, repeatedOptions } from '../remedies/repeated-options.ts';
import { commandLine } from '../remedies/shell-word.ts';

export const validateCommand: Command = {
  work: async (app, parsed) => {
    const files = textsOf(parsed, 'file');
    const result = await app.engine.validate({ files }, app.call).result;
    printNextStep(app, files, result);
    return result;
  },
};

function printNextStep(
  app: App,
  paths: readonly string[],
  { batches, failure, isHiddenOpen }: ValidateResult,
): void {
  if (failure !== null) {
    sayFailure(app, failure);
    return;
  }
  const words = [...paths, ...readingOptions(app), ...repeatedOptions(app)];
  const command = `  ${commandLine(['import', ...words])}`;
  const choices = [`${command} --hidden include`, `${command} --hidden skip`];
  app.terminal.print(
    isEveryRowInvalid(batches)
      ? [
          'Every row is invalid, so there is nothing to import. Correct them, then:',
          `  ${commandLine(['validate', ...words])}`,
        ].join('\n')
      : [adviceFor(batches), ...(isHiddenOpen ? choices : [command])].join('\n'),
  );
}

function isEveryRowInvalid(batches: readonly BatchSummary[]): boolean {
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  return rows > 0 && batches.every(({ rows: all, counts }) => (counts.invalid ?? 0) === all);
}

function adviceFor(batches: readonly BatchSummary[]): string {
  if (batches.some(({ counts }) => (counts.invalid ?? 0) > 0))
    return 'Correct the rows and check again, or import the others as they are:';
  if (batches.some(({ counts }) => (counts.held ?? 0) > 0))
    return 'An import would hold the rows that a person has to decide about, and send the others:';
  return 'Next:';
}
