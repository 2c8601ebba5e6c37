import type { Archive } from '../archive.ts';
import { limitExceeded } from '../input-error.ts';
import type { InputLimits } from '../limits.ts';
import { prefixedAttribute, readXml, type XmlAttributes, type XmlHandler } from '../xml.ts';

/** Cells with something in them, counted as often as they are repeated. */
const CELLS = 5_000_000;

function isHidden(attributes: XmlAttributes): boolean {
  const visibility = prefixedAttribute(attributes, 'visibility');
  return visibility === 'collapse' || visibility === 'filter';
}

function repetitions(attributes: XmlAttributes, name: string): number {
  return Number(prefixedAttribute(attributes, name) ?? '1');
}

/** Looks at an `.ods` file's content for what the library that reads it does not say, or does without limit. */
class OdsSurvey implements XmlHandler {
  readonly hidden = new Set<string>();
  #cells = 0;
  #rowRepetitions = 1;

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'table-row') {
      this.#rowRepetitions = repetitions(attributes, 'number-rows-repeated');
      if (isHidden(attributes)) this.hidden.add('rows');
    } else if (name === 'table-column') {
      if (isHidden(attributes)) this.hidden.add('columns');
    } else if (name === 'table-properties') {
      if (prefixedAttribute(attributes, 'display') === 'false') this.hidden.add('sheets');
    } else if (name === 'table-cell' && prefixedAttribute(attributes, 'value-type') !== undefined) {
      this.#cells += this.#rowRepetitions * repetitions(attributes, 'number-columns-repeated');
      if (!(this.#cells <= CELLS)) {
        throw limitExceeded(`there are more than ${CELLS} cells in it`, 'Save it as .xlsx or as CSV UTF-8.');
      }
    }
  }

  close(): void {}

  text(): void {}
}

/**
 * Checks an `.ods` file's content before it is read: that it is XML without a document type, and that its
 * repeated cells do not grow without limit.
 *
 * @returns notes on what is hidden in it
 */
export async function surveyOds(archive: Archive, limits: InputLimits): Promise<readonly string[]> {
  const survey = new OdsSurvey();
  await readXml(archive.read('content.xml'), survey, limits);
  if (survey.hidden.size === 0) return [];
  return [`there are hidden ${[...survey.hidden].join(' and ')}; they are read like the others`];
}
