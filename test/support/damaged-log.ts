import type { Random } from '../simulation/random.ts';

export const damages = ['changed', 'cut', 'holed', 'swapped'] as const;

/** What can happen to a run log that its writer did not do. */
export type Damage = (typeof damages)[number];

/** A log as some damage leaves it, at a place that chance decides; never the same text. */
export function damaged(text: string, damage: Damage, random: Random): string {
  switch (damage) {
    case 'changed':
      return changed(text, random);
    case 'cut':
      return text.slice(0, random.whole(1, text.length - 2));
    case 'holed':
      return holed(text, random);
    case 'swapped':
      return swapped(text, random);
  }
}

/** One letter or digit is another one. */
function changed(text: string, random: Random): string {
  for (;;) {
    const at = random.whole(0, text.length - 1);
    const character = text.charAt(at);
    if (!/[0-9a-z]/.test(character)) continue;
    const other = /\d/.test(character)
      ? String((Number(character) + random.whole(1, 9)) % 10)
      : random.pick(['q', 'z']);
    return text.slice(0, at) + other + text.slice(at + 1);
  }
}

/** Lines are missing between the first and the last one. */
function holed(text: string, random: Random): string {
  const lines = text.trimEnd().split('\n');
  const from = random.whole(1, lines.length - 3);
  const count = Math.min(random.pick([1, 2, 5, 40]), lines.length - 1 - from);
  return `${[...lines.slice(0, from), ...lines.slice(from + count)].join('\n')}\n`;
}

function swapped(text: string, random: Random): string {
  const lines = text.trimEnd().split('\n');
  const one = random.whole(0, lines.length - 2);
  const other = random.whole(one + 1, Math.min(lines.length - 1, one + random.pick([1, 1, 30])));
  const [first = '', second = ''] = [lines[one], lines[other]];
  lines[one] = second;
  lines[other] = first;
  return `${lines.join('\n')}\n`;
}
