import { findingsStem, type NamedInput } from './stem.ts';

/**
 * What the names of several inputs' findings files begin with, each its own: of two inputs with the same
 * name the second gets `NAME.2`. Some file systems do not tell capitals from small letters.
 */
export function findingsStems(inputs: readonly NamedInput[]): string[] {
  const taken = new Set<string>();
  return inputs.map((input) => {
    const stem = findingsStem(input);
    let own = stem;
    for (let number = 2; taken.has(own.toLowerCase()); number += 1) own = `${stem}.${number}`;
    taken.add(own.toLowerCase());
    return own;
  });
}
