import {
  type Institution,
  type InstitutionList,
  type InstitutionType,
  typeOfInstitution,
} from '../domain/institution.ts';
import { createNameSearch, foldName } from '../domain/text/similar-names.ts';

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

/** What companies are called beside their names, and people leave out. */
const legalForms = /\b(?:ltd|limited|plc)\b/g;

/** A name without what people write differently: case, accents, blanks, signs, legal forms and the word `bank`. */
function foldLoosely(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('.', '')
    .replace(legalForms, '')
    .replace(/[^\p{L}\p{N}&]/gu, '')
    .replaceAll('bank', '');
}

function groupedBy(
  institutions: readonly Institution[],
  keyOf: (name: string) => string,
): ReadonlyMap<string, readonly Institution[]> {
  const groups = new Map<string, Institution[]>();
  for (const institution of institutions) {
    const key = keyOf(institution.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [institution]);
    else group.push(institution);
  }
  return groups;
}

/** The look-ups of one country's institutions. Ids are compared without regard to case, as UUIDs are. */
export function createInstitutionList(
  country: string,
  institutions: readonly Institution[],
  isComplete: boolean,
): InstitutionList {
  const byId = new Map(institutions.map((institution) => [institution.id.toLowerCase(), institution]));
  const byName = groupedBy(institutions, foldName);
  const byLooseName = groupedBy(institutions, foldLoosely);
  const searches = {
    any: searchAmong(institutions),
    bank: searchAmong(ofType(institutions, 'bank')),
    mobile_money: searchAmong(ofType(institutions, 'mobile_money')),
  };
  return {
    country,
    isComplete,
    all: institutions,
    byId: (id) => byId.get(id.toLowerCase()),
    byName: remember((name) => {
      const loose = foldLoosely(name);
      return byName.get(foldName(name)) ?? (loose === '' ? undefined : byLooseName.get(loose)) ?? [];
    }),
    nearestNames: (name, suits) => searches[suits](name),
  };
}

function ofType(institutions: readonly Institution[], type: InstitutionType): readonly Institution[] {
  return institutions.filter((institution) => typeOfInstitution(institution) === type);
}

function searchAmong(institutions: readonly Institution[]): (name: string) => readonly string[] {
  const search = createNameSearch([...new Set(institutions.map(({ name }) => name))]);
  return remember((name) => search(name, nearestNamesShown));
}
