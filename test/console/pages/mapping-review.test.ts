import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/console/pages/layout.ts';
import { questionPage } from '../../../src/console/pages/mapping.ts';
import { isOnlyConfirmed, reviewFields, reviewLead } from '../../../src/console/pages/mapping-review.ts';
import { contentOf } from '../../../src/console/pages/table.ts';
import type { OpenQuestion } from '../../../src/console/under-way/mapping-talk.ts';
import type { SeenReading } from '../../../src/propose/dialogue/review.ts';
import type { DialogueQuestion } from '../../../src/propose/session/session.ts';

const sent = ['A', 'B', 'C', '12'].map((value, at) => ({
  value,
  sent: `${value}!`,
  rows: 9 - at,
  example_row: 3,
}));

const review: Extract<DialogueQuestion, { kind: 'review' }> = {
  question: 1,
  about: 'recipients',
  sheet: null,
  rows: 2,
  samples: [],
  why: { code: 'review' },
  options: [],
  free_text: false,
  forecast: { pass: 1, refused: 1, left_out: 0 },
  kind: 'review',
  proposal: 'accept',
  columns: [
    { column: 'Kto', field: 'account_number', samples: [], repairs: ['lost_zeros'], sent },
    { column: 'Note', field: null, samples: [], repairs: [], sent: [] },
  ],
  fields: ['payee_type', 'account_number'].map((id) => ({ id, label: `what ${id} is` })),
  reasons: [],
};

const count = 20;
const seen: SeenReading = {
  grid: {
    sheet: 'May',
    isHidden: false,
    isCut: false,
    allRows: count,
    rows: Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      cells: [`a${at + 1}`, `b${at + 1}`, '<i>'],
    })),
    titles: async () => [],
  },
  header: [2],
  rows: new Set(Array.from({ length: count - 3 }, (_, at) => at + 3)),
  columns: [
    { index: 0, sureness: 'guess' },
    { index: 1, sureness: 'left_out' },
  ],
  next: [{ about: 'payee_type', kind: 'reading', proposal: null }],
};

describe('the table of a reading', () => {
  const { text } = reviewFields(review, seen);

  it('marks the header, the lines above it, and lines far below that are left out', () => {
    expect(text).toContain('<tr class="left_out"><th scope="row" class="line">1 <small>above</small>');
    expect(text).toContain('<tr class="header"><th scope="row" class="line">2 <small>header</small>');
    expect(text).toContain('<tr class="row"><th scope="row" class="line">8</th>');
    expect(text).not.toContain('a11<');
    expect(text).toContain('<tr class="left_out"><th scope="row" class="line">20 <small>left out</small>');
  });

  it('shows columns without a title as they are, and their values as text', () => {
    expect(text).toContain('(no title)');
    expect(text).toContain('&lt;i&gt;');
  });

  it('says how sure a column is in words, with the name at the API beside it', () => {
    expect(text).toContain('<small id="sure-0"><b>a guess</b> <code>account_number</code></small>');
    expect(text).toContain('<optgroup label="On which account?"><option value="account_number" selected>');
  });

  it('shows three values as they would be sent, and folds the others', () => {
    const [, foot = ''] = text.split('<tfoot>');
    expect(foot.split('<details>')[0]?.match(/<li>/g)).toHaveLength(3);
    expect(foot).toContain('<summary>1 more</summary>');
  });

  it('says why nothing would be sent, and nothing of it where rows are only compared', () => {
    const columns = review.columns.map((column) => ({ ...column, sent: [] }));
    expect(reviewFields({ ...review, columns }, seen).text).not.toContain('<tfoot>');
    const forecast = { pass: 0, refused: 2, left_out: 0 };
    expect(reviewFields({ ...review, columns, forecast }, seen).text).toContain('nothing yet: no row passes');
  });

  it('has its choices without the lines of the file too', () => {
    expect(reviewFields(review, null).text).toContain('name="field.1"');
  });
});

describe('what leads a review', () => {
  it('is the number of things to decide: guesses, and what is asked next, which may lead to more', () => {
    const { text } = reviewLead(review, seen);
    expect(text).toContain('At least 2 things to decide');
    expect(reviewLead(review, { ...seen, next: [] }).text).toContain('<p class="headline">1 thing to decide');
    expect(text).toContain('<a href="#use-0">Read "Kto" as "Account number"?</a>');
    expect(text).toContain('What kind of recipients are they?');
  });

  it('is all that is shown unfolded, where the reading is shown once more with nothing to decide', () => {
    const asked = { question: review, seen: null, canGoBack: true };
    expect(isOnlyConfirmed(asked)).toBe(true);
    expect(
      [{ canGoBack: false }, { seen }].map((change) => isOnlyConfirmed({ ...asked, ...change })),
    ).toEqual([false, false]);
    const forecast = { pass: 0, refused: 2, left_out: 0 };
    expect(isOnlyConfirmed({ ...asked, question: { ...review, forecast } })).toBe(false);
  });

  it('never says that all is well where no row would pass', () => {
    expect(reviewLead(review, null).text).toContain('Nothing is left to decide');
    const lost = { ...review, forecast: { pass: 0, refused: 2, left_out: 0 } };
    expect(reviewLead(lost, null).text).toContain('No row would pass');
  });
});

it('names what comes next on the button of the last page only', () => {
  const frame = { may: () => true, folders: [], csrf: '' } as unknown as Frame;
  const file = { address: '/uploads/1/mapping/1', name: 'a.csv', afterwards: 'Show what would be sent' };
  const buttonOf = (one: SeenReading, canGoBack: boolean): string | undefined => {
    const open = { turn: 1, question: review, seen: one, canGoBack, table: null, problem: null };
    const shown = { ...open, answered: [], notes: [], dialect: null } as unknown as OpenQuestion;
    return /value="answer">([^<]*)</.exec(
      contentOf(null, questionPage(frame, file, shown).content).text,
    )?.[1];
  };
  expect(buttonOf({ ...seen, next: [] }, true)).toBe('Show what would be sent');
  // A question about the place of the rows may come before the table, and others follow it.
  expect(buttonOf(seen, true)).toBe('Go on');
  expect(buttonOf({ ...seen, next: [] }, false)).toBe('Go on');
});
