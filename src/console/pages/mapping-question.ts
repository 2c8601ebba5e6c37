/* One question about how a file is read, as a form. Each kind of question has its own form. */

import { type Html, html } from '../../account/report/page.ts';
import {
  fieldGroups,
  fieldsWord,
  fieldWord,
  kindWord,
  markedValueName,
  meaningText,
  payeeTypeWord,
  repairName,
  valueWord,
} from '../../account/words/mapping-words.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { capital, inWords, plainWords } from '../../domain/settings/message.ts';
import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import { markedField } from '../../propose/decisions.ts';
import { rowsSentOf, type SpelledAlike, spelledAlike } from '../../propose/dialogue/marked-effects.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type { DialogueQuestion, QuestionOption, RowsToSend } from '../../propose/session/session.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import {
  choiceOf,
  choicesOf,
  effectOf,
  markedValue,
  option,
  presetOf,
  type ShownOption,
  sampleOf,
  samplesOf,
  searched,
  shortened,
  suggested,
  suggestedFor,
} from './answer-options.ts';
import { isLong, type QuestionOf, sameAs, unchosen, withEarlier } from './mapping-answers.ts';
import { reviewFields } from './mapping-review.ts';

/** A question with the known facts about its file. */
export type AskedQuestion = Pick<OpenQuestion, 'question' | 'seen' | 'table'> &
  Partial<Pick<OpenQuestion, 'earlier'>>;

/** The form fields for answering a question. The page has the buttons below them. */
export function answerFields({ question: asked, seen, table, earlier }: AskedQuestion): Html {
  const kind = table?.place.kind ?? '';
  const question = withEarlier(asked, earlier);
  const mark = earlier === undefined ? 'proposed' : 'your answer';
  switch (question.kind) {
    case 'review':
      return reviewFields(question, seen);
    case 'column':
      return html`${askedFor(question, kind)}${columnFields(question, kind, mark)}`;
    case 'values':
      return html`${askedFor(question, kind)}${valuesFields(question, kind)}`;
    case 'refused':
      return html`${askedFor(question, kind)}${refusedFields(question, kind, mark)}`;
    case 'constant':
      return html`${askedFor(question, kind)}${constantFields(question, kind)}`;
    case 'repair':
      return html`${askedFor(question, kind)}${repairFields(question, mark)}`;
    case 'reading':
      return html`${askedFor(question, kind)}${readingFields(question, mark)}`;
  }
}

/** The reason of a question, with sample values of the file. */
function askedFor({ why, samples, rows, kind }: DialogueQuestion, ofRows: string): Html {
  const texts = samples.filter((sample) => typeof sample === 'string');
  const named = new Set<string>();
  const reason = reasonText(why, (field) => {
    // A question about a value for all rows names the field below its input.
    if (kind !== 'constant' && fieldWord(ofRows, field) !== field) named.add(field);
    return `"${fieldWord(ofRows, field)}"`;
  });
  const sentence = capital(reason);
  const names = [...named].map((field) => html` <small><code>${field}</code></small>`);
  return html`<p>${/[.!?]$/.test(sentence) ? sentence : `${sentence}.`}${names}</p>
${rows === 0 ? null : html`<p class="soft">This concerns ${countOf(rows, 'row')}.</p>`}
${texts.length === 0 || (kind === 'values' && (why.code === 'values_to_translate' || why.code === 'words_may_be_nothing')) || kind === 'refused' ? null : html`<p>For example: ${samplesOf(texts)}</p>`}`;
}

function columnFields(
  { options, proposal, forecast }: QuestionOf<'column'>,
  kind: string,
  mark: string,
): Html {
  const chosen = proposal === null ? 'ignore' : [proposal].flat().join('+');
  const listed: readonly ShownOption[] = options.some(({ id }) => id === chosen)
    ? options
    : [{ id: chosen, label: '', passes: forecast.pass }, ...options];
  const preset = presetOf(listed, chosen, forecast);
  const label = (one: ShownOption): string => {
    const described = one.id === 'ignore' ? capital(one.label) : fieldsWord(kind, one.id);
    const effect = effectOf(one, chosen, preset, forecast);
    return effect === null ? described : `${described} (${effect})`;
  };
  const ids = listed.map(({ id }) => id);
  const groups = fieldGroups(kind, ids).map(({ title, fields }) => {
    const those = listed.filter(({ id }) => fields.includes(id));
    const shown = those.map((one) => option(one.id, label(one), one.id === preset));
    return title === null ? html`${shown}` : html`<optgroup label="${title}">${shown}</optgroup>`;
  });
  const open = preset === null ? option('', 'Choose what it is', true) : null;
  return html`<div class="field"><label for="answer">It is read as</label>
<select id="answer" name="answer" required${searched(listed.length)}>${open}${groups}</select></div>
${proposal === null || preset === null ? null : html`<p class="hint">${capital(mark)}: <code>${chosen}</code></p>`}`;
}

function valuesFields(question: QuestionOf<'values'>, kind: string): Html {
  const { values, field, sending } = question;
  const areLong = isLong(question);
  const isOfRows = field === markedField;
  const means = isOfRows ? 'what to do' : 'means';
  const { attribute, list } = areLong
    ? suggested([...meaningsIn(question)].map((value) => ({ value, name: '' })))
    : suggestedFor(kind, field);
  const rowOf = ([[at, line], ...others]: SpelledAlike<ValueLine>): Html => {
    const label = `another word for ${shortened(line.value)}`;
    const rows = others.reduce((sum, [, other]) => sum + other.rows, line.rows);
    const alike = others.map(
      ([place, { value }]) =>
        html`, ${shortened(value)}<input type="hidden" name="${sameAs}.${place}" value="${at}">`,
    );
    const word =
      areLong || field === 'institution_name' || isOfRows
        ? null
        : html`<input name="word.${at}" aria-label="${label}" placeholder="or another word" maxlength="200"${attribute}>`;
    const name = isOfRows || line.value === '' ? markedValue(line.value) : shortened(line.value);
    return html`<tr><th scope="row" id="value-${at}">${name}${alike}</th>
<td class="number" data-title="Rows">${groupedNumber(rows)}</td>
<td data-title="${means}">${areLong ? typedMeaning(line, at) : sending !== undefined ? chosenSending(line, at, sending) : chosenMeaning(line, at, field)}${word}</td></tr>
`;
  };
  // Values without a known meaning come first. Values that mean what they say need little attention.
  const lines = isOfRows ? [...values.entries()].map((line) => [line] as const) : spelledAlike(values);
  const open = lines.filter(([[, { proposal }]]) => proposal === null);
  const answered = lines.filter(([[, { value, proposal }]]) => proposal !== null && proposal !== value);
  const same = lines.filter(([[, { value, proposal }]]) => proposal === value);
  const tableOf = (shown: typeof lines): Html =>
    html`<div class="scroll"><table class="reading"><thead><tr><th scope="col">Value in the file</th><th scope="col" class="number">Rows</th><th scope="col">${means}</th></tr></thead>
<tbody>${shown.map(rowOf)}</tbody></table></div>`;
  return html`${open.length + answered.length === 0 ? null : tableOf([...open, ...answered])}
${same.length === 0 ? null : html`<details><summary>${countOf(same.length, 'value')} that ${same.length === 1 ? 'means' : 'mean'} what ${same.length === 1 ? 'it says' : 'they say'}</summary>${tableOf(same)}</details>`}
${list}
${areLong ? html`<p class="hint">Type a part of the name, and choose. Rows with a value whose field is empty are refused.</p>` : null}`;
}

/** All possible meanings of the values of a question. */
function meaningsIn({ values }: QuestionOf<'values'>): ReadonlySet<string> {
  return new Set(
    values.flatMap(({ options }) => options.flatMap(({ id }) => (id === leaveOutRows ? [] : (id ?? [])))),
  );
}

type ValueLine = QuestionOf<'values'>['values'][number];

/** A drop-down of the possible meanings. An option without a word has a name that cannot be a word. */
function chosenMeaning({ value, proposal, options }: ValueLine, at: number, field: string): Html {
  const idOf = (id: string | null): string => (id === null ? 'refuse' : `word:${id}`);
  const known = options.some(({ id }) => id === proposal)
    ? options
    : [{ id: proposal, label: meaningText(proposal) }, ...options];
  const all = known.some(({ id }) => id === '') ? known : [...known, { id: '', label: 'leave it empty' }];
  return html`<select name="value.${at}" aria-label="what ${shortened(value)} means"${searched(all.length)}>${all.map(({ id, label }) => option(idOf(id), valueWord(field, label), id === proposal))}</select>`;
}

/**
 * A drop-down of what is done with the rows of a value, with the number of rows that would be sent. Nothing is selected
 * if nothing is proposed.
 */
function chosenSending({ value, proposal, options }: ValueLine, at: number, sending: RowsToSend): Html {
  const open = proposal === null ? option('', 'Choose what becomes of them', true) : null;
  const sent = countOf(rowsSentOf(sending, value), 'row');
  const choices = options.map(({ id, label }) =>
    option(`word:${id}`, `${label} (${id === 'send' ? sent : 'no row'} sent)`, id === proposal),
  );
  return html`<select name="value.${at}" aria-label="what becomes of rows with ${value === '' ? 'an empty cell' : shortened(markedValueName(value))}" required>${open}${choices}</select>`;
}

/** An input for a name from a long list. */
function typedMeaning({ value, proposal }: ValueLine, at: number): Html {
  return html`<input name="word.${at}" list="names" value="${proposal ?? ''}" aria-label="what ${shortened(value)} means" autocomplete="off">`;
}

const rowsShown = 12;
const checked = html` checked`;

/** Refused values, shown in their rows, with the result of each answer for them. */
function refusedFields(
  { field, values, more, options, proposal, forecast }: QuestionOf<'refused'>,
  kind: string,
  mark: string,
): Html {
  const { attribute, list: known } = suggestedFor(kind, field);
  const lines = values.map(
    ({ value, rows, example_row: row, in_row: around, proposal: meaning }, at) =>
      html`<tr><th scope="row">${shortened(value)}</th><td class="number" data-title="Rows">${groupedNumber(rows)}</td>
<td data-title="In its row"><span class="soft">row ${groupedNumber(row)}:</span> ${shortened(around.join(' · '), 200)}</td>
<td data-title="means"><input name="word.${at}" value="${meaning === leaveOutRows ? '' : (meaning ?? '')}" data-answer="values" aria-label="what ${shortened(value)} means" maxlength="200"${attribute}>
<label class="choice"><input type="checkbox" name="empty.${at}" value="yes" data-answer="values"${meaning === '' ? checked : null}> <span>nothing, as an empty cell</span></label>
<label class="choice"><input type="checkbox" name="out.${at}" value="yes" data-answer="values"${meaning === leaveOutRows ? checked : null}> <span>leave these rows out</span></label></td></tr>
`,
  );
  const each = {
    id: 'values',
    label: 'each value means what is written beside it; without a word its rows are refused',
    passes: null,
  };
  const all = [...options, each];
  const preset = presetOf(all, proposal, forecast);
  const choices = all.map((one) => {
    const makes = ('samples' in one ? (one.samples ?? []) : [])
      .slice(0, rowsShown)
      .map(
        ({ row, before, after }) =>
          html`<li><span class="soft">row ${groupedNumber(row)}:</span> ${sampleOf(before)}→ ${sampleOf(after)}</li>`,
      );
    const list = makes.length === 0 ? null : html`<ul>${makes}</ul>`;
    return html`${choiceOf(one, { proposal, preset, forecast, isRequired: true, mark })}${list}`;
  });
  const further = more === 0 ? null : html`<p class="hint">And ${countOf(more, 'further value')}.</p>`;
  return html`<div class="scroll"><table class="reading"><thead><tr><th scope="col">Value in the file</th><th scope="col" class="number">Rows</th><th scope="col">In its row</th><th scope="col">means</th></tr></thead>
<tbody>${lines}</tbody></table></div>${further}<fieldset><legend class="visually-hidden">Answer</legend>${choices}</fieldset>${known}`;
}

function constantFields({ about, options, proposal, forecast }: QuestionOf<'constant'>, kind: string): Html {
  const name = fieldsWord(kind, about);
  const hasEffect = options.some(({ passes }) => passes !== forecast.pass);
  const isListed = proposal === null || options.some(({ id }) => id === proposal);
  const none = { id: '', label: 'none', passes: forecast.pass };
  const preset = presetOf(proposal === null ? [none, ...options] : options, proposal ?? '', forecast);
  const shown = options.map((one) => {
    const effect = hasEffect ? effectOf(one, proposal, preset, forecast) : null;
    return option(one.id, effect === null ? one.label : `${one.label} (${effect})`, one.id === preset);
  });
  const chosen =
    options.length === 0
      ? null
      : html`<div class="field"><label for="answer">${name} of all rows</label>
<select id="answer" name="answer"${searched(options.length)}>${preset === null ? option(unchosen, 'Choose one', true) : null}${option('', 'none', preset === '')}${shown}</select></div>`;
  const label = options.length === 0 ? `${name} of all rows` : 'or another value';
  const { attribute, list } = suggestedFor(kind, about);
  return html`${chosen}<div class="field"><label for="text">${label}</label>
<input id="text" name="text" value="${isListed && options.length > 0 ? '' : (proposal ?? '')}" maxlength="200"${attribute}>${list}</div>
<p class="hint">With none, rows that need it are refused. The API calls it <code>${about}</code>.</p>`;
}

function repairFields(
  { samples, options, forecast, repair, proposal }: QuestionOf<'repair'>,
  mark: string,
): Html {
  const repaired = samples.filter((sample) => typeof sample !== 'string');
  const rows = repaired.map(
    ({ row, before, after }) =>
      html`<tr><td class="number" data-title="Row">${row}</td><td data-title="In the file">${sampleOf(before)}</td><td data-title="Repaired">${sampleOf(after)}</td></tr>
`,
  );
  const table =
    rows.length === 0
      ? null
      : html`<div class="scroll"><table class="reading"><caption>${repairName(repair)}</caption><thead><tr><th scope="col" class="number">Row</th><th scope="col">In the file</th><th scope="col">Repaired</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`${table}${choicesOf(options, proposal, forecast, true, mark, proposal ?? 'no')}`;
}

function readingFields(
  { about, options, proposal, free_text: mayBeText, forecast }: QuestionOf<'reading'>,
  mark: string,
): Html {
  const named: readonly ShownOption[] =
    about === 'payee_type'
      ? options.map((one) => ({ ...one, label: payeeTypeLabel(one), name: payeeTypeWord(one.id) && one.id }))
      : about === 'kind'
        ? options.map(kindOption)
        : options;
  const choices = choicesOf(named, proposal, forecast, !mayBeText, mark);
  const isListed = options.some(({ id }) => id === proposal);
  if (!mayBeText) return choices;
  const none =
    proposal === null && about !== 'encoding'
      ? html`<label class="choice"><input type="radio" name="answer" value="accept"> <span>leave it open: values that are not clear without it are refused</span></label>`
      : null;
  const example = about === 'phone_country' ? 'KE' : about === 'encoding' ? 'windows-1252' : 'DD/MM/YYYY';
  return html`${choices}${none}<div class="field"><label for="text">or another one</label>
<input id="text" name="text" value="${isListed ? '' : (proposal ?? '')}" maxlength="200" placeholder="${example}"></div>`;
}

/** A kind in words, with the evidence for it. */
function kindOption({ evidence = '', ...one }: QuestionOption): ShownOption {
  const speaking = inWords(evidence, { ...plainWords, field: (name) => fieldWord(one.id, name) });
  const details = speaking === '' ? null : html`<br><small class="soft">${capital(speaking)}</small>`;
  return { ...one, label: capital(kindWord(one.id)), name: one.id, details };
}

/** `All rows are: US bank account` for one of the API's payee types. */
function payeeTypeLabel({ id, label }: ShownOption): string {
  const word = payeeTypeWord(id);
  return word === undefined ? label : `all rows are: ${word}`;
}
