import { readEnvelope } from '../../answer.ts';
import { customerReference } from '../../customer-reference.ts';
import type { Echo, EchoKind, ResourceDefinition } from '../../definition.ts';
import { echoesOf } from '../../echo.ts';
import { recipientAnswerFields } from './answer-fields.ts';

/** What a payee type says of itself: its columns, its request, and what makes a recipient the same one. */
export interface PayeeType
  extends Pick<
    ResourceDefinition,
    'rules' | 'institution' | 'checkRecord' | 'naturalKey' | 'body' | 'echoes'
  > {
  /** As the API names it. */
  readonly payeeType: string;
}

/** A payee type with all that is the same for every recipient. */
export function recipient(own: PayeeType): ResourceDefinition {
  return {
    ...own,
    name: `recipients/${own.payeeType}`,
    kind: 'recipients',
    path: '/v1/external-accounts',
    references: [customerReference],
    handle: () => undefined,
    readAnswer: readEnvelope,
    answerFields: recipientAnswerFields,
    ownReference: 'account_name',
  };
}

/** What the answer to any recipient repeats, and the fields that a payee type has besides. */
export function recipientEchoes(own: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return echoesOf({ customer_id: 'uuid', payee_type: 'code', currency: 'code', ...own });
}
