/* The routes about the set-up: the checks, the institutions of a country, and templates to fill in. */

import { type Html, html } from '../../account/report/page.ts';
import { checkText } from '../../account/words/check-text.ts';
import { type Phrasebook, remediesOf } from '../../domain/failures/paybatch-error.ts';
import type { Check } from '../../domain/machine/checks.ts';
import { countOf } from '../../domain/money/money.ts';
import { capital } from '../../domain/settings/message.ts';
import { kinds, payeeTypesOf } from '../../engine/choices.ts';
import { countryOfArgument } from '../../engine/set-up.ts';
import { actorOf } from '../access/sessions.ts';
import { pageHasChanged } from '../pages/assets.ts';
import { countriesPage, institutionsPage, readingPage } from '../pages/institutions.ts';
import { type Frame, type Page, workingPage } from '../pages/layout.ts';
import { pageText } from '../pages/page-words.ts';
import { remediesOffer } from '../pages/remedies.ts';
import { moment, tableView } from '../pages/table.ts';
import { formats, templateName } from '../pages/templates.ts';
import { PageProblem } from '../under-way/failures.ts';
import { PatientWork } from '../under-way/patient-work.ts';
import { type At, type Routes, viewerOf } from './context.ts';

/* Templates to fill in. */

const types = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const;

/** The routes of templates by their names: one for each kind, and one for each payee type. */
export function templateRoutes({ app, engine }: Routes): void {
  const choices = kinds.flatMap((kind) =>
    [null, ...payeeTypesOf(kind)].flatMap((payeeType) =>
      formats.map((format) => ({ kind, payeeType, format })),
    ),
  );
  const byName = new Map(choices.map((choice) => [templateName(choice), choice]));

  app.get<At<'name'>>('/templates/:name', async (request, reply) => {
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

/* The page of checks: the machine, the ledger and the API, the findings, and the remedies. */

/** The checks, and the time at which they were made. */
export interface Examined {
  readonly checks: readonly Check[];
  /** ISO 8601, UTC. */
  readonly at: string;
}

const levelNames: Readonly<Record<Check['level'], string>> = {
  ok: 'In order',
  warning: 'Look at it',
  problem: 'Problem',
};

const again = html`<p><a class="button second" href="/doctor">Check again</a></p>`;

/** The page of finished checks; failed checks come first. */
function doctorPage(frame: Frame, { checks, at }: Examined, words: Phrasebook): Page {
  const wrong = checks.filter(({ level }) => level === 'problem');
  const doubtful = checks.filter(({ level }) => level === 'warning');
  const fine = checks.filter(({ level }) => level === 'ok');
  const shown = [...wrong, ...doubtful, ...fine];
  return {
    title: 'Checks',
    part: '/doctor',
    content: [
      html`<section><p class="headline">${headlineOf(wrong.length, doubtful.length)}</p>
<p class="second">Looked at ${moment(at)}: this machine, the ledger, the API. Nothing was sent but a question for institutions.</p>${again}</section>`,
      tableView({
        title: 'What was found',
        columns: ['Level', 'What', 'Finding'],
        rows: shown.map((check) => [levelNames[check.level], capital(check.what), sentenceOf(check)]),
        shown: html`<ul class="checks">${shown.map((check) => checkOf(frame, check, words))}</ul>`,
      }),
    ],
  };
}

function headlineOf(problems: number, warnings: number): string {
  if (problems > 0) return `${countOf(problems, 'problem')} to solve.`;
  return warnings > 0 ? `No problem, but ${countOf(warnings, 'thing')} to look at.` : 'All is in order.';
}

function checkOf(frame: Frame, check: Check, words: Phrasebook): Html {
  const { level, what, finding } = check;
  const [, remedies = null] = checkText(finding);
  return html`<li class="${level}"><div><b>${capital(what)}</b><span class="level">${levelNames[level]}</span></div>
<p>${sentenceOf(check)}</p>
${remediesOffer(frame, remediesOf(remedies), { upload: null }, words)}</li>
`;
}

function sentenceOf({ finding }: Check): string {
  const [text] = checkText(finding);
  // The program's name is always in lower case.
  return `${finding.code === 'versions' ? pageText(text) : capital(pageText(text))}.`;
}

/** The page while the checks are running. */
function examiningPage(): Page {
  return workingPage(
    { title: 'Checks', part: '/doctor' },
    '/doctor',
    'The checks are made again when it is back.',
    html`<p class="headline">The checks are under way.</p>
<p>On a console for trying out, they wait for what is being checked or sent.</p>`,
  );
}

/**
 * The page of checks. Loading it runs the checks. While the checks of another person are running, their result is
 * shown.
 */
export function doctorRoutes({ app, show, engine, words }: Routes): void {
  const examining = new PatientWork<Awaited<ReturnType<typeof engine.doctor>['result']>>();

  app.get('/doctor', async (request, reply) => {
    const call = { actor: actorOf(viewerOf(request)), words };
    const done = await examining.take(() => engine.doctor({}, call).result);
    if (done === null) return show(request, reply, examiningPage());
    const at = new Date().toISOString();
    return show(request, reply, (frame) => doctorPage(frame, { checks: done.checks, at }, words));
  });

  app.get('/doctor/progress', { config: { isPolling: true } }, async (_request, reply) =>
    reply.code(examining.isUnderWay() ? 204 : pageHasChanged).send(),
  );
}

/* The pages to choose a country and to see its list of institutions. */

/** The pages of institutions. An outdated list is read again, which may take longer than a page waits. */
export function institutionRoutes({ app, show, engine, words }: Routes): void {
  type Listed = Awaited<ReturnType<typeof engine.institutions>['result']>;
  const reading = new Map<string, PatientWork<Listed>>();

  app.get<At>('/institutions', async (request, reply) => {
    const { country = '' } = request.query;
    if (country !== '') return reply.redirect(`/institutions/${countryOfArgument(country).code}`, 303);
    const countries = await engine.institutionCountries({}).result;
    return show(request, reply, countriesPage(countries));
  });

  app.get<At<'country'>>('/institutions/:country', async (request, reply) => {
    const country = countryOfArgument(request.params.country);
    const text = (request.query.text ?? '').trim().slice(0, 200);
    const call = { actor: actorOf(viewerOf(request)), words };
    const work = reading.get(country.code) ?? new PatientWork<Listed>();
    reading.set(country.code, work);
    const listed = await work.take(() => engine.institutions({ country: country.code }, call).result);
    if (listed === null) return show(request, reply, readingPage(country));
    return show(request, reply, institutionsPage(country, listed.snapshot, text));
  });

  const polling = { config: { isPolling: true } };
  app.get<At<'country'>>('/institutions/:country/progress', polling, async (request, reply) => {
    const isUnderWay = reading.get(request.params.country)?.isUnderWay() === true;
    return reply.code(isUnderWay ? 204 : pageHasChanged).send();
  });
}
