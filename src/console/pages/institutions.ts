/*
 * The pages of institutions: the list of countries, and for each country its banks and mobile money providers with
 * their limits.
 */

import { type Html, html, section } from '../../account/report/page.ts';
import { figure } from '../../account/table.ts';
import { type InstitutionSnapshot, sortedInstitutions, typeOfInstitution } from '../../domain/institution.ts';
import { countOf } from '../../domain/money/money.ts';
import type { NamedCountry } from '../../engine/set-up.ts';
import { option } from './answer-options.ts';
import { type Page, workingPage } from './layout.ts';
import { drawnCell, moment, tableView } from './table.ts';

/** Findings for which the list of institutions helps. */
const codes: ReadonlySet<string> = new Set([
  'institution_unknown',
  'institution_unverifiable',
  'institution_type_mismatch',
  'ambiguous_institution',
  'currency_mismatch',
  'country_mismatch',
  'below_minimum',
  'above_maximum',
]);

/** Links to the lists that help with a finding; null for other findings. */
export function institutionLinks(code: string | null, countries: readonly string[] = []): Html | null {
  if (code === null || !codes.has(code)) return null;
  const [first, second] = countries;
  if (first === undefined) return html` <a href="/institutions">Institutions</a>`;
  if (second === undefined) return html` <a href="/institutions/${first}">Institutions of ${first}</a>`;
  const links = countries.map(
    (country) =>
      html` <a href="/institutions/${country}"><span class="visually-hidden">Institutions of </span>${country}</a>`,
  );
  return html`<div class="soft lists">Institutions:${links}</div>`;
}

/** The content of the page of countries. */
interface CountriesPage {
  /** The countries that have a list in the ledger. */
  readonly known: readonly NamedCountry[];
  readonly all: readonly NamedCountry[];
}

/** The page on which a person chooses a country. */
export function countriesPage({ known, all }: CountriesPage): Page {
  return {
    title: 'Institutions',
    part: '/institutions',
    content: [
      section('Choose a country', [
        html`<p>Rows that name an institution are checked against the list of its country: that it is there, its currency and its limits.</p>`,
        countryForm(all),
      ]),
      known.length === 0
        ? section(
            'No list was read yet',
            html`<p class="empty">The first file that names an institution reads the list of its country, and so does choosing one above.</p>`,
          )
        : section(
            'Countries whose lists were read',
            html`<ul class="files">${known.map(({ code, name }) => html`<li><a href="/institutions/${code}">${name}</a></li>`)}</ul>`,
          ),
    ],
  };
}

function countryForm(all: readonly NamedCountry[]): Html {
  const options = all.map(({ code, name }) => option(code, `${name} (${code})`, false));
  return html`<form class="filter" method="get" action="/institutions"><div><label for="country">Country</label><select id="country" name="country" required><option value="">choose one</option>${options}</select></div>
<div class="actions"><button>Show its institutions</button></div></form>`;
}

/** A country's institutions. @param text a text that the name or the code must contain; empty for all institutions */
export function institutionsPage(country: NamedCountry, snapshot: InstitutionSnapshot, text: string): Page {
  const all = sortedInstitutions(snapshot.institutions);
  const shown = all.filter(({ id, name }) => [id, name].some((value) => plain(value).includes(plain(text))));
  const address = `/institutions/${country.code}`;
  return {
    title: `Institutions of ${country.name}`,
    part: '/institutions',
    content: [
      html`<p><a href="/institutions">Other countries</a></p>`,
      html`<section aria-label="The list"><p class="headline">${countOf(all.length, 'institution')}</p>
<p class="second">Read from the API ${moment(snapshot.fetchedAt.toISOString())}. ${snapshot.isComplete ? 'The list is complete.' : 'The list could not be read in full: rows that name another institution are held, not refused.'}</p>
<form class="filter" method="get" action="${address}"><div><label for="text">Name or code</label><input id="text" name="text" value="${text}" maxlength="200"></div>
<div class="actions"><button>Search</button>${text === '' ? null : html`<a class="button second" href="${address}">All of them</a>`}</div></form></section>`,
      tableView({
        title: text === '' ? 'Institutions' : 'Institutions found',
        columns: ['Code', 'Name', 'Type', 'Currency', figure('Minimum'), figure('Maximum')],
        rows: shown.map((institution) => {
          const { id, name, currency, minAmount, maxAmount } = institution;
          const limits = [minAmount, maxAmount].map((amount) =>
            amount === null ? null : { amount, currency: null },
          );
          return [
            drawnCell(html`<code>${id}</code>`, id),
            name,
            typeOfInstitution(institution).replace('_', ' '),
            currency,
            ...limits,
          ];
        }),
      }) ?? nothingFound(text, address),
    ],
  };
}

function nothingFound(text: string, address: string): Html {
  return text === ''
    ? section(
        'There are none',
        html`<p class="empty">The API lists no institution of this country. Payees there are paid in another way, such as by IBAN.</p>`,
      )
    : section(
        'Nothing was found',
        html`<p class="empty">No name or code contains it. Search for a part of the name, or look at <a href="${address}">all of them</a>.</p>`,
      );
}

/** A text without capitals and accents. */
function plain(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

/** The page while a list is read from the API. */
export function readingPage({ code, name }: NamedCountry): Page {
  return workingPage(
    { title: `Institutions of ${name}`, part: '/institutions' },
    `/institutions/${code}`,
    'The list is read again when it is back.',
    html`<p class="headline">The list is read from the API.</p>
<p>On a console for trying out, this waits for what is being checked or sent.</p>`,
  );
}
