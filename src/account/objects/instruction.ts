/* Payment instructions of the API, as safe markup and as plain text. */

import sanitizeHtml from 'sanitize-html';

/** Elements that structure a text. None of them loads or runs something, asks for input, or imitates other content. */
const allowedTags = [
  ...['p', 'div', 'br', 'hr', 'ol', 'ul', 'li', 'dl', 'dt', 'dd', 'pre', 'blockquote'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['span', 'strong', 'b', 'em', 'i', 'u', 's', 'small', 'sub', 'sup', 'code', 'kbd', 'a'],
];

/** The content of these elements is not text for people, so it is removed with them. */
const nonTextTags = [
  ...['script', 'style', 'textarea', 'option', 'noscript', 'template', 'title', 'xmp', 'iframe', 'noembed'],
  ...['noframes', 'object', 'svg', 'math'],
];

const deepestNesting = 50;

/** Characters that hide or reverse the text beside them. */
const deceiving = /[\p{Cc}\p{Cf}]/gu;

/**
 * An instruction's markup without what a page must not accept from outside: scripts, styles, images, forms, every
 * attribute except a link's target. The result is well formed for any input.
 */
export function safeInstruction(markup: string): string {
  return sanitizeHtml(markup, {
    allowedTags,
    nonTextTags,
    allowedAttributes: { a: ['href'], th: ['colspan', 'rowspan'], td: ['colspan', 'rowspan'] },
    allowedSchemes: ['https', 'http', 'tel', 'mailto'],
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    nestingLimit: deepestNesting,
    // A link within the page would lead to another payer's sheet. A link without a target is shown as text.
    exclusiveFilter: ({ tag, attribs, text }) => tag === 'a' && attribs['href'] === undefined && text === '',
    transformTags: { a: keepWholeLinks },
    textFilter: (text) => text.replace(deceiving, (found) => (/\s/.test(found) ? found : '')),
  });
}

/** Keeps a link only if its address is complete, because only then a reader sees where it leads. */
function keepWholeLinks(_tag: string, { href }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const target = href?.trim();
  const isWhole = target !== undefined && /^(https?:\/\/|tel:|mailto:)/i.test(target);
  return isWhole ? { tagName: 'a', attribs: { href: target } } : { tagName: 'span', attribs: {} };
}

const blocks: ReadonlySet<string> = new Set([
  ...['p', 'div', 'br', 'hr', 'ol', 'ul', 'li', 'dl', 'dt', 'dd', 'pre', 'blockquote', 'table', 'caption'],
  ...['tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

/** A tag of well-formed markup, where `<` and `>` occur only in tags, or the text up to the next one. */
const markupPart = /<(\/?)([a-z][a-z0-9]*)((?:\s[^>]*)?)>|[^<]+/g;

/**
 * An instruction as plain text on one line: separate lines are joined by `; `, the elements of numbered lists keep their
 * numbers, and links show their target.
 */
export function instructionText(markup: string): string {
  const lines: string[] = [];
  let line = '';
  const lists: { next: number | null }[] = [];
  const targets: string[] = [];
  const endLine = (): void => {
    const text = line.replace(/\s+/gu, ' ').trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  for (const [part, slash, tag, attributes = ''] of safeInstruction(markup).matchAll(markupPart)) {
    if (tag === undefined) {
      line += decoded(part);
      continue;
    }
    const isEnd = slash === '/';
    if (blocks.has(tag)) endLine();
    if (tag === 'ol' || tag === 'ul') {
      if (isEnd) lists.pop();
      else lists.push({ next: tag === 'ol' ? 1 : null });
    }
    const list = lists.at(-1);
    if (tag === 'li' && !isEnd && list?.next !== undefined && list.next !== null) {
      line = `${list.next}. `;
      list.next += 1;
    }
    if (tag === 'td' || tag === 'th') line += ' ';
    if (tag !== 'a') continue;
    if (!isEnd) targets.push(decoded(/href="([^"]*)"/.exec(attributes)?.[1] ?? ''));
    else line = withTarget(line, targets.pop() ?? '');
  }
  endLine();
  return lines.join('; ');
}

function withTarget(line: string, target: string): string {
  return target === '' || line.endsWith(target) ? line : `${line} (${target})`;
}

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

/** Decodes the four references that well-formed markup still has. */
function decoded(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot);/g, (reference) => characters[reference] ?? reference);
}
