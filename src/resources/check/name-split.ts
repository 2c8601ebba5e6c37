import type { NameOrder, NamePart } from '../../domain/tables/mapping.ts';

/** Words that belong to the name that follows them: of Portuguese, Spanish, French, Dutch, German, Arabic and others. */
const particles: ReadonlySet<string> = new Set(
  [
    'da das de del della dello der den des di do dos du e el la las le les lo los y',
    'van vande vander von vom zu zum zur ter ten te af av auf',
    'al ad ar as ash at az bin bint binti ibn ben bat abd abu ap ould wa wad st st. san santa',
  ]
    .join(' ')
    .split(' '),
);

/** The parts of a full name; a part that nobody gave is empty. */
export type SplitName = Readonly<Record<NamePart, string>>;

/**
 * Splits a full name; all parts together are the whole name. A comma says by itself that the last name comes first.
 *
 * @param hasMiddle whether what stands between the first and the last name is a part of its own
 * @returns undefined for several commas, which do not say which part is which
 */
export function splitName(text: string, order: NameOrder, hasMiddle: boolean): SplitName | undefined {
  const sides = text.split(',').map((side) => side.trim());
  if (sides.length > 2) return undefined;
  const [left = '', right] = sides;
  if (right !== undefined) {
    const [first, middle] = hasMiddle ? firstOf(namesIn(right)) : [right, ''];
    return { first_name: first, middle_name: middle, last_name: left };
  }
  const names = namesIn(left);
  if (names.length < 2) {
    const only = names.join(' ');
    return order === 'first_last'
      ? { first_name: only, middle_name: '', last_name: '' }
      : { first_name: '', middle_name: '', last_name: only };
  }
  if (order === 'last_first') {
    const [last = '', ...others] = names;
    const [first, middle] = hasMiddle ? firstOf(others) : [others.join(' '), ''];
    return { first_name: first, middle_name: middle, last_name: last };
  }
  const [first = '', ...others] = names;
  if (!hasMiddle) return { first_name: first, middle_name: '', last_name: others.join(' ') };
  return { first_name: first, middle_name: others.slice(0, -1).join(' '), last_name: others.at(-1) ?? '' };
}

function firstOf([first = '', ...others]: readonly string[]): readonly [first: string, others: string] {
  return [first, others.join(' ')];
}

/** Names with the particles before them: `Ana`, `dos Santos`. Of two words, each is a name: `Ben Otieno`. */
function namesIn(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const names: string[] = [];
  let open: string[] = [];
  for (const word of words) {
    open.push(word);
    if (particles.has(word.toLowerCase())) continue;
    names.push(open.join(' '));
    open = [];
  }
  if (open.length > 0) names.push(open.join(' '));
  const [first = ''] = names;
  if (names.length > 1 || words.length < 2) return names;
  return [words[0] ?? '', first.slice((words[0] ?? '').length).trim()];
}
