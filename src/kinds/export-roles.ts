/* The meanings that a column of the other side's export can have, besides a compared field, and their usual titles. */

import { columnNames, type Synonyms } from './column-names.ts';
import type { FieldRule } from './definition.ts';
import { normaliseHeader } from './registry.ts';

/** The meanings that a column of an export can have, besides a compared field. */
export const exportRoles = [
  'id',
  'reference',
  'amount',
  'credit',
  'debit',
  'currency',
  'date',
  'group',
  'entry',
  'account',
  'counterparty',
  'text',
] as const;

export type ExportRole = (typeof exportRoles)[number];

export function isExportRole(text: string): text is ExportRole {
  return (exportRoles as readonly string[]).includes(text);
}

/** The titles that mean a role for certain. */
const ownTitles: Readonly<Record<string, ExportRole>> = {
  id: 'id',
  transactionid: 'id',
  objectid: 'id',
  resultid: 'id',
  reference: 'reference',
  clientreference: 'reference',
  externalid: 'reference',
  amount: 'amount',
  currency: 'currency',
  date: 'date',
  datecreated: 'date',
  createdat: 'date',
};

/** The role that a title means for certain. */
export function roleForHeader(title: string): ExportRole | undefined {
  const name = normaliseHeader(title);
  return Object.hasOwn(ownTitles, name) ? ownTitles[name] : undefined;
}

/** A role as it is tried for a column. */
export type RoleRule = Pick<FieldRule, 'field' | 'type' | 'synonyms' | 'description'> & {
  readonly field: ExportRole;
};

/** Names separated by semicolons. */
const names = (text: string): readonly string[] => text.split(';').map((name) => name.trim());

const idNames: Synonyms = {
  en: names(
    'transaction; transaction id; transaction no; transaction number; txn id; trx id; trans id; payment id; payment no; object id; collection id; transfer id; payout id; record id; provider id; system id; uuid; guid',
  ),
  de: names('transaktion; transaktions-id; transaktionsnummer; vorgangsnummer; zahlungs-id; zahlungsnummer'),
  fr: names('transaction; id transaction; identifiant de transaction; n° de transaction; identifiant'),
  es: names('transacción; id transacción; id de transacción; nº de transacción; identificador'),
  pt: names('transação; id da transação; id transação; n° da transação; identificador'),
  it: names('transazione; id transazione; identificativo'),
  nl: names('transactie; transactie-id; transactienummer'),
  sw: names('namba ya muamala; kitambulisho cha muamala'),
  pl: names('id transakcji; numer transakcji'),
};

const referenceNames: Synonyms = {
  en: names(
    'merchant ref; merchant reference; your ref; your reference; customer reference; client reference; external reference; external ref; order id; order reference; payer reference; bill reference; ref no; reference no; reference number; account no; a/c no',
  ),
  de: names('ihre referenz; händlerreferenz; kundenreferenz; ihr zeichen; bestellnummer; bestellung'),
  fr: names('référence marchand; votre référence; référence client; référence externe; commande'),
  es: names('referencia comercio; su referencia; referencia cliente; referencia externa; pedido'),
  pt: names('referência; referência do cliente; sua referência; fatura; nº da fatura; pedido'),
  sw: names('kumbukumbu; rejea; namba ya kumbukumbu'),
};

const amountNames: Synonyms = {
  en: names(
    'amount paid; paid amount; amount received; received; paid; collected; amount collected; transaction amount; gross amount; gross; principal; value paid; settled amount; amount settled; debit amount; credit amount; amount in cents; amount (minor); amount minor',
  ),
  de: names('gezahlter betrag; eingang; umsatz; bezahlt; bezahlter betrag; bruttobetrag'),
  fr: names('montant payé; montant reçu; montant encaissé; montant de la transaction; payé'),
  es: names('importe pagado; monto pagado; importe cobrado; importe recibido; pagado'),
  pt: names('valor; montante; valor pago; valor recebido; quantia; valor da transação'),
  it: names('importo pagato; importo incassato; pagato'),
  nl: names('bedrag; betaald bedrag; ontvangen bedrag'),
  sw: names('kiasi; kiasi kilicholipwa; malipo; jumla'),
  pl: names('kwota; kwota wpłaty; zapłacono'),
};

const dateNames: Synonyms = {
  en: names(
    'created; created on; created at; creation date; date created; date created utc; timestamp; time; transaction date; trans date; payment date; paid at; paid on; paid date; booking date; booked; booked on; posting date; posted; value date; completed; completed at; completion time; initiated; initiation time; date time; datetime; date/time; day',
  ),
  de: names(
    'datum; buchungstag; buchungsdatum; wertstellung; valuta; valutadatum; erstellt; erstellt am; zeitpunkt; gebucht',
  ),
  fr: names(
    'date; date de création; créé le; date opération; date de l’opération; date de valeur; date comptable; date de paiement',
  ),
  es: names('fecha; fecha de creación; creado; fecha operación; fecha valor; fecha de pago'),
  pt: names('data; data de criação; criado em; data do pagamento; data valor; data da transação'),
  it: names('data; data operazione; data valuta; data contabile; creato il; data pagamento'),
  nl: names('datum; boekdatum; aangemaakt; valutadatum; rentedatum'),
  sw: names('tarehe; tarehe ya malipo; muda'),
  pl: names('data; data księgowania; data operacji; data waluty; utworzono'),
};

const creditNames: Synonyms = {
  en: names('credit; credits; paid in; money in; deposit; deposits; credit amount; inflow; received amount'),
  de: names('haben; gutschrift; gutschriften; eingang; einzahlung'),
  fr: names('crédit; credit; encaissement; entrée'),
  es: names('abono; abonos; haber; crédito; ingreso'),
  pt: names('crédito; credito; entrada; entradas'),
  it: names('avere; accrediti; entrate'),
  nl: names('bij; credit'),
  sw: names('fedha zilizoingia'),
  pl: names('uznania; wpływy; uznanie'),
};

const debitNames: Synonyms = {
  en: names('debit; debits; withdrawn; paid out; money out; withdrawal; withdrawals; debit amount; outflow'),
  de: names('soll; lastschrift; belastung; ausgang; auszahlung'),
  fr: names('débit; debit; décaissement; sortie'),
  es: names('cargo; cargos; debe; débito; retiro'),
  pt: names('débito; debito; saída; saídas'),
  it: names('dare; addebiti; uscite'),
  nl: names('af; debet'),
  sw: names('fedha zilizotoka'),
  pl: names('obciążenia; wypływy; obciążenie'),
};

const textNames: Synonyms = {
  en: names(
    'narrative; narration; description; details; transaction details; particulars; payment details; remittance information; memo; message; purpose',
  ),
  de: names('verwendungszweck; buchungstext; beschreibung; text; zweck'),
  fr: names('libellé; motif; description; détails; communication'),
  es: names('concepto; descripción; detalle'),
  pt: names('descrição; descritivo; histórico; detalhes'),
  it: names('causale; descrizione'),
  nl: names('omschrijving; mededelingen'),
  sw: names('maelezo'),
  pl: names('tytuł; tytułem; opis'),
};

/** The roles that are tried for a column. Only a person can state the others. */
export const roleRules: readonly RoleRule[] = [
  {
    field: 'id',
    type: 'uuid',
    description: "The object's id at the API",
    synonyms: idNames,
  },
  {
    field: 'reference',
    type: 'identifier',
    description: 'Our own reference: of a collection, or the external id of a customer',
    synonyms: together(columnNames.clientReference, referenceNames),
  },
  {
    field: 'amount',
    type: 'amount',
    description: 'The amount',
    synonyms: together(columnNames.amount, amountNames),
  },
  {
    field: 'credit',
    type: 'amount',
    description: 'What came in, where debits stand apart',
    synonyms: creditNames,
  },
  {
    field: 'debit',
    type: 'amount',
    description: 'What went out, where credits stand apart',
    synonyms: debitNames,
  },
  {
    field: 'currency',
    type: 'currency',
    description: 'The currency of the amount',
    synonyms: columnNames.currency,
  },
  { field: 'date', type: 'birth_date', description: 'The day on which it was made', synonyms: dateNames },
  { field: 'text', type: 'text', description: 'Words in which our reference may stand', synonyms: textNames },
];

/** Descriptions of the roles that only a person states. */
const furtherDescriptions: Readonly<Partial<Record<ExportRole, string>>> = {
  group: 'What several records have in common that are one of ours: its reference or id',
  entry: "The bank's own number of an entry",
  account: 'The account on which that number counts',
  counterparty: 'Who paid or was paid; only shown',
};

/** The description of a role, for people. */
export function roleDescription(role: ExportRole): string {
  return roleRules.find(({ field }) => field === role)?.description ?? furtherDescriptions[role] ?? '';
}

/** The names of two lists, language by language. */
function together(left: Synonyms, right: Synonyms): Synonyms {
  const languages = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof Synonyms)[];
  return Object.fromEntries(
    languages.map((language) => [language, [...(left[language] ?? []), ...(right[language] ?? [])]]),
  );
}
