import { exitCodes } from '../../domain/exit-code.ts';
import { institutionsDocument, institutionsTable } from '../../output/institutions-table.ts';
import { openDirectoryOf } from '../api-access.ts';
import type { App } from '../app.ts';
import { type Command, textOf } from '../command.ts';
import { countryNamed } from '../country-argument.ts';
import type { CommandEnd } from '../outcome.ts';
import { withApiAndLedger } from '../sending.ts';

export const institutionsCommand: Command = {
  build: (program) =>
    program.positional('country', {
      type: 'string',
      demandOption: true,
      description: 'Two letters of ISO 3166-1, such as KE',
    }),
  work: async (app, parsed) => listInstitutions(app, textOf(parsed, 'country') ?? ''),
};

/** Lists a country's institutions: those in the ledger, or read anew when these are too old. */
function listInstitutions(app: App, text: string): Promise<CommandEnd> {
  const country = countryNamed(text);
  return withApiAndLedger(app, async (target, { verbs }) => {
    const directory = openDirectoryOf(target, verbs, app);
    try {
      const environmentId = await verbs.environmentIdOf(target.environment);
      const snapshot = await directory.open(environmentId).snapshot(country.code);
      app.terminal.print(
        institutionsTable(snapshot, {
          ...{ countryName: country.name, now: app.clock.now(), useColour: app.terminal.useColour },
        }),
      );
      const document = institutionsDocument(snapshot);
      return { exitCode: exitCodes.done, batches: [], failure: null, document };
    } finally {
      await directory.close();
    }
  });
}
