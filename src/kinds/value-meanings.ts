/**
 * What people write in columns of few values, in the languages of their files, and the word that it means. It is
 * evidence for a proposal: a word that the API's specification does not show is sent only after a person has confirmed it.
 * Case, accents and signs do not count.
 */

type Meanings = Readonly<Record<string, readonly string[]>>;

const male = [
  'm',
  'male',
  'man',
  'mr',
  'herr',
  'mann',
  'männlich',
  'maennlich',
  'homme',
  'h',
  'masculin',
  'masc',
  'masculino',
  'hombre',
  'varón',
  'maschio',
  'uomo',
  'maschile',
  'man',
  'mannelijk',
  'mume',
  'mwanamume',
  'homem',
  'sr',
  'monsieur',
  ...['mężczyzna', 'pan', 'mand', 'mann', 'mies', 'muž', 'bărbat', 'masculin', 'erkek', 'bay', 'férfi'],
];
const female = [
  'f',
  'w',
  'female',
  'woman',
  'mrs',
  'ms',
  'miss',
  'frau',
  'weiblich',
  'femme',
  'féminin',
  'fem',
  'feminino',
  'femenino',
  'mujer',
  'femmina',
  'donna',
  'femminile',
  'vrouw',
  'vrouwelijk',
  'mke',
  'mwanamke',
  'mulher',
  'sra',
  'srta',
  'madame',
  'mme',
  'mlle',
  ...[
    'kobieta',
    'pani',
    'kvinna',
    'kvinde',
    'kvinne',
    'nainen',
    'žena',
    'femeie',
    'feminin',
    'kadın',
    'bayan',
  ],
];

const individual = [
  ...[
    'individual',
    'person',
    'private',
    'private person',
    'personal',
    'natural person',
    'sole prop',
    'sole proprietor',
    'sole trader',
    'self employed',
    'freelancer',
    'consumer',
    'retail',
    'ind',
    'indiv',
    'p',
  ],
  ...[
    'privat',
    'privatperson',
    'privatkunde',
    'natürliche person',
    'freiberufler',
    'selbständig',
    'selbstständig',
    'einzelunternehmer',
    'einzelperson',
  ],
  ...['particulier', 'part', 'personne physique', 'p physique', 'indépendant', 'auto entrepreneur', 'privé'],
  ...['persona física', 'p física', 'persona natural', 'particular', 'autónomo', 'autonomo', 'individuo'],
  ...['pessoa física', 'pf', 'pessoa singular', 'empresário em nome individual', 'mei', 'individual'],
  ...['persona fisica', 'privato', 'libero professionista', 'ditta individuale'],
  ...['particulier', 'natuurlijk persoon', 'zzp', 'zzper', 'eenmanszaak', 'mtu binafsi', 'binafsi'],
  ...['osoba fizyczna', 'os fizyczna', 'osoba prywatna', 'jdg', 'jednoosobowa działalność gospodarcza'],
  ...['privatperson', 'fysisk person', 'enskild firma', 'enkeltmandsvirksomhed', 'enkeltpersonforetak'],
  ...[
    'yksityishenkilö',
    'luonnollinen henkilö',
    'toiminimi',
    'fyzická osoba',
    'osvč',
    'persoană fizică',
    'pfa',
  ],
  ...[
    'gerçek kişi',
    'şahıs',
    'şahıs şirketi',
    'bireysel',
    'magánszemély',
    'egyéni vállalkozó',
    'persona fisica',
    'pers fisica',
    'ditta ind',
  ],
];
const business = [
  ...[
    'business',
    'company',
    'co',
    'corporate',
    'corporation',
    'corp',
    'firm',
    'legal entity',
    'legal person',
    'organisation',
    'organization',
    'org',
    'ltd',
    'llc',
    'inc',
    'ngo',
    'partnership',
    'entity',
    'enterprise',
    'commercial',
  ],
  ...[
    'firma',
    'unternehmen',
    'gewerblich',
    'gewerbe',
    'geschäftlich',
    'juristische person',
    'gmbh',
    'verein',
    'geschäftskunde',
    'gesellschaft',
  ],
  ...[
    'société',
    'sté',
    'ste',
    'entreprise',
    'personne morale',
    'p morale',
    'professionnel',
    'pro',
    'association',
  ],
  ...['persona jurídica', 'p jurídica', 'empresa', 'sociedad', 'compañía', 'persona moral'],
  ...['pessoa jurídica', 'pj', 'pessoa coletiva', 'sociedade'],
  ...['persona giuridica', 'azienda', 'società', 'impresa', 'ditta'],
  ...['bedrijf', 'zakelijk', 'rechtspersoon', 'onderneming', 'vennootschap', 'kampuni', 'shirika'],
  ...['bv', 'nv', 'stichting', 'vof', 'persona giuridica', 'pers giuridica', 'pg', 'srl', 'spa'],
  ...['osoba prawna', 'os prawna', 'spółka', 'spółka z o o', 'sp z o o', 'przedsiębiorstwo', 'fundacja'],
  ...[
    'företag',
    'aktiebolag',
    'juridisk person',
    'bolag',
    'förening',
    'erhverv',
    'selskab',
    'selskap',
    'bedrift',
  ],
  ...[
    'yritys',
    'yhtiö',
    'osakeyhtiö',
    'oy',
    'yhdistys',
    'právnická osoba',
    'společnost',
    'persoană juridică',
  ],
  ...[
    'tüzel kişi',
    'şirket',
    'kurumsal',
    'cég',
    'vállalkozás',
    'kft',
    's corp',
    'c corp',
    'nonprofit',
    'non profit',
  ],
];
const checking = [
  'checking',
  'chk',
  'check',
  'chequing',
  'cheque',
  'c',
  'ck',
  'current',
  'current account',
  'cur',
  'dda',
  'demand',
  'girokonto',
  'giro',
  'compte courant',
  'courant',
  'cuenta corriente',
  'corriente',
  'conta corrente',
  'corrente',
  'cc',
  'conto corrente',
  'betaalrekening',
  ...[
    'rachunek bieżący',
    'bieżący',
    'lönekonto',
    'transaktionskonto',
    'brukskonto',
    'käyttötili',
    'běžný účet',
    'běžný',
  ],
  ...['cont curent', 'vadesiz', 'vadesiz hesap', 'folyószámla', 'hundi'],
];
const savings = [
  'savings',
  'saving',
  'sav',
  'svg',
  's',
  'sa',
  'savings account',
  'sparkonto',
  'spar',
  'sparbuch',
  'épargne',
  'compte épargne',
  'ahorro',
  'ahorros',
  'caja de ahorro',
  'poupança',
  'conta poupança',
  'risparmio',
  'spaarrekening',
  'akiba',
  ...['oszczędnościowy', 'rachunek oszczędnościowy', 'sparekonto', 'säästötili', 'spořicí', 'spořicí účet'],
  ...['cont de economii', 'economii', 'tasarruf', 'vadeli', 'megtakarítási számla'],
];

const meanings: Readonly<Record<string, Meanings>> = {
  gender: { male, female },
  account_owner_type: { individual, business },
  type: { individual, business },
  account_type: { checking, savings },
  payee_type: {
    mobile_money: ['mobile money', 'momo', 'mobile', 'mobile wallet', 'wallet', 'mpesa', 'm-pesa', 'mm'],
    bank_account: ['bank', 'bank account', 'bank transfer', 'eft', 'rtgs'],
    bank_account_us: ['ach', 'us bank', 'bank account us', 'us ach'],
    sepa: ['sepa', 'sepa transfer', 'sct', 'iban'],
  },
  methods: { mobile_money: ['mobile money', 'momo', 'mobile', 'mm', 'mpesa', 'm-pesa'] },
  blockchain_network: { polygon: ['polygon', 'matic', 'polygon pos'] },
};

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const meaningsByField = new Map(
  Object.entries(meanings).map(([field, words]): [string, ReadonlyMap<string, string>] => [
    field,
    new Map(
      Object.entries(words).flatMap(([meaning, names]) =>
        [meaning, ...names].map((name): [string, string] => [plain(name), meaning]),
      ),
    ),
  ]),
);

/** Whether a field's values are a small set, closed or by convention. */
export function hasMeanings(field: string): boolean {
  return meaningsByField.has(field);
}

/** The word that a value of a field means, undefined where it is not known. */
export function meaningOf(field: string, value: string): string | undefined {
  return meaningsByField.get(field)?.get(plain(value));
}

/**
 * The same for the values of one column, where one value explains another: `M` is a woman beside `H` (hombre, mujer), and
 * may be either beside `V` (varón, mujer; man, vrouw), unless an `F` shows that it is a man.
 */
export function meaningsIn(field: string, values: readonly string[]): (value: string) => string | undefined {
  const letters = new Set(values.map(plain).filter((value) => value.length === 1));
  const isWomanM = field === 'gender' && letters.has('h') && letters.has('m') && !letters.has('f');
  const isUnclear = field === 'gender' && letters.has('v') && letters.has('m') && !letters.has('f');
  return (value) => {
    const letter = plain(value);
    if (isUnclear && (letter === 'm' || letter === 'v')) return undefined;
    return isWomanM && letter === 'm' ? 'female' : meaningOf(field, value);
  };
}

/** The words that the values of a field may mean, whether or not the API's specification has shown them. */
export function knownMeanings(field: string): readonly string[] {
  return Object.keys(meanings[field] ?? {});
}
