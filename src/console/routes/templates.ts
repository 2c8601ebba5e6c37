/* Empty files to fill in. */

import { kinds, payeeTypesOf } from '../../engine/choices.ts';
import { formats, templateName } from '../pages/templates.ts';
import { PageProblem } from '../under-way/failures.ts';
import type { Routes } from './context.ts';

const types = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const;

/** Templates by their names: one of each kind, and of each payee type. */
export function templateRoutes({ app, engine }: Routes): void {
  const choices = kinds.flatMap((kind) =>
    [null, ...payeeTypesOf(kind)].flatMap((payeeType) =>
      formats.map((format) => ({ kind, payeeType, format })),
    ),
  );
  const byName = new Map(choices.map((choice) => [templateName(choice), choice]));

  app.get<{ Params: { name: string } }>('/templates/:name', async (request, reply) => {
    const choice = byName.get(request.params.name);
    if (choice === undefined)
      throw new PageProblem(404, 'There is no such file to fill in.', 'Choose one on the first page.');
    const { kind, payeeType, format } = choice;
    const asked = { kind, format, folder: null, force: false };
    const { bytes } = await engine.template(payeeType === null ? asked : { ...asked, payeeType }).result;
    return reply
      .type(types[format])
      .header('content-disposition', `attachment; filename="${templateName(choice)}"`)
      .send(bytes);
  });
}
