import type { Institution, InstitutionList } from '../domain/institution.ts';
import { createNameSearch, foldName } from '../domain/similar-names.ts';

const nearestNamesShown = 3;

/** Files repeat names, right and wrong ones; the bound keeps memory flat when they do not. */
const rememberedNames = 5_000;

function remember<Answer>(answer: (name: string) => Answer): (name: string) => Answer {
  const answers = new Map<string, Answer>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const fresh = answer(name);
    if (answers.size >= rememberedNames) answers.clear();
    answers.set(name, fresh);
    return fresh;
  };
}

/** The look-ups of one country's institutions. Ids are compared without regard to case, as UUIDs are. */
export function createInstitutionList(
  country: string,
  institutions: readonly Institution[],
  isComplete: boolean,
): InstitutionList {
  const byId = new Map(institutions.map((institution) => [institution.id.toLowerCase(), institution]));
  const byName = new Map<string, Institution[]>();
  for (const institution of institutions) {
    const folded = foldName(institution.name);
    const sameName = byName.get(folded);
    if (sameName === undefined) byName.set(folded, [institution]);
    else sameName.push(institution);
  }
  const search = createNameSearch([...new Set(institutions.map(({ name }) => name))]);
  return {
    country,
    isComplete,
    byId: (id) => byId.get(id.toLowerCase()),
    byName: remember((name) => byName.get(foldName(name)) ?? []),
    nearestNames: remember((name) => search(name, nearestNamesShown)),
  };
}
