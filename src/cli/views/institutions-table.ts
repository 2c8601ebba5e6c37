/* A country's institutions as a terminal shows them. */

import { pagingAdvice } from '../../account/words/advice.ts';
import {
  type Institution,
  type InstitutionSnapshot,
  sortedInstitutions,
  typeOfInstitution,
} from '../../domain/institution.ts';
import { countOf, groupedAmount } from '../../domain/money/figures.ts';
import { inOptions } from '../remedies/remedy-text.ts';
import { type AlignedColumn, alignedTable, type Colour, colourIf, wrapped } from './terminal-text.ts';

/** Neither names nor ids are ever shortened: files have to repeat them in full. */
const columns: readonly AlignedColumn[] = [
  { title: 'name' },
  { title: 'type' },
  { title: 'currency' },
  { title: 'min', isFigure: true },
  { title: 'max', isFigure: true },
  { title: 'id' },
];

/** A country's institutions for a terminal, with how old the list is and whether it is complete. */
export function institutionsTable(
  snapshot: InstitutionSnapshot,
  options: { readonly countryName: string; readonly now: Date; readonly useColour: boolean },
): string {
  const colour = colourIf(options.useColour);
  const { country, institutions } = snapshot;
  const title = `${colour('bold', `${options.countryName} (${country})`)} · ${countOf(institutions.length, 'institution')} · ${ageOf(snapshot, options.now)}`;
  const table =
    institutions.length === 0
      ? []
      : alignedTable(columns, sortedInstitutions(institutions).map(recordOf), colour);
  return [title, '', ...table, ...(table.length > 0 ? [''] : []), ...completeness(snapshot, colour)].join(
    '\n',
  );
}

function recordOf(institution: Institution): string[] {
  const { name, id, currency, minAmount, maxAmount } = institution;
  const limits = [minAmount, maxAmount].map((amount) => (amount === null ? 'none' : groupedAmount(amount)));
  return [name, typeOfInstitution(institution).replace('_', ' '), currency, ...limits, id];
}

function ageOf({ fetchedAt }: InstitutionSnapshot, now: Date): string {
  const minutes = Math.floor((now.getTime() - fetchedAt.getTime()) / 60_000);
  if (minutes < 1) return 'read just now';
  if (minutes < 120) return `read ${countOf(minutes, 'minute')} ago`;
  return `read ${countOf(Math.floor(minutes / 60), 'hour')} ago`;
}

function completeness({ isComplete }: InstitutionSnapshot, colour: Colour): string[] {
  if (isComplete) return ['  The list is complete.'];
  const [first = '', ...others] = wrapped(
    `The list could not be read in full: rows that name another institution are held, not refused. ${inOptions(pagingAdvice)}`,
    '  ',
  );
  return [colour('yellow', first), ...others];
}
