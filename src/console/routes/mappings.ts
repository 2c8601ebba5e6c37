/* The pages of remembered mappings. */

import { actorOf } from '../access/sessions.ts';
import { forgetPage, mappingPage, mappingsPage } from '../pages/mappings.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type Routes, viewerOf } from './context.ts';

type Remembered = Awaited<ReturnType<Routes['engine']['rememberedMappings']>['result']>['mappings'][number];

/** Remembered mappings: all of them, one, and forgetting one. */
export function mappingsRoutes({ app, show, engine }: Routes): void {
  const find = async (id: string): Promise<Remembered> => {
    const { mappings } = await engine.rememberedMappings({ isForgotten: false }).result;
    const found = mappings.find((mapping) => mapping.id === id);
    if (found !== undefined) return found;
    throw new PageProblem(
      404,
      'This mapping is not remembered, or not any more.',
      'Look at the page "Mappings".',
    );
  };

  app.get('/mappings', async (request, reply) => {
    const { mappings } = await engine.rememberedMappings({ isForgotten: false }).result;
    return show(request, reply, mappingsPage(mappings));
  });

  app.get<{ Params: { mapping: string } }>('/mappings/:mapping', async (request, reply) => {
    const mapping = await find(request.params.mapping);
    return show(request, reply, (frame) => mappingPage(frame, mapping));
  });

  app.get<{ Params: { mapping: string } }>('/mappings/:mapping/forget', async (request, reply) => {
    const mapping = await find(request.params.mapping);
    return show(request, reply, (frame) => forgetPage(frame, mapping));
  });

  app.post<{ Params: { mapping: string } }>('/mappings/:mapping/forget', async (request, reply) => {
    const { id } = await find(request.params.mapping);
    const actor = actorOf(viewerOf(request));
    await engine.rememberedMappings({ isForgotten: true, id }, { actor }).result;
    return reply.redirect('/mappings', 303);
  });
}
