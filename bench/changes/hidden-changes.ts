import type { Random } from '../../test/simulation/random.ts';
import type { MonthRow, Payee } from './month-row.ts';

/** What hidden changes are made of. */
interface Around {
  /** A payee whose account another payee takes over, and who is then not paid. */
  readonly takeDonor: (like: Payee) => Payee;
  readonly withAccountOf: (payee: Payee, donor: Payee) => Payee;
  readonly random: Random;
}

/** The ways to hide that a known payee, or a new one, is paid elsewhere. */
export const hiddenKinds = [
  'one letter changed',
  'an initial',
  'a short or long form',
  'joined words',
  'a wholly new name',
  'a new payee with two accounts',
  'one account under two spellings',
] as const;

export type HiddenKind = (typeof hiddenKinds)[number];

/** The rows by which a payee of the first month is paid elsewhere, in one of these ways. */
export function hiddenChange(payee: Payee, kind: HiddenKind, around: Around): readonly MonthRow[] {
  const { takeDonor, withAccountOf, random } = around;
  const name = payee['account_name'] ?? '';
  const donor = takeDonor(payee);
  const elsewhere = (written: string): MonthRow => ({
    record: { ...withAccountOf(payee, donor), account_name: written },
    expected: 'payee_details_changed',
    what: `${kind} (before: ${name})`,
    kind,
  });
  switch (kind) {
    case 'one letter changed':
      return [elsewhere(withOtherLetter(name, random))];
    case 'an initial':
      return [elsewhere(withInitial(name))];
    case 'a short or long form':
      return [elsewhere(withOtherForm(name) ?? withOtherLetter(name, random))];
    case 'joined words':
      return [elsewhere(name.replace(/(?<=\p{L}) (?=\p{L})/u, ''))];
    case 'a wholly new name':
      return [elsewhere('Xaviera Quibble')];
    case 'a new payee with two accounts': {
      const other = takeDonor(donor);
      const first = { record: donor, expected: null, what: 'a new payee', kind: 'beside' } as const;
      const written = donor['account_name'] ?? '';
      const record = {
        ...withAccountOf(donor, other),
        account_name: written,
        reference: other['reference'] ?? '',
      };
      // The payee is still paid as before.
      const before = { record: payee, expected: null, what: 'the same' } as const;
      return [
        before,
        first,
        {
          record,
          expected: 'payee_details_changed',
          what: `${kind}: ${written}`,
          kind,
          contradicts: first,
        },
      ];
    }
    case 'one account under two spellings': {
      const other = takeDonor(donor);
      const first = { record: donor, expected: null, what: 'a new payee', kind: 'beside' } as const;
      const written = withOtherLetter(donor['account_name'] ?? '', random);
      const record = { ...withAccountOf(other, donor), account_name: written };
      const before = { record: payee, expected: null, what: 'the same' } as const;
      const what = `${kind}: ${written}`;
      return [before, first, { record, expected: 'account_shared', what, kind, contradicts: first }];
    }
  }
}

function withOtherLetter(name: string, random: Random): string {
  const places = [...name.matchAll(/(?<=\p{L})\p{Ll}/gu)].map(({ index }) => index);
  const at = random.pick(places.length === 0 ? [0] : places);
  const letter = random.pick([...'aeiounrstl'].filter((each) => each !== name[at]));
  return `${name.slice(0, at)}${letter}${name.slice(at + 1)}`;
}

function withInitial(name: string): string {
  const [first = '', ...others] = name.split(' ');
  return `${first.charAt(0)}. ${others.join(' ')}`;
}

/** Names and what people call those who have them. */
const otherForms = [
  ...[
    ['John', 'Jon'],
    ['Sarah', 'Sara'],
    ['Mohammed', 'Muhammad'],
    ['Elizabeth', 'Liz'],
    ['Joseph', 'Joe'],
  ],
  ...[
    ['Michael', 'Mike'],
    ['Stephen', 'Steven'],
    ['Catherine', 'Kate'],
    ['Robert', 'Bob'],
    ['William', 'Bill'],
  ],
  ...[
    ['Christopher', 'Chris'],
    ['Daniel', 'Dan'],
    ['Samuel', 'Sam'],
    ['Patricia', 'Pat'],
    ['James', 'Jim'],
  ],
  ...[
    ['Fatima', 'Fatuma'],
    ['Ibrahim', 'Abraham'],
    ['Margaret', 'Maggie'],
    ['Peter', 'Pete'],
    ['David', 'Dave'],
  ],
];

function withOtherForm(name: string): string | undefined {
  for (const [long = '', short = ''] of otherForms) {
    if (name.includes(long)) return name.replace(long, short);
    if (name.split(' ').includes(short)) return name.replace(short, long);
  }
  const [first = '', ...others] = name.split(' ');
  return first.length < 6 || others.length === 0 ? undefined : [first.slice(0, 4), ...others].join(' ');
}
