import { type Command, textOf } from '../command/command.ts';
import { institutionsDocument } from '../json/institutions.ts';
import { institutionsTable } from '../views/institutions-table.ts';

export const institutionsCommand: Command = {
  work: async (app, parsed) => {
    const result = await app.engine.institutions({ country: textOf(parsed, 'country') ?? '' }, app.call)
      .result;
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
