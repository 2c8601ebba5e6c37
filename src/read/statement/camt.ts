/* CAMT.053 and CAMT.054: how a statement of ISO 20022 is recognised, and its entries. */

import { type InputLimits, limitExceeded } from '../file/input-error.ts';
import { type XmlAttributes, type XmlDocument, type XmlHandler, XmlReader } from '../file/xml.ts';
import {
  damagedStatement,
  interimReport,
  type StatementEntry,
  type StatementFormat,
  signedAmount,
  UnknownStatement,
  unitsOf,
  withoutPlaceholder,
} from './entry.ts';

/** Statements and notifications of ISO 20022. */
export const camt: StatementFormat = {
  name: 'camt',
  messages: ['CAMT.053', 'CAMT.054'],
  recognises: isStatementMessage,
  entries: (bytes, { limits }) => entriesOf(bytes, limits),
};

const isoMessage = /urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3}\.\d{3}\.\d{2})/;

function isStatementMessage(start: string): boolean {
  const text = start.trimStart();
  const message = text.startsWith('<') ? isoMessage.exec(text)?.[1] : undefined;
  if (message === undefined) return false;
  if (message.startsWith('camt.053.') || message.startsWith('camt.054.')) return true;
  if (message.startsWith('camt.052.')) throw interimReport(`a ${message} message`);
  throw new UnknownStatement(`This is a ${message} message, and no statement`);
}

/** The errors with which the XML reader refuses a statement. */
const aStatement: XmlDocument = {
  damaged: damagedStatement,
  documentType: () =>
    damagedStatement('it has a document type, with entities of its own, which no bank writes'),
};

async function* entriesOf(
  bytes: AsyncIterable<Buffer>,
  limits: InputLimits,
): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new XmlReader(new CamtReader((entry) => found.push(entry)), limits, aStatement);
  for await (const chunk of bytes) {
    reader.write(chunk);
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

/** The common parts of an entry and its payments. */
interface Booking {
  amount: string;
  currency: string;
  direction: string;
  isReversal: boolean;
  reference: string;
  texts: string[];
  /** Names and accounts of the payer and the payee. */
  readonly parties: { readonly [Party in 'Dbtr' | 'Cdtr']: string[] };
}

interface Entry extends Booking {
  status: string;
  date: string;
  payments: Booking[];
}

const mostPayments = 200_000;

function emptyBooking(): Booking {
  const parties = { Dbtr: [], Cdtr: [] };
  return { amount: '', currency: '', direction: '', isReversal: false, reference: '', texts: [], parties };
}

/** The elements of an entry or a payment that may hold free text or a reference of the payer. */
const textElements: ReadonlySet<string> = new Set([
  ...['EndToEndId', 'InstrId', 'PmtInfId', 'Ustrd', 'Ref', 'AddtlRmtInf', 'AddtlTxInf', 'AddtlNtryInf'],
]);

/**
 * Takes the XML events of a CAMT.053 or CAMT.054 document (ISO 20022, any version) and gives its entries, in any
 * number of statements. An entry that books several payments is split into them if it has their amounts and these add
 * up to it exactly; else it stays one.
 */
class CamtReader implements XmlHandler {
  readonly #take: (entry: StatementEntry) => void;
  readonly #path: string[] = [];
  #text = '';
  #statement = '';
  #account = '';
  #entry: Entry | null = null;
  #payment: Booking | null = null;

  constructor(take: (entry: StatementEntry) => void) {
    this.#take = take;
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#path.push(name);
    this.#text = '';
    if (name === 'Stmt' || name === 'Ntfctn') [this.#statement, this.#account] = ['', ''];
    else if (name === 'Ntry') this.#entry = { ...emptyBooking(), status: '', date: '', payments: [] };
    else if (name === 'TxDtls' && this.#entry !== null) this.#payment = emptyBooking();
    else if (name === 'Amt') this.#openAmount(attributes);
  }

  text(text: string): void {
    this.#text += text;
  }

  close(name: string): void {
    const text = this.#text.trim();
    this.#text = '';
    this.#path.pop();
    const parent = this.#path.at(-1) ?? '';
    if (name === 'TxDtls') this.#closePayment();
    else if (name === 'Ntry') this.#closeEntry();
    else if (this.#entry === null) this.#closeStatementElement(name, parent, text);
    else this.#closeElement(this.#entry, name, parent, text);
  }

  #openAmount(attributes: XmlAttributes): void {
    const booking = this.#bookingOfAmount(this.#path.at(-2) ?? '');
    if (booking !== null) booking.currency = attributes['Ccy'] ?? '';
  }

  /** The amount of the entry or payment itself; not charges or instructed amounts. */
  #bookingOfAmount(parent: string): Booking | null {
    if (parent === 'Ntry') return this.#entry;
    return parent === 'TxDtls' || parent === 'TxAmt' ? this.#payment : null;
  }

  #closeStatementElement(name: string, parent: string, text: string): void {
    if (name === 'Id' && (parent === 'Stmt' || parent === 'Ntfctn')) this.#statement = text;
    if (name === 'IBAN' && this.#path.at(-2) === 'Acct') this.#account = text;
    // The first version has the elements `BBAN` and `PrtryAcct` for accounts without IBAN.
    if (name === 'BBAN' && this.#path.at(-2) === 'Acct') this.#account = text;
    if (name === 'Id' && /^(?:Othr|PrtryAcct)$/.test(parent) && this.#path.at(-3) === 'Acct') {
      this.#account = text;
    }
  }

  #closeElement(entry: Entry, name: string, parent: string, text: string): void {
    const booking = this.#payment ?? entry;
    if (name === 'Amt') {
      const owner = this.#bookingOfAmount(parent);
      if (owner !== null) owner.amount = text;
    } else if (name === 'CdtDbtInd' && (parent === 'Ntry' || parent === 'TxDtls')) booking.direction = text;
    else if (name === 'RvslInd' && (parent === 'Ntry' || parent === 'TxDtls')) {
      booking.isReversal = text === 'true' || text === '1';
    } else if (name === 'AcctSvcrRef' && (parent === 'Ntry' || parent === 'Refs'))
      booking.reference = withoutPlaceholder(text);
    else if (parent === 'Ntry' && name === 'Sts') entry.status ||= text;
    else if (parent === 'Sts' && name === 'Cd') entry.status = text;
    else if (parent === 'BookgDt') entry.date = text.slice(0, 10);
    else if (textElements.has(name)) booking.texts.push(withoutPlaceholder(text));
    else if (name === 'Nm' || name === 'IBAN' || name === 'Id') this.#closeParty(booking, text);
  }

  /** Takes a party's name, which has its address beside it, or its account number. */
  #closeParty({ parties }: Booking, text: string): void {
    const at = this.#path.lastIndexOf('RltdPties');
    const [, party = '', ...below] = at === -1 ? [] : this.#path.slice(at);
    const [, of, isAccount] = /^(Dbtr|Cdtr)(Acct)?$/.exec(party) ?? [];
    // Deeper elements are other identifiers, such as a tax number.
    const isOwn = isAccount === undefined ? below.every((name) => name === 'Pty') : below[0] === 'Id';
    if ((of === 'Dbtr' || of === 'Cdtr') && isOwn && text !== '') parties[of].push(text);
  }

  #closePayment(): void {
    const [entry, payment] = [this.#entry, this.#payment];
    this.#payment = null;
    if (entry === null || payment === null) return;
    if (entry.payments.length >= mostPayments) {
      throw limitExceeded(`an entry books more than ${mostPayments} payments`, 'split it into several files');
    }
    entry.payments.push(payment);
  }

  #closeEntry(): void {
    const entry = this.#entry;
    this.#entry = null;
    if (entry === null) return;
    const amount = directed(entry, entry);
    if (amount === null) throw damagedStatement('an entry of it has no amount or direction');
    const common = {
      statement: this.#statement,
      account: this.#account,
      currency: entry.currency,
      date: entry.date,
      status: entry.status || 'BOOK',
    };
    const payments = paymentsOf(entry, amount);
    if (payments === null) {
      const texts = [...entry.texts, ...entry.payments.flatMap((payment) => payment.texts)];
      const reference =
        entry.reference || (entry.payments.length === 1 ? (entry.payments[0]?.reference ?? '') : '');
      const counterparty = counterpartyOf(entry, entry, ...entry.payments);
      this.#take({ ...common, entry: reference, amount, isReversal: entry.isReversal, counterparty, texts });
      return;
    }
    entry.payments.forEach((payment, at) => {
      this.#take({
        ...common,
        entry: payment.reference || (entry.reference === '' ? '' : `${entry.reference}/${at + 1}`),
        amount: payments[at] ?? '',
        isReversal: entry.isReversal || payment.isReversal,
        counterparty: counterpartyOf(entry, payment),
        texts: payment.texts,
      });
    });
  }
}

/** The payer of incoming money, or the payee of outgoing money. A reversal swaps them, so both are returned. */
function counterpartyOf(entry: Entry, ...bookings: readonly Booking[]): string {
  const found = bookings.flatMap(({ direction, isReversal, parties: { Dbtr, Cdtr } }) => {
    if (isReversal || entry.isReversal) return [...Dbtr, ...Cdtr];
    return (direction || entry.direction) === 'DBIT' ? Cdtr : Dbtr;
  });
  return [...new Set(found)].join(', ');
}

/** The direction is the booking's effect on the account, also for a reversal. */
function directed(booking: Booking, entry: Entry): string | null {
  const direction = booking.direction || entry.direction;
  if (direction !== 'CRDT' && direction !== 'DBIT') return null;
  return signedAmount(booking.amount, direction === 'DBIT');
}

/** The amounts of an entry's payments; null where it has only one, or where they do not add up to it. */
function paymentsOf(entry: Entry, amount: string): string[] | null {
  if (entry.payments.length < 2) return null;
  const amounts = entry.payments.flatMap((payment) => {
    const own = payment.currency === entry.currency ? directed(payment, entry) : null;
    return own === null ? [] : [own];
  });
  const isWhole = amounts.length === entry.payments.length && unitsOf(amounts) === unitsOf([amount]);
  return isWhole ? amounts : null;
}
