/** Text that is markup already. Only `html` makes it, so everything in it is written by us or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | null | Html | readonly HtmlValue[];

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also shows characters that could hide or turn round what stands beside them. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => references[character] ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? ' ' : '\uFFFD'));
}

function rendered(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value.map(rendered).join('');
}

/** A template of markup: values are escaped unless they are `Html`; null is nothing, an array all its items. */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(markup.reduce((text, part, index) => text + rendered(values[index - 1] ?? null) + part));
}
