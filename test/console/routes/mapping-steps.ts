/* Steps of a person through the pages on which a file's reading is agreed on. */

import { expect } from 'vitest';
import { type Shown, uploadAndCheck, type Visitor } from '../../support/console.ts';

const header = 'Kd-Nr;Vorname;Nachname;E-Mail;Geschlecht;Bemerkung <script>alert(1)</script>';

/** The list of a partner, with a gender for each row. */
export function list(genders: readonly string[], month = 'nov'): string {
  const rows = genders.map((gender, at) =>
    [
      `${month}-${at}`,
      'Lena',
      `Vogel${month}${at}`,
      `l${at}.${month}@post.example`,
      gender,
      '<img src=x onerror=alert(2)>',
    ].join(';'),
  );
  return `${[header, ...rows].join('\r\n')}\r\n`;
}

export const genders = ['M', 'W', 'M', 'W', 'M'];

/** Uploads a file with unknown columns, which leads to its reading. */
export async function beginMapping(
  visitor: Visitor,
  name = 'list <b>.csv',
  content: string | Buffer = list(genders),
): Promise<Shown> {
  const { path } = await uploadAndCheck(visitor, [{ name, content }]);
  expect(path).toMatch(/^\/uploads\/[^/]+\/mapping\/1$/);
  return open(visitor, path);
}

/** A page of the dialogue, once the file was looked at. */
export function open(visitor: Visitor, address: string): Promise<Shown> {
  return visitor.until(address, ({ text }) => !text.includes('Looking at the file'));
}

export function headingOf({ text }: Shown): string {
  return /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';
}

/** The fields that the unchanged form of a page would send. */
export function fieldsOf({ text }: Shown): Record<string, string> {
  const fields: Record<string, string> = { turn: /name="turn" value="(\d+)"/.exec(text)?.[1] ?? '' };
  for (const [, name = '', options = ''] of text.matchAll(
    /<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs,
  ))
    fields[name] = /<option value="([^"]*)" selected>/.exec(options)?.[1] ?? '';
  for (const [, name = '', value = ''] of text.matchAll(
    /type="radio" name="([^"]+)" value="([^"]*)" checked/g,
  ))
    fields[name] = value;
  return fields;
}

export async function say(
  visitor: Visitor,
  shown: Shown,
  fields: Record<string, string> = {},
): Promise<Shown> {
  const next = await visitor.post(shown.path, { ...fieldsOf(shown), do: 'answer', ...fields });
  return open(visitor, next.path).then((page) => (next.status === 200 ? page : next));
}

/** Answers all that is asked: genders by what they mean, everything else as proposed. */
export async function sayAll(visitor: Visitor, first: Shown): Promise<Shown> {
  let shown = first;
  const asked: string[] = [];
  while (shown.text.includes('name="turn"')) {
    asked.push(headingOf(shown));
    expect(asked.length).toBeLessThan(10);
    const meanings = shown.text.includes('name="value.0"') ? meaningsIn(shown) : {};
    shown = await say(visitor, shown, meanings);
  }
  return visitor.until(shown.path, ({ text }) => !text.includes('id="progress"'));
}

/** What M and W mean, by their places on the page. */
export function meaningsIn({ text }: Shown): Record<string, string> {
  const values = [...text.matchAll(/id="value-(\d+)">([^<]*)</g)];
  const words: Readonly<Record<string, string>> = { M: 'word:male', W: 'word:female' };
  return Object.fromEntries(
    values.map(([, at = '', value = '']) => [`value.${at}`, words[value] ?? 'refuse']),
  );
}
