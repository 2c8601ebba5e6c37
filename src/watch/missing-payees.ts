/*
 * Compares the new payees of a file with the known payees of their customers that are missing from it, once the file is
 * read to its end. A missing payee may be paid under another name, at another account. Many names in a payroll are
 * alike. Since payees who are still in the file are left out here, names can be compared much more broadly than row by
 * row.
 */

import type { PayeeChange } from '../domain/rows/finding.ts';
import type { ChangedRow } from '../domain/rows/ledger-row.ts';
import type { NameMarks } from '../domain/text/payee-names.ts';
import { areNamesakes, comparedName, haveSameWords, mayBeOnePayee, shareAWord } from '../kinds/like-names.ts';
import type { NamedPayee } from '../ledger/before-sending/payees.ts';
import { type Candidate, keysOf, type PayeePort } from './payee.ts';
import { byRow } from './payee-comparison.ts';
import type { PayeesOfFile } from './payees-of-file.ts';

/** A row whose payee is new to the ledger although its customer is known. */
export interface NewPayee {
  readonly candidate: Candidate;
  /** Other values of the row that identify its payee, such as a staff number. */
  readonly references: readonly string[];
}

/** The most new payees of a file that are compared. */
export const mostNewPayees = 10_000;

/**
 * Of a customer with up to this many known payees, all names are read. Of one with more, only names are read that are
 * missing from the file and share a word with a new name.
 */
const mostReadAlways = 2_000;

/** A customer with this many known payees is taken for the payee itself, so a wholly new name replaces the old one. */
const payeesOfOneself = 1;

const atOnce = 1_000;

/** A known payee that is missing from the file. */
interface Missing {
  readonly batch: string;
  readonly row: number;
  readonly name: string;
  readonly cells: readonly string[];
  /** Whether a payee of this name is in the file. Then only a reference shows that the missing payee is another one. */
  readonly isNamePaid: boolean;
}

/** @returns the rows that may pay a missing payee, each with the finding */
export async function findReplacing(
  port: PayeePort,
  fresh: readonly NewPayee[],
  paid: PayeesOfFile,
): Promise<ChangedRow[]> {
  const byCustomer = new Map<string, NewPayee[]>();
  for (const each of fresh) {
    const { customer } = each.candidate.signs;
    const own = byCustomer.get(customer);
    if (own === undefined) byCustomer.set(customer, [each]);
    else own.push(each);
  }
  const customers = [...byCustomer.keys()];
  const found: ChangedRow[] = [];
  for (let from = 0; from < customers.length; from += atOnce) {
    const group = customers.slice(from, from + atOnce);
    const wanted: NameOfCustomer[] = [];
    const oneself = new Set<string>();
    for (const { n, names } of await port.findKnownNames(group)) {
      const customer = group[n] ?? '';
      const ofCustomer = byCustomer.get(customer) ?? [];
      const known = new Map<string, NameMarks>();
      for await (const page of names === null ? port.readKnownNames(customer) : [names])
        for (const { name, marks } of page) known.set(name, marks);
      if (names?.length === payeesOfOneself && ofCustomer.length === 1) oneself.add(customer);
      const alike =
        known.size <= mostReadAlways
          ? [...known.keys()]
          : sharingSounds(known, ofCustomer, (name) => paid.hasPayee({ customer, name }));
      for (const name of alike) wanted.push({ customer, name });
    }
    const missing = await readMissing(port, wanted, paid);
    for (const [customer, ofCustomer] of missing) {
      const rows = byCustomer.get(customer) ?? [];
      found.push(...(await replacingIn(port, rows, ofCustomer, { paid, isOneself: oneself.has(customer) })));
    }
  }
  return found;
}

interface NameOfCustomer {
  readonly customer: string;
  readonly name: string;
}

/** The names that share a word with a new name, by their marks, and that no payee of the file has. */
function sharingSounds(
  known: ReadonlyMap<string, NameMarks>,
  fresh: readonly NewPayee[],
  isPaid: (name: string) => boolean,
): string[] {
  const sounds = new Set(
    fresh.flatMap(({ candidate }) => (candidate.signs.marks ?? []).map((mark) => mark >> 8)),
  );
  const isWanted = (marks: NameMarks): boolean =>
    marks === null || marks.some((mark) => sounds.has(mark >> 8));
  return [...known].flatMap(([name, marks]) => (isWanted(marks) && !isPaid(name) ? [name] : []));
}

/** The missing payees by customer, the newest first. */
async function readMissing(
  port: PayeePort,
  names: readonly NameOfCustomer[],
  paid: PayeesOfFile,
): Promise<ReadonlyMap<string, readonly Missing[]>> {
  const missing = new Map<string, Missing[]>();
  const readings = await port.readings();
  for (let from = 0; from < names.length; from += atOnce) {
    const asked = names.slice(from, from + atOnce).map((each, n) => ({ n, ...each }));
    const ofNames = await port.findNamedPayees(asked, readings);
    const isPaid = ({ n, account, ...place }: NamedPayee): boolean => {
      const { customer = '', name = '' } = asked[n] ?? {};
      return paid.wasReplaced(place) || paid.hasAccount({ customer, name, account });
    };
    const present = new Set(ofNames.filter(isPaid));
    const presentOf = byRow([...present]);
    for (const payee of ofNames) {
      if (present.has(payee)) continue;
      const { n, batch, row, name, cells } = payee;
      const customer = asked[n]?.customer ?? '';
      const own = missing.get(customer) ?? [];
      missing.set(customer, own);
      // A payee may have had other accounts before.
      const compared = comparedName(name);
      const isNamePaid = (presentOf.get(n) ?? []).some(
        (each) => !areNamesakes(comparedName(each.name), compared),
      );
      own.push({ batch, row, name, cells, isNamePaid });
    }
  }
  return missing;
}

async function replacingIn(
  port: PayeePort,
  fresh: readonly NewPayee[],
  missing: readonly Missing[],
  { paid, isOneself }: { readonly paid: PayeesOfFile; readonly isOneself: boolean },
): Promise<ChangedRow[]> {
  const found: ChangedRow[] = [];
  const compared = missing.map((each) => ({ ...each, compared: comparedName(each.name) }));
  for (const { candidate, references } of fresh) {
    const family = await familyOf(port, candidate);
    const own = comparedName(candidate.name);
    const unique = references.filter((reference) => !paid.isRepeated(reference));
    const named = compared.filter(({ cells }) => unique.some((reference) => cells.includes(reference)));
    // A value that several payees had last time does not identify one of them.
    const isOfOne = named.every(
      (each) => named[0] !== undefined && haveSameWords(each.compared, named[0].compared),
    );
    const before = compared.find(
      (each) =>
        ((isOfOne && named.includes(each)) ||
          (!each.isNamePaid &&
            (haveSameWords(each.compared, own) ||
              mayBeOnePayee(each.compared, own) ||
              (isOneself && !shareAWord(each.compared, own))))) &&
        !family.has(`${each.batch} ${each.row}`),
    );
    if (before !== undefined) found.push(changedRow(candidate, { batch: before.batch, row: before.row }));
  }
  return found;
}

/** The row that a row corrects, and its other corrections. They do not count as missing. */
async function familyOf(port: PayeePort, { at, relative }: Candidate): Promise<ReadonlySet<string>> {
  if (relative === undefined) return new Set();
  const rows = await port.findFamilyRows([{ n: at, ...relative }]);
  return new Set(rows.map(({ batch, row }) => `${batch} ${row}`));
}

/** A row that pays a known payee at another account, or under another name. */
export function changedRow(candidate: Candidate, earlier: PayeeChange['earlier']): ChangedRow {
  const { row } = candidate;
  const code = 'payee_details_changed' as const;
  return { ...row, changes: [{ row: row.row, code, earlier, keys: keysOf(candidate) }] };
}
