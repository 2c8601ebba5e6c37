import type { Edit } from '../simulation/patched-source.ts';

/** A mistake that somebody could make, and the seed of a schedule in which the test notices it. */
export interface PlantedBug {
  readonly name: string;
  readonly seed: number;
  readonly edits: readonly Edit[];
  /** Done to the ledger before the first command: a law of the schema that does not hold any more. */
  readonly sql: string;
}

const withoutLaw = 'DROP INDEX rows_own_origin_once; DROP TRIGGER origin_is_marked ON row_states';

function bug(seed: number, name: string, edits: readonly Edit[], sql = ''): PlantedBug {
  return { seed, name, edits, sql };
}

export const plantedBugs: readonly PlantedBug[] = [
  bug(1, 'a corrected row is a stranger to the row that it corrects', [
    {
      within: 'linkCorrections',
      find: 'if (corrected.length === 0) return;',
      replace: 'if (corrected.length >= 0) return;',
    },
  ]),
  bug(3, 'another reading of the file is a stranger to the first', [
    {
      within: 'linkReadings',
      find: 'if (others.length === 0) return;',
      replace: 'if (others.length >= 0) return;',
    },
  ]),
  bug(
    3,
    'a correction goes out although a row of its family may exist, and no index refuses it',
    [
      {
        within: 'decideComplete',
        find: "if (rival !== undefined && decision?.to !== 'existing')",
        replace: "if (rival !== undefined && decision?.to !== 'existing' && number < 0)",
      },
    ],
    withoutLaw,
  ),
  bug(9, 'a correction that is invalid itself supersedes', [
    { within: 'membersAndHeirs', find: "AND s.state <> 'invalid' AND", replace: 'AND' },
  ]),
  bug(3, 'a correction waits for ever for a doubt that is over', [
    {
      within: 'releaseCorrections',
      find: "s.code = 'corrects_in_doubt' AND s.owned_key IS NULL",
      replace: 'false',
    },
  ]),
  bug(21, 'a correction is let go on a word about itself while the row that it corrects is in doubt', [
    {
      within: 'decide',
      find: "if (row.code === 'corrects_in_doubt') {",
      replace: "if (row.code === 'never') {",
    },
  ]),
];
