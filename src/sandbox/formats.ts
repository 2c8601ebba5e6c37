const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PHONE = /^\+[1-9]\d{6,14}$/;
const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const IBAN = /^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$/;
const AMOUNT = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,2})?$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** E.164: a plus, no leading zero, 7 to 15 digits, nothing between them. */
export function isPhone(text: string): boolean {
  return PHONE.test(text);
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** A real calendar day, written YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Form, and ISO 7064 mod-97 checksum with check digits from 02 to 98; capitals without spaces only. */
export function isIban(text: string): boolean {
  if (!IBAN.test(text)) return false;
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Nine digits and the weighted checksum of the American Bankers Association. */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
  const sum = weights.reduce((total, weight, place) => total + weight * Number(text[place]), 0);
  return sum !== 0 && sum % 10 === 0;
}

/** A positive plain decimal with at most two fraction digits. */
export function isPositiveAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}
