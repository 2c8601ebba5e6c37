import { listInstitutions } from '../../engine/institutions.ts';
import { institutionsTable } from '../../output/terminal/institutions-table.ts';
import { type Command, textOf } from '../command/command.ts';

export const institutionsCommand: Command = {
  work: async (app, parsed) => {
    const result = await listInstitutions(app, { country: textOf(parsed, 'country') ?? '' });
    app.terminal.print(
      institutionsTable(result.snapshot, {
        countryName: result.country.name,
        now: app.clock.now(),
        useColour: app.terminal.useColour,
      }),
    );
    return result;
  },
};
