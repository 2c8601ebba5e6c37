/*
 * What was staged stays as it was: the login of a program that sends may add rows, and neither change nor remove what they
 * say. What the protocol needs of that is done by these functions of the tables' owner, each for rows of which nothing was
 * sent.
 */

import { hashOfGroup, hashOfInput, hashOfStaged } from './rows.ts';

/** SQL of the hash that a row of the batch has to have. */
const itsHash = hashOfInput('(SELECT leaf_salt FROM batches WHERE id = batch)');

export const writtenOnce = `
  -- For the trigger below.
  CREATE FUNCTION refuse_unstaging() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a batch that was staged stays staged' USING ERRCODE = 'restrict_violation';
  END $$;
  -- Rows of a batch that is being staged can be removed, those of a staged batch cannot.
  CREATE TRIGGER staged_stays_staged BEFORE UPDATE OF staged_at ON batches FOR EACH ROW
    WHEN (OLD.staged_at IS NOT NULL AND NEW.staged_at IS DISTINCT FROM OLD.staged_at)
    EXECUTE FUNCTION refuse_unstaging();

  -- Removes all that belongs to the rows of a batch that was never staged to its end: none of them was ever prepared.
  CREATE FUNCTION empty_unstaged(batch uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM batches WHERE id = batch AND staged_at IS NULL) THEN
      RAISE EXCEPTION 'the rows of batch % are staged', batch USING ERRCODE = 'restrict_violation';
    END IF;
    DELETE FROM requests WHERE batch_id = batch;
    DELETE FROM corrected_rows WHERE batch_id = batch;
    DELETE FROM payee_changes WHERE batch_id = batch;
    DELETE FROM batch_payees WHERE batch_id = batch;
    DELETE FROM search_terms WHERE batch_id = batch;
    DELETE FROM staged_measures WHERE batch_id = batch;
    DELETE FROM staged_hashes WHERE batch_id = batch;
    DELETE FROM row_inputs WHERE batch_id = batch;
    DELETE FROM row_states WHERE batch_id = batch;
  END $$;

  -- The same with the batch itself: its file was refused.
  CREATE FUNCTION remove_unstaged(batch uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    PERFORM empty_unstaged(batch);
    DELETE FROM batches WHERE id = batch;
  END $$;

  -- Whether a row is neither sent, nor being sent, nor ready to be: nothing will leave under its present request.
  CREATE FUNCTION is_unsent(batch uuid, number integer) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT EXISTS (SELECT FROM row_states s WHERE s.batch_id = batch AND s.row_number = number AND s.chunk IS NULL
      AND s.first_sent_at IS NULL AND s.state NOT IN ('ready', 'sending', 'unknown', 'created'))
  $$;

  -- Removes the requests of rows that were taken out of what is sent: their keys were never used.
  CREATE FUNCTION forget_requests(batch uuid, numbers integer[], generations integer[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    DELETE FROM requests q USING unnest(numbers, generations) AS p (row_number, generation)
    WHERE q.batch_id = batch AND q.row_number = p.row_number AND q.generation = p.generation
      AND is_unsent(batch, q.row_number);
  END $$;

  -- Writes what today's lists of institutions say about rows that are not sent; notes are added to those that a row has. The trail
  -- gets the hash of the rows as they are now. A row, or a group, whose hash was wrong before keeps it, so that what was changed in
  -- another way is still found.
  CREATE FUNCTION note_recheck(batch uuid, numbers integer[], newer text[], verified jsonb[], more jsonb[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE
    acting runs := audit_acting_run(batch);
    sound integer[] := ARRAY(SELECT i.row_number FROM row_inputs i
      WHERE i.batch_id = batch AND i.row_number = ANY(numbers) AND is_unsent(batch, i.row_number) AND i.hash = ${itsHash});
    whole integer[] := ARRAY(SELECT g.first_row FROM staged_hashes g WHERE g.batch_id = batch
      AND EXISTS (SELECT FROM unnest(sound) n WHERE n BETWEEN g.first_row AND g.last_row) AND g.hash = ${hashOfGroup});
  BEGIN
    UPDATE row_inputs i SET findings = p.findings, record = coalesce(p.record, i.record),
      notes = CASE WHEN p.notes IS NULL THEN i.notes ELSE (i.notes::jsonb || p.notes)::text END
    FROM unnest(numbers, newer, coalesce(verified, '{}'), coalesce(more, '{}')) AS p (row_number, findings, record, notes)
    WHERE i.batch_id = batch AND i.row_number = p.row_number AND is_unsent(batch, i.row_number);
    UPDATE row_inputs i SET hash = ${itsHash} WHERE i.batch_id = batch AND i.row_number = ANY(sound);
    UPDATE staged_hashes g SET hash = ${hashOfGroup} WHERE g.batch_id = batch AND g.first_row = ANY(whole);
    IF cardinality(sound) > 0 THEN
      PERFORM audit_note(batch::text, acting.started_by, acting.channel, 'rows.rechecked',
        jsonb_build_object('rows', cardinality(sound), 'staged_hash', ${hashOfStaged('batch')}));
    END IF;
  END $$;
`;
