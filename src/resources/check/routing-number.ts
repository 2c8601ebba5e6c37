import { mask } from '../../domain/text/characters.ts';
import type { ValueRefusal, ValueResult } from './value-text.ts';

const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
const nineDigits = /^\d{9}$/;

/** Prefixes that the ABA assigns: Federal Reserve districts, thrifts, electronic, and traveler's checks. */
function isAssignedPrefix(prefix: number): boolean {
  return (
    (prefix >= 0 && prefix <= 12) ||
    (prefix >= 21 && prefix <= 32) ||
    (prefix >= 61 && prefix <= 72) ||
    prefix === 80
  );
}

function hasRightChecksum(text: string): boolean {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    sum += (weights[index] ?? 0) * (text.charCodeAt(index) - 0x30);
  }
  return sum % 10 === 0;
}

function refuse(text: string, why: string): ValueRefusal {
  return { code: 'invalid_routing_number', message: `${mask(text)} is not an ABA routing number: ${why}` };
}

export function checkRoutingNumber(text: string): ValueResult {
  if (!nineDigits.test(text)) return refuse(text, 'it has nine digits and nothing else');
  if (text === '000000000') return refuse(text, 'it is not only zeros');
  if (!isAssignedPrefix(Number(text.slice(0, 2))))
    return refuse(text, 'no bank has one that begins like this');
  if (!hasRightChecksum(text)) return refuse(text, 'its checksum does not match, so a digit is wrong');
  return text;
}
