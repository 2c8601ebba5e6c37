/*
 * The options of a question about how a file is read, the option that is selected at first, and the known values that
 * are suggested. Also the form in which pages quote values of the file.
 */

import { type Html, html } from '../../account/report/page.ts';
import { markedValueName } from '../../account/words/mapping-words.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import { colourOfMark } from '../../domain/tables/row-marks.ts';
import { kinds } from '../../engine/choices.ts';
import { type KnownValue, knownValuesOf } from '../../engine/drafts/choices.ts';
import { nearlyNone } from '../../propose/questions/point.ts';
import type { Forecast } from '../../propose/session/session.ts';

/** An option of a question. */
export interface ShownOption {
  readonly id: string;
  readonly label: string;
  /** The rows that would pass with the option; null if this depends on further input of a person. */
  readonly passes: number | null;
  /** The API's name for the meaning of the option. */
  readonly name?: string | undefined;
  /** Further content below the label and the name. */
  readonly details?: Html | null;
}

/**
 * The option that is selected at first. It is the proposal, unless nearly every row is refused with it and another
 * option may help. Such a proposal is usually wrong, and a person in a hurry would accept it.
 * @returns null if a person has to choose
 */
export function presetOf(
  options: readonly ShownOption[],
  proposal: string | null,
  { pass, refused }: Forecast,
): string | null {
  const passes = options.find(({ id }) => id === proposal)?.passes ?? null;
  const mayHelp = options.some((one) => one.passes === null || one.passes > (passes ?? 0));
  const isHopeless = passes !== null && pass + refused > 0 && passes <= (pass + refused) * nearlyNone;
  return isHopeless && mayHelp ? null : proposal;
}

/** `98 rows would pass`. */
function passingText(passes: number): string {
  if (passes === 0) return 'no row would pass';
  return `${groupedNumber(passes)} ${passes === 1 ? 'row' : 'rows'} would pass`;
}

/**
 * The rows that would pass with an option. It is null for an option that changes nothing, unless that option was
 * proposed and is not preselected.
 */
export function effectOf(
  { id, passes }: ShownOption,
  proposal: string | null,
  preset: string | null,
  { pass }: Forecast,
): string | null {
  if (passes === null || (passes === pass && (id !== proposal || id === preset))) return null;
  return passingText(passes);
}

/** An option of a drop-down. */
export function option(id: string, label: string, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${id}" selected>${label}</option>`
    : html`<option value="${id}">${label}</option>`;
}

/** A drop-down with more options is searched by typing if scripts run. */
const fewOptions = 7;

/** The attribute of a drop-down that is searched by typing; null for a drop-down with few options. */
export function searched(options: number): Html | null {
  return options > fewOptions ? html` data-searched` : null;
}

/** The proposal for a question, the preselected option, and the results for the rows without an answer. */
interface Proposed {
  readonly proposal: string | null;
  readonly preset: string | null;
  readonly forecast: Forecast;
  /** Whether a person has to choose one of the options, because nothing else on the page is an answer. */
  readonly isRequired: boolean;
  /** The word that marks the proposal. */
  readonly mark: string;
}

/** An option to choose. It has the number of rows that would pass, if that is useful. */
export function choiceOf(
  one: ShownOption,
  { proposal, preset, forecast, isRequired, mark: word }: Proposed,
): Html {
  const effect = effectOf(one, proposal, preset, forecast);
  const mark = one.id === preset && one.id === proposal ? ` (${word})` : '';
  const effects = `${effect === null ? '' : `, ${effect}`}${mark}`;
  const chosen = one.id === preset ? html` checked` : null;
  const name = one.name === undefined ? null : html` <code>${one.name}</code>`;
  return html`<label class="choice"><input type="radio" name="answer" value="${one.id}"${chosen}${isRequired ? html` required` : null}> <span>${one.label}${effects}${name}${one.details ?? null}</span></label>`;
}

/**
 * Options from which a person chooses one.
 * @param isRequired whether nothing else on the page is an answer
 * @param mark the word that marks the proposal
 * @param usual the option that is preselected if its rows pass; the proposal when absent
 */
export function choicesOf(
  options: readonly ShownOption[],
  proposal: string | null,
  forecast: Forecast,
  isRequired: boolean,
  mark: string,
  usual = proposal,
): Html {
  const proposed = { proposal, preset: presetOf(options, usual, forecast), forecast, isRequired, mark };
  return html`<fieldset><legend class="visually-hidden">Answer</legend>${options.map((one) => choiceOf(one, proposed))}</fieldset>`;
}

/** Suggested values for a field that accepts other values too. The person searches them by typing. */
interface Suggested {
  /** The attribute of such a field. */
  readonly attribute: Html | null;
  readonly list: Html | null;
}

/** The known values of a field, such as countries; empty for a kind of rows that paybatch does not have. */
export function suggestedFor(kind: string, field: string): Suggested {
  const known = kinds.find((each) => each === kind);
  return suggested(known === undefined ? [] : knownValuesOf(known, field));
}

export function suggested(values: readonly KnownValue[]): Suggested {
  if (values.length === 0) return { attribute: null, list: null };
  const options = values.map(({ value, name }) => html`<option value="${value}">${name}</option>`);
  return { attribute: html` list="names"`, list: html`<datalist id="names">${options}</datalist>` };
}

/* Values of a file as pages quote them. */

/** Values of the file, unchanged. */
export function samplesOf(samples: readonly string[]): Html {
  return html`${samples.map((text) => html`<span class="sample">${shortened(text)}</span> `)}`;
}

/** A value of the file, or its new value. It may be empty. */
export function sampleOf(text: string): Html {
  return text === '' ? html`(empty) ` : samplesOf([text]);
}

/** A value that marks rows. A colour is shown as a patch, then its name and its digits. */
export function markedValue(value: string): Html {
  const colour = colourOfMark(value);
  if (colour === null) return html`${shortened(markedValueName(value))}`;
  return html`<svg class="patch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="#${colour.rgb}"/></svg> ${colour.name} <small class="soft">${colour.rgb}</small>`;
}

const sampleCharacters = 60;

/** A text shortened to the length of a cell. */
export function shortened(text: string, most = sampleCharacters): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
