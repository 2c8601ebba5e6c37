const beyondBasicPlane = /[\u{10000}-\u{10FFFF}]/gu;

/** How many characters a text has, as people and the API count them: code points, not units of UTF-16. */
export function countCharacters(text: string): number {
  return text.length - (text.match(beyondBasicPlane)?.length ?? 0);
}

/** Whether a text has at most so many characters; a long one is not gone through. */
export function isAtMost(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= 2 * characters && countCharacters(text) <= characters;
}
