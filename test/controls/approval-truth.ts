/** Something that a row of the ledger's tables became, as a trigger saw it. */
export interface Happened {
  readonly what: 'claims' | 'approvals' | 'verdicts' | 'users' | 'user_keys' | 'policies';
  readonly fact: Readonly<Record<string, unknown>>;
}

interface Approval {
  readonly id: string;
  readonly by: string;
  readonly key: string;
  readonly rows: ReadonlySet<number>;
  readonly content: number;
  readonly policy: number;
  readonly changes: string;
  /** The content of the rows when the approval was made. */
  readonly shown: string;
}

interface Policy {
  readonly version: number;
  readonly needed: number;
  readonly makerMayApprove: boolean;
}

/** What a schedule was about, and which rows its programs got. */
interface Story {
  readonly maker: string | null;
  readonly handedOut: readonly { readonly approvalId: string | null; readonly row: number }[];
}

/**
 * Goes through what happened, with the rules as they are promised to people and nothing of the ledger's functions: every
 * claim has to be under an approval that was in force at that moment, and each policy has to have been approved.
 * @returns what should not have happened, in sentences
 */
export function judge(happened: readonly Happened[], { maker, handedOut }: Story): readonly string[] {
  const wrong: string[] = [];
  const locked = new Set<string>();
  const active = new Set<string>();
  const presentKey = new Map<string, string>();
  const makers = new Set<string>();
  const proposals = new Map<number, Policy>();
  const proposalVotes = new Map<number, Set<string>>();
  const all = new Map<string, Approval>();
  let standing: Approval[] = [];
  let content = 0;
  let policy = null as Policy | null;

  const mayDecide = (person: string, key: string): boolean =>
    active.has(person) && !locked.has(person) && presentKey.get(person) === key;
  const isMaker = (person: string): boolean => maker === null || maker === person || makers.has(person);
  const counts = (approval: Approval, rule: Policy): boolean =>
    approval.policy === rule.version &&
    approval.content === content &&
    mayDecide(approval.by, approval.key) &&
    (rule.makerMayApprove || !isMaker(approval.by));
  const isInForce = (id: string, rule: Policy): boolean => {
    const counted = standing.filter((approval) => counts(approval, rule));
    const own = counted.find((approval) => approval.id === id);
    if (own === undefined) return false;
    const behind = counted.filter(
      ({ rows, changes, shown }) =>
        changes === own.changes && shown === own.shown && [...own.rows].every((row) => rows.has(row)),
    );
    return new Set(behind.map(({ by }) => by)).size >= rule.needed;
  };

  for (const { what, fact } of happened) {
    const text = (name: string): string => String(fact[name]);
    if (what === 'users') {
      if (fact['active_at'] !== null) active.add(text('name'));
      if (fact['locked_at'] !== null) locked.add(text('name'));
    } else if (what === 'user_keys') {
      if (fact['replaced_at'] === null) presentKey.set(text('user_name'), text('id'));
      else if (presentKey.get(text('user_name')) === fact['id']) presentKey.delete(text('user_name'));
    } else if (what === 'verdicts') {
      content = Number(fact['id']);
      makers.add(text('decided_by'));
    } else if (what === 'policies') {
      const version = Number(fact['version']);
      const { rules } = JSON.parse(text('content'));
      const { approvers: needed, makerMayApprove } = rules[0];
      proposals.set(version, { version, needed, makerMayApprove });
      if (fact['in_force_at'] === null || policy?.version === version) continue;
      const votes = proposalVotes.get(version) ?? new Set();
      if (policy !== null && votes.size < policy.needed)
        wrong.push(`policy ${version} came into force with ${votes.size} approvals`);
      policy = proposals.get(version) ?? null;
    } else if (what === 'approvals') {
      const statement = JSON.parse(text('statement'));
      const by = text('decided_by');
      if (fact['batch_id'] === null) {
        const version = Number(fact['proposed_version']);
        const votes = proposalVotes.get(version) ?? new Set();
        if (mayDecide(by, statement.key) && statement.policy === policy?.version) votes.add(by);
        proposalVotes.set(version, votes);
      } else if (statement.decision === 'reject') {
        standing = [];
      } else {
        const approval = {
          id: text('id'),
          by,
          key: statement.key,
          rows: rowsIn(text('rows')),
          content: Number(statement.contentRevision),
          policy: statement.policy,
          changes: statement.changesHash,
          shown: statement.note.split(' ')[1],
        };
        standing.push(approval);
        all.set(approval.id, approval);
      }
    } else if (policy !== null) {
      const id = fact['approval_id'];
      if (typeof id !== 'string') wrong.push('a claim was made without an approval');
      else if (!isInForce(id, policy))
        wrong.push(`a claim was made under approval ${id}, which was not in force`);
    }
  }
  for (const { approvalId, row } of handedOut) {
    const approval = all.get(approvalId ?? '');
    if (approval?.rows.has(row) !== true)
      wrong.push(`row ${row} was handed out under ${approvalId ?? 'no approval'}`);
  }
  return wrong;
}

function rowsIn(ranges: string): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const [, first = '', end = ''] of ranges.matchAll(/\[(\d+),(\d+)\)/g)) {
    for (let row = Number(first); row < Number(end); row += 1) rows.add(row);
  }
  return rows;
}
