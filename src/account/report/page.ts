/* Markup of reports and pages: escaped text, and the style sheet of a report. */

import { readFileSync } from 'node:fs';
import { printable } from '../../domain/text/characters.ts';

/** Text that is markup already. Only `html` creates it, so everything in it is written by paybatch or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = string | number | null | Html | readonly HtmlValue[];

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return printable(text.replace(/[&<>"']/g, (character) => references[character] ?? ''));
}

function rendered(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value.map(rendered).join('');
}

/**
 * A template of markup. Values are escaped unless they are `Html`, null is omitted, and all items of an array are
 * joined.
 */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(markup.reduce((text, part, index) => text + rendered(values[index - 1] ?? null) + part));
}

/** The style that reports and the console's pages share: the colours of both themes, and of each status. */
export const sharedStyle = readFileSync(new URL('./shared.css', import.meta.url), 'utf8');

/**
 * The style sheet is part of the report, because a report is one file that needs no other files. Each status has one
 * hue, light enough on dark paper and dark enough on light paper. The hues are distinguishable without red and green.
 */
export const reportStyle = new Html(
  `<style>\n${sharedStyle}${readFileSync(new URL('./report.css', import.meta.url), 'utf8')}</style>`,
);

/** A section with its title. */
export function section(title: string, content: HtmlValue): Html {
  return html`<section>
<h2>${title}</h2>
${content}
</section>
`;
}
