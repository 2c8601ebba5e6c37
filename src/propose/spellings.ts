/*
 * Values of a question that differ only by case, accents and blanks. A person answers for them once; each
 * keeps its own entry in the mapping.
 */

interface Line {
  readonly value: string;
  readonly proposal: string | null;
  readonly options: readonly { readonly id: string | null }[];
}

/** Lines that one answer is for, each with its place in the question. */
export type SpelledAlike<Own> = readonly [readonly [number, Own], ...(readonly [number, Own])[]];

/** The lines of a question, those that are spelled alike together, as long as the same is proposed for them. */
export function spelledAlike<Own extends Line>(lines: readonly Own[]): readonly SpelledAlike<Own>[] {
  const groups = new Map<string, [readonly [number, Own], ...(readonly [number, Own])[]]>();
  for (const [at, line] of lines.entries()) {
    const { value, proposal, options } = line;
    // That a value is meant as the file has it is the same answer for each spelling.
    const own = (id: string | null): readonly [string | null, boolean] =>
      id === value ? [null, true] : [id, false];
    const key = JSON.stringify([plainSpelling(value), own(proposal), options.map(({ id }) => own(id))]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [[at, line]]);
    else group.push([at, line]);
  }
  return [...groups.values()];
}

function plainSpelling(value: string): string {
  return value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}
