/* References inside free text. */

import type { ScratchSql } from '../../ledger/connection/open.ts';
import { BulkInsert } from './bulk-insert.ts';
import { acceptDecided, holds, type MatchRules, type OpenRecords, pairState } from './rules.ts';

/** A reference of fewer letters and digits than this may be in a text by chance. */
const shortestReference = 5;

/** The most consecutive words that may be one reference, since spaces and hyphens get lost in transfer. */
const mostWords = 6;

/** A record of either side, by its number among the compared ones or among the left-out ones. */
interface Numbered {
  readonly n: number;
  readonly isLeftOut: boolean;
}

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** A text in one form of Unicode, in one case, with one blank where there are several. */
function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().replace(/\s+/g, ' ');
}

/**
 * Collects the words of the other side's texts that may be own references, while both sides are read. Letters are
 * compared by Unicode's rules, whatever the database's collation. Own references are read first, and a mark is kept
 * for each. Words of a text without a mark are not own references. A few marks may be wrong, so the database compares
 * the names themselves.
 */
export class TextNames {
  readonly #references: BulkInsert;
  readonly #mentions: BulkInsert;
  readonly #marks = new Uint8Array(1 << 24);

  constructor(sql: ScratchSql) {
    this.#references = new BulkInsert(sql, 'text_references', referenceTypes);
    this.#mentions = new BulkInsert(sql, 'text_mentions', mentionTypes);
  }

  addReference({ n, isLeftOut }: Numbered, reference: string | null): void {
    if (reference === null) return;
    const text = folded(reference).trim();
    const words = [...text.matchAll(wordPattern)];
    const name = words.map(([word]) => word).join('');
    const [first, last] = [words[0], words.at(-1)];
    if (name.length < shortestReference || first === undefined || last === undefined) return;
    const end = last.index + last[0].length;
    const signs = [text.slice(0, first.index), text.slice(end)];
    this.#references.add([n, String(isLeftOut), name, text.slice(first.index, end), ...signs]);
    this.#mark(hashOf(name));
  }

  /** @param text its parts, one per line; a reference is within one of them */
  addText({ n, isLeftOut }: Numbered, text: string | null): void {
    if (text === null) return;
    let place = 0;
    for (const written of text.split('\n')) {
      const line = folded(written);
      const words = [...line.matchAll(wordPattern)];
      for (const [first, { index: begin }] of words.entries()) {
        let name = '';
        for (let last = first; last < words.length && last < first + mostWords; last += 1) {
          const word = words[last];
          if (word === undefined) break;
          name += word[0];
          if (name.length < shortestReference || !this.#isMarked(hashOf(name))) continue;
          const end = word.index + word[0].length;
          const before = words[first - 1];
          const lead =
            before === undefined
              ? ` ${line.slice(0, begin)}`
              : line.slice(before.index + before[0].length, begin);
          const after = words[last + 1];
          const trail = after === undefined ? `${line.slice(end)} ` : line.slice(end, after.index);
          const span = [place + first, place + last];
          this.#mentions.add([n, String(isLeftOut), name, ...span, line.slice(begin, end), lead, trail]);
        }
      }
      place += words.length;
    }
  }

  async sendFull(): Promise<void> {
    await this.#references.sendFull();
    await this.#mentions.sendFull();
  }

  async finish(): Promise<void> {
    await this.#references.finish();
    await this.#mentions.finish();
  }

  #mark(hash: number): void {
    const at = hash >>> 8;
    this.#marks[at] = (this.#marks[at] ?? 0) | (1 << (hash & 7));
  }

  #isMarked(hash: number): boolean {
    return ((this.#marks[hash >>> 8] ?? 0) & (1 << (hash & 7))) !== 0;
  }
}

/** A hash of 32 bits (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const referenceTypes = ['int', 'boolean', 'text', 'text', 'text', 'text'];
const mentionTypes = ['int', 'boolean', 'text', 'int', 'int', 'text', 'text', 'text'];

/** Creates the empty tables of references and of possible references in texts. */
export async function createTextTables(sql: ScratchSql): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE text_references (n int, left_out boolean, name text COLLATE "C", spelled text COLLATE "C",
       lead text COLLATE "C", trail text COLLATE "C") ON COMMIT DROP`,
  );
  await sql.run(
    `CREATE TEMP TABLE text_mentions (n int, left_out boolean, name text COLLATE "C", first int, last int,
       spelled text COLLATE "C", lead text COLLATE "C", trail text COLLATE "C") ON COMMIT DROP`,
  );
}

/**
 * SQL: whether the characters between a reference and the next words separate them, and are not only joining signs.
 */
const isParted = (between: string): string => `${between} ~ '[^._-]'`;

/** SQL: whether the reference `r` is in the text unchanged except for case, and not as a part of a longer one. */
const isVerbatim = `m.spelled = r.spelled AND right(m.lead, length(r.lead)) = r.lead
  AND left(m.trail, length(r.trail)) = r.trail
  AND ${isParted('left(m.lead, length(m.lead) - length(r.lead))')}
  AND ${isParted('right(m.trail, length(m.trail) - length(r.trail))')}`;

/**
 * Creates the table `text_pairs`: the own references in each text, for all records of both sides. If one reference is
 * a part of another at the same place, only the longer one counts.
 */
async function findTextPairs(sql: ScratchSql): Promise<void> {
  await sql.run('ANALYZE text_references');
  await sql.run('ANALYZE text_mentions');
  await sql.run(
    `CREATE TEMP TABLE text_pairs ON COMMIT DROP AS
     WITH met AS (
         SELECT r.n AS hn, r.left_out AS h_out, m.n AS tn, m.left_out AS t_out, m.first, m.last, ${isVerbatim} AS is_exact
         FROM text_mentions m JOIN text_references r USING (name))
     SELECT hn, h_out, tn, t_out, bool_or(is_exact) AS is_exact FROM met p
     WHERE NOT EXISTS (
       SELECT FROM met o WHERE o.tn = p.tn AND o.t_out = p.t_out AND o.first <= p.first AND o.last >= p.last
         AND o.last - o.first > p.last - p.first)
     GROUP BY hn, h_out, tn, t_out`,
  );
  await sql.run('ANALYZE text_pairs');
}

/**
 * Matches records whose free text contains an own reference, as in statements of banks and mobile money providers. A
 * text is matched if it has one unchanged reference, no other text has it, and the compared values agree. Otherwise
 * the pair is a proposal; several possible pairs are ambiguous. Decided and left-out records count too: a text that
 * names two payments does not belong to one only because the other is known by its id.
 */
export async function matchFreeText(sql: ScratchSql, open: OpenRecords, rules: MatchRules): Promise<void> {
  await findTextPairs(sql);
  if (!(await holds(sql, 'EXISTS (SELECT FROM text_pairs)'))) return;
  await weighPairs(sql, open, rules);
  await sql.run(
    `CREATE TEMP TABLE decided_text ON COMMIT DROP AS
     WITH sure AS (SELECT * FROM text_candidates WHERE is_exact OR open_h AND open_t)
     SELECT hn, tn, CASE WHEN is_exact AND agrees THEN state ELSE 'proposed' END AS state, NULL::int AS peer_h,
       NULL::int AS peer_t, false AS is_certain
     FROM sure WHERE open_h AND open_t AND NOT is_contested
     UNION ALL
     SELECT DISTINCT hn, NULL::int, 'ambiguous', NULL::int, NULL::int, false FROM sure WHERE open_h AND is_contested
     UNION ALL
     SELECT NULL::int, tn, CASE WHEN bool_and(repeats) THEN 'duplicate_there' ELSE 'ambiguous' END,
       CASE WHEN bool_and(repeats) THEN min(hn) END, NULL::int, false
     FROM sure WHERE open_t AND is_contested AND NOT names_left_out GROUP BY tn`,
  );
  await acceptDecided(sql, 'decided_text', 'free_text', open, 'certainty');
}

/**
 * Creates the table `text_candidates`: the pairs that no other key has matched yet. A pair is contested if one of its
 * records is in another pair or already decided. A text repeats its named record if it names no other, agrees with
 * it, and that record has its counterpart.
 */
async function weighPairs(sql: ScratchSql, open: OpenRecords, rules: MatchRules): Promise<void> {
  const agrees = rules.compares.amount ? "state <> 'mismatched'" : 'false';
  await sql.run(
    `CREATE TEMP TABLE text_candidates ON COMMIT DROP AS
     WITH together AS (
         SELECT coalesce(hn, peer_h) AS hn, coalesce(tn, peer_t) AS tn FROM match_lines
         UNION ALL SELECT a.hn, b.tn FROM match_lines a JOIN match_lines b USING (link)),
       named AS (
         SELECT p.hn, p.tn, p.h_out, p.is_exact, oh.n IS NOT NULL AS open_h, ot.n IS NOT NULL AS open_t,
           ${pairState(rules)} AS state
         FROM text_pairs p JOIN there t ON t.n = p.tn
         LEFT JOIN here h ON h.n = p.hn AND NOT p.h_out
         LEFT JOIN ${open.here} oh ON oh.n = h.n
         LEFT JOIN ${open.there} ot ON ot.n = p.tn
         WHERE NOT p.t_out AND (p.h_out OR h.n IS NOT NULL)
           AND NOT EXISTS (SELECT FROM together g WHERE g.hn = h.n AND g.tn = p.tn)),
       counted AS (
         SELECT *, ${agrees} AS agrees, count(*) OVER (PARTITION BY hn, h_out) AS of_h, count(*) OVER (PARTITION BY tn) AS of_t
         FROM named)
     SELECT *, of_h > 1 OR of_t > 1 OR NOT open_h OR NOT open_t AS is_contested,
       h_out AND of_t = 1 AS names_left_out,
       of_t = 1 AND agrees AND NOT h_out AND NOT open_h AND EXISTS (
         SELECT FROM match_lines l WHERE l.hn = c.hn AND (l.tn IS NOT NULL OR l.peer_t IS NOT NULL)) AS repeats
     FROM counted c`,
  );
}
