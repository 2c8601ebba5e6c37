import { exitCodes } from '../../output/words/exit-codes.ts';
import type { Command } from '../command/command.ts';
import { inOptions, nextOfRemedies } from '../remedies/remedy-text.ts';
import { checkList } from '../views/check-list.ts';

export const doctorCommand: Command = {
  work: async (app) => {
    const result = await app.engine.doctor({}, app.call).result;
    app.terminal.print(checkList(result.checks, app.words, app.terminal.useColour));
    const checks = result.checks.map(({ level, what, finding, remedies }) => ({
      ...{ level, what, finding: inOptions(finding) },
      next: nextOfRemedies(remedies, app.words),
    }));
    return { ...result, document: { exit_code: exitCodes[result.outcome], checks } };
  },
};
