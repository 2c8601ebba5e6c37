/* Amounts that a file writes in thousands, millions or hundredths of their currency, once a person has agreed. */

import { readFileSync } from 'node:fs';
import { formatDecimal, parseDecimal, withoutTrailingZeros } from '../../domain/money/money.ts';
import { foldWord, type Repair } from '../../domain/tables/mapping.ts';

/** The repair of a column whose amounts are in another unit than their currency. */
export type UnitRepair = Extract<Repair, 'amounts_in_thousands' | 'amounts_in_millions' | 'amounts_in_cents'>;

/** The power of ten by which each amount of such a column is multiplied, and the unit in a sentence. */
const units: Readonly<Record<UnitRepair, { readonly power: number; readonly inWords: string }>> = {
  amounts_in_thousands: { power: 3, inWords: ' in thousands' },
  amounts_in_millions: { power: 6, inWords: ' in millions' },
  amounts_in_cents: { power: -2, inWords: ' in cents' },
};

export const unitRepairs = Object.keys(units) as readonly UnitRepair[];

/** The power of ten of a column's unit; undefined for amounts that are in their currency. */
export function powerOf(repairs: ReadonlySet<Repair> | undefined): number | undefined {
  const name = unitRepairs.find((each) => repairs?.has(each) === true);
  return name === undefined ? undefined : units[name].power;
}

/** ` in thousands`; empty for amounts that are in their currency. */
export function unitInWords(power: number | undefined): string {
  return Object.values(units).find((unit) => unit.power === power)?.inWords ?? '';
}

/**
 * A plain amount multiplied by a power of ten, exactly: `47.2` thousands are `47200`, and `12550` cents are `125.50`.
 * Other texts stay as they are.
 */
export function inCurrencyUnits(plain: string, power: number): string {
  const number = parseDecimal(plain);
  if (number === undefined) return plain;
  const scale = number.scale - power;
  return formatDecimal(
    scale >= 0
      ? { units: number.units, scale }
      : withoutTrailingZeros({ units: number.units * 10n ** BigInt(-scale), scale: 0 }),
  );
}

/** The words for each unit in a title, by their form that `foldWord` returns. */
const unitsByWord: ReadonlyMap<string, UnitRepair> = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL('./amount-units.json', import.meta.url), 'utf8')) as Readonly<
      Record<UnitRepair, readonly string[]>
    >,
  ).flatMap(([name, lines]) =>
    lines.flatMap((line) => line.split('; ').map((word) => [foldWord(word), name as UnitRepair] as const)),
  ),
);

/** The unit that a title names: `Reste (milliers FCFA)`, `amount_in_cents`, `Net '000`; undefined for most titles. */
export function unitNamed(title: string): UnitRepair | undefined {
  const apart = title.replace(/_/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  const words = foldWord(apart).match(/['’]?[\p{L}\p{M}\p{N}€$£]+\.?/gu) ?? [];
  const phrases = words.flatMap((word, at) => [`${word} ${words[at + 1] ?? ''}`, word]);
  for (const phrase of phrases) {
    const found = unitsByWord.get(phrase) ?? unitsByWord.get(phrase.replace(/\.$/, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}
