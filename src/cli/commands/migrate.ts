import type { Command } from '../command/command.ts';

export const migrateCommand: Command = {
  work: async (app) => {
    const result = await app.engine.migrate({}, app.call).result;
    const applied = result.applied.length === 0 ? '' : `Applied: ${result.applied.join(', ')}. `;
    app.terminal.print(`${applied}The schema is up to date.`);
    return result;
  },
};
