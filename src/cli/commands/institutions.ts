import { listInstitutions } from '../../engine/institutions.ts';
import { type Command, textOf } from '../command/command.ts';
import { institutionsDocument } from '../json/institutions.ts';
import { institutionsTable } from '../views/institutions-table.ts';

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
    return { ...result, document: institutionsDocument(result.snapshot) };
  },
};
