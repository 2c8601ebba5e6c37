/** SQL that says whether a person decided that row `r` is sent all the same. */
export const isSentRegardless = `EXISTS (SELECT FROM verdicts v
  WHERE v.batch_id = r.batch_id AND v.row_number = r.row_number AND v.verdict = 'send')`;
