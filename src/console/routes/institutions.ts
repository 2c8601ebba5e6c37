/* Institutions: choosing a country, and its list. */

import { countryOfArgument } from '../../engine/institutions.ts';
import { actorOf } from '../access/sessions.ts';
import { pageHasChanged } from '../pages/assets.ts';
import { countriesPage, institutionsPage, readingPage } from '../pages/institutions.ts';
import { PatientWork } from '../under-way/mapping-talks.ts';
import { type Routes, viewerOf } from './context.ts';

/** The pages of institutions. An outdated list is read anew, which may take longer than a page waits. */
export function institutionRoutes({ app, show, engine, words }: Routes): void {
  type Listed = Awaited<ReturnType<typeof engine.institutions>['result']>;
  const reading = new Map<string, PatientWork<Listed>>();

  app.get<{ Querystring: { country?: string } }>('/institutions', async (request, reply) => {
    const { country = '' } = request.query;
    if (country !== '') return reply.redirect(`/institutions/${countryOfArgument(country).code}`, 303);
    const countries = await engine.institutionCountries({}).result;
    return show(request, reply, countriesPage(countries));
  });

  app.get<{ Params: { country: string }; Querystring: { text?: string } }>(
    '/institutions/:country',
    async (request, reply) => {
      const country = countryOfArgument(request.params.country);
      const text = (request.query.text ?? '').trim().slice(0, 200);
      const call = { actor: actorOf(viewerOf(request)), words };
      const work = reading.get(country.code) ?? new PatientWork<Listed>();
      reading.set(country.code, work);
      const listed = await work.take(() => engine.institutions({ country: country.code }, call).result);
      if (listed === null) return show(request, reply, readingPage(country));
      return show(request, reply, institutionsPage(country, listed.snapshot, text));
    },
  );

  const polling = { config: { isPolling: true } };
  app.get<{ Params: { country: string } }>(
    '/institutions/:country/progress',
    polling,
    async (request, reply) => {
      const isUnderWay = reading.get(request.params.country)?.isUnderWay() === true;
      return reply.code(isUnderWay ? 204 : pageHasChanged).send();
    },
  );
}
