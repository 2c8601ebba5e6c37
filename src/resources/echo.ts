import { compareDecimals, parseNumberText } from '../domain/money/money.ts';
import { memberOf } from '../domain/sending/answer.ts';
import type { AnswerDifference, CreationReading } from '../domain/sending/outcome.ts';
import { foldName } from '../domain/text/similar-names.ts';
import type { AnswerReading, Echo, EchoKind, InstitutionName } from './definition.ts';

/** Echoes of fields that the answer repeats under their own names. */
export function echoesOf(fields: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return Object.entries(fields).map(([field, as]) => ({ field, as }));
}

/** What an answer says about the fields that were sent. */
export interface EchoComparison {
  /** Fields that the answer repeats with another value. */
  readonly differing: readonly (Echo & { readonly sent: string; readonly answered: string })[];
  /** Fields that were sent and that the answer does not repeat, or not as text. */
  readonly missing: readonly string[];
}

/**
 * Compares what an answer says about an object with what was sent for it. What is merely written differently
 * is no difference, and what the answer leaves out or gives in another form is none either.
 * @param sent the request's parsed body
 * @param object the answer's JSON of the object
 * @param institutionName without it, no institution's name is compared
 */
export function compareEchoes(
  echoes: readonly Echo[],
  sent: unknown,
  object: unknown,
  institutionName?: InstitutionName,
): EchoComparison {
  const differing: (Echo & { sent: string; answered: string })[] = [];
  const missing: string[] = [];
  for (const { field, as, institutionIn } of echoes) {
    const asked = memberOf(sent, institutionIn ?? field);
    const isId = institutionIn !== undefined && typeof asked === 'string';
    const own = isId ? institutionName?.(asked) : asked;
    if (typeof own !== 'string') continue;
    const theirs = memberOf(object, field);
    if (own === theirs) continue;
    const agrees = isScalar(theirs) ? isSame(own, theirs, as) : undefined;
    if (agrees === undefined) missing.push(field);
    else if (!agrees) differing.push({ field, as, sent: own, answered: String(theirs) });
  }
  return { differing, missing };
}

/**
 * What a 2xx answer says, with its contradictions to the request, fit to be shown.
 * @param body the request's bytes: JSON
 */
export function readCreation(
  echoes: readonly Echo[],
  body: Buffer,
  reading: AnswerReading,
  institutionName?: InstitutionName,
): CreationReading {
  const { id, object } = reading;
  // Parsing the body again costs each row as much as reading its answer.
  if (id === undefined || !echoes.some(({ field }) => memberOf(object, field) !== undefined)) return { id };
  const { differing } = compareEchoes(echoes, JSON.parse(body.toString('utf8')), object, institutionName);
  return differing.length === 0 ? { id } : { id, differences: differing.map(shownDifference) };
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Undefined where the answer's value cannot be compared. */
function isSame(own: string, theirs: string | number, as: EchoKind): boolean | undefined {
  if (as === 'amount') {
    const [left, right] = [amountIn(own), amountIn(String(theirs))];
    return left === undefined || right === undefined ? undefined : compareDecimals(left, right) === 0;
  }
  const [left, right] = [plain(own, as), plain(String(theirs), as)];
  if (left === right) return true;
  // A number has no leading zeros to tell.
  return typeof theirs === 'number' && left.replace(/^0+/, '') === right;
}

function amountIn(text: string): ReturnType<typeof parseNumberText> {
  return parseNumberText(
    text
      .replace(/\s/gu, '')
      .replace(/^\+/, '')
      .replace(/^(-?)0+(?=\d)/, '$1'),
  );
}

/** A value without what people and programs write differently. */
function plain(text: string, as: Exclude<EchoKind, 'amount'>): string {
  const lower = text.normalize('NFC').toLowerCase();
  switch (as) {
    case 'text':
      return lower.trim().replace(/\s+/gu, ' ');
    case 'name':
      return foldName(text).replace(/[^\p{L}\p{N}]/gu, '');
    case 'code':
      return lower.replace(/\s/gu, '');
    case 'uuid':
    case 'account':
      return lower.replace(/[\s\p{Pd}+./()]/gu, '');
    case 'phone':
      return lower.replace(/[\s\p{Pd}+./()]/gu, '').replace(/^00/, '');
  }
}

function shownDifference({
  field,
  as,
  sent,
  answered,
}: EchoComparison['differing'][number]): AnswerDifference {
  return { field, sent: shownValue(sent, as), answered: shownValue(answered, as) };
}

const publicForms: Readonly<Partial<Record<EchoKind, RegExp>>> = {
  amount: /^[\d.+-]{1,40}$/,
  code: /^[a-z][a-z_-]{0,31}$/i,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  name: /^\p{L}[\p{L}\p{M} .,&'’()/-]{0,79}$/u,
};

/** What may be personal, or is of another form than it should be, is hidden but for its end. */
function shownValue(value: string, as: EchoKind): string {
  return publicForms[as]?.test(value) === true ? value : `***${value.slice(-2).replace(/\p{C}/gu, '')}`;
}
