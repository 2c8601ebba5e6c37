import { examine } from '../../engine/doctor.ts';
import { checkList } from '../../output/terminal/check-list.ts';
import type { Command } from '../command/command.ts';

export const doctorCommand: Command = {
  work: async (app) => {
    const result = await examine(app);
    app.terminal.print(checkList(result.checks, app.terminal.useColour));
    return result;
  },
};
