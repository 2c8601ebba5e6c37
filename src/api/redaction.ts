/** Takes what must not be kept or shown out of a text. */
export type Redact = (text: string) => string;

/** What stands where something was taken out. */
const removed = '***';

/** So many characters of encoded text are no accident. */
const shortestEncoded = 8;

/**
 * Makes the one place where the API key is taken out of what the API says: a message that quotes its request
 * would else bring the key into result files, reports and the ledger. Found are the key itself, whatever its
 * case, with any of its characters percent-encoded (also twice), escaped as in JSON or as in HTML, and the key
 * within Base64 (in any place of it, in both alphabets) and in hexadecimal.
 * @param apiKey of 8 characters at least, as the configuration check has it: a shorter one stands in ordinary words too
 */
export function redactorOf(apiKey: string): Redact {
  const plain = plainForm(apiKey);
  const forms = [plain, ...base64Forms(apiKey), hexForm(apiKey)];
  const patterns = forms.flatMap((form) => (form === null ? [] : [form]));
  const lowerKey = apiKey.toLowerCase();
  // To compile the first pattern takes longer than all else in a short run; most answers have nothing that it finds.
  const mayHoldKey = (text: string): boolean => /[%&\\]/.test(text) || text.toLowerCase().includes(lowerKey);
  return (text) =>
    patterns.reduce(
      (left, pattern) => (pattern === plain && !mayHoldKey(left) ? left : left.replace(pattern, removed)),
      text,
    );
}

/** Character by character, since an encoder touches only those that it has to. */
function plainForm(apiKey: string): RegExp {
  return new RegExp([...apiKey].map(formsOfCharacter).join(''), 'gi');
}

function formsOfCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const itself = /\w/.test(character) ? character : `\\\\?\\x${hex}`;
  return `(?:${itself}|%(?:25)?${hex}|\\\\u00${hex}|\\\\x${hex}|&#(?:x0*${hex}|0*${code});)`;
}

/**
 * The characters of a Base64 text that depend on the key alone, for each of the three places that its first
 * byte may have in a group.
 */
function base64Forms(apiKey: string): (RegExp | null)[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(apiKey)]);
    const text = bytes.toString('base64').replace(/=+$/, '');
    const end = bytes.length % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(offset === 0 ? 0 : offset + 1, end);
    if (own.length < shortestEncoded) return null;
    const inBothAlphabets = own.replaceAll('+', '[+-]').replaceAll('/', '(?:\\\\?/|_)');
    return new RegExp(inBothAlphabets, 'g');
  });
}

function hexForm(apiKey: string): RegExp | null {
  const hex = Buffer.from(apiKey).toString('hex');
  return hex.length < shortestEncoded ? null : new RegExp(hex, 'gi');
}
