import { isAtMost } from '../../domain/text/characters.ts';
import { mask } from '../../domain/text/masking.ts';
import type { ValueResult } from './value-result.ts';

const longestAddress = 254;
const longestLocalPart = 64;

/** Each pattern's repeated part begins with a character that the part before cannot hold: no backtracking. */
const localPart = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainLabel = /^[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u;
const topLevel = /^(?:[\p{L}\p{M}]{2,}|xn--[a-z0-9-]+)$/iu;

function isDomain(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || !topLevel.test(last)) return false;
  return labels.every((label) => domainLabel.test(label));
}

function isAddress(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1 || !isAtMost(text.slice(0, at), longestLocalPart) || !isAtMost(text, longestAddress))
    return false;
  return localPart.test(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

/** One bare address in the dot-atom form of RFC 5322, letters of any script allowed; no display name. */
export function checkEmail(text: string): ValueResult {
  if (isAddress(text)) return text;
  const message = `${mask(text)} is not one e-mail address; write it alone, such as name@example.com`;
  return { code: 'invalid_email', message };
}
