/*
 * How large a batch, the files of a call and a day are, and whether the policy therefore asks for approvals: thresholds of a
 * batch count all files of its call, thresholds of a day all that was claimed on it without an approval.
 */

/** Names this program's locks of an environment's day among the advisory locks of the database: the first of two numbers. */
export const lockOfDays = 724_911_624;

const sizes = `
  -- The sum of each currency over a list of sums.
  CREATE FUNCTION added_sums(list jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, amount::text), '{}') FROM (
      SELECT s.key, sum(s.value::numeric) AS amount
      FROM jsonb_array_elements(list) AS each (sums) CROSS JOIN LATERAL jsonb_each_text(each.sums) s GROUP BY s.key) added
  $$;

  -- Whether rows or the sum of any currency are as many or as much as thresholds say. A threshold of null rows is none.
  CREATE FUNCTION reaches(rows bigint, sums jsonb, from_rows integer, from_sums jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(rows >= from_rows, false) OR EXISTS (
      SELECT FROM jsonb_each_text(from_sums) f JOIN jsonb_each_text(sums) s USING (key) WHERE s.value::numeric >= f.value::numeric)
  $$;

  -- The batches of a batch's call that count together: of its environment and kind, and staged. It is one of them.
  CREATE FUNCTION files_of_call(batch uuid) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT f.id FROM batches b
    JOIN batches f ON f.import_id = b.import_id AND f.environment_id = b.environment_id AND f.kind = b.kind
    WHERE b.id = batch AND f.staged_at IS NOT NULL
  $$;

  -- The greater sum of each currency.
  CREATE FUNCTION greater_sums(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, amount::text), '{}') FROM (
      SELECT key, max(value::numeric) AS amount
      FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) each GROUP BY key) greatest
  $$;

  -- The measures of a staged batch, made at the first call, and once more where it is asked for. They never become smaller.
  CREATE FUNCTION measure_batch(batch uuid, anew boolean) RETURNS batch_measures LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE measured batch_measures;
  BEGIN
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    IF FOUND AND NOT anew THEN RETURN measured; END IF;
    WITH counted AS (
      SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount,
        (count(*) FILTER (WHERE record->>'currency' IS NULL OR record->>'amount' IS NULL))::int AS bare
      FROM row_states s JOIN row_inputs i USING (batch_id, row_number)
      WHERE s.batch_id = batch AND s.state NOT IN ('invalid', 'duplicate') GROUP BY 1),
    staged AS (
      SELECT key AS currency, sum(value::numeric)::text AS amount
      FROM staged_measures m CROSS JOIN LATERAL jsonb_each_text(m.sums) WHERE m.batch_id = batch GROUP BY 1),
    now AS (
      SELECT greatest((SELECT sum(rows) FROM counted), (SELECT sum(rows) FROM staged_measures WHERE batch_id = batch), 0)::int AS rows,
        greatest((SELECT sum(bare) FROM counted), (SELECT sum(bare) FROM staged_measures WHERE batch_id = batch), 0)::int AS bare,
        greater_sums(
          (SELECT coalesce(jsonb_object_agg(currency, amount) FILTER (WHERE currency IS NOT NULL AND amount IS NOT NULL), '{}') FROM counted),
          (SELECT coalesce(jsonb_object_agg(currency, amount), '{}') FROM staged)) AS sums)
    INSERT INTO batch_measures AS kept (batch_id, rows, sums, bare)
    SELECT id, now.rows, now.sums, now.bare FROM batches, now WHERE id = batch AND staged_at IS NOT NULL
    ON CONFLICT (batch_id) DO UPDATE SET rows = greatest(kept.rows, excluded.rows), sums = greater_sums(kept.sums, excluded.sums),
      bare = greatest(kept.bare, excluded.bare);
    SELECT * INTO measured FROM batch_measures WHERE batch_id = batch;
    RETURN measured;
  END $$;

  -- All that the staged files of a batch's kind count together that are of its call. Files that are not measured yet
  -- are measured in the order of their ids, so that two claims of one call never wait for each other.
  CREATE FUNCTION measure_call(batch uuid, anew boolean) RETURNS batch_measures LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE file uuid; total batch_measures;
  BEGIN
    FOR file IN SELECT f FROM files_of_call(batch) AS f
        WHERE (anew AND f = batch) OR NOT EXISTS (SELECT FROM batch_measures WHERE batch_id = f) ORDER BY f LOOP
      PERFORM measure_batch(file, anew AND file = batch);
    END LOOP;
    SELECT batch, least(sum(m.rows), 2147483647), added_sums(jsonb_agg(m.sums)), least(sum(m.bare), 2147483647) INTO total
    FROM files_of_call(batch) AS f JOIN batch_measures m ON m.batch_id = f;
    RETURN total;
  END $$;
`;

const days = `
  -- The day that counts: that of the database's clock in UTC, whatever the time zone of a session.
  CREATE FUNCTION utc_day(at timestamptz DEFAULT now()) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT (at AT TIME ZONE 'UTC')::date
  $$;

  -- What was claimed without an approval, by day: a line for each batch, written by its first claim of that day.
  CREATE TABLE unapproved_days (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    day date NOT NULL,
    environment_id integer NOT NULL REFERENCES environments,
    kind text NOT NULL,
    -- How much of the day the batch takes. Null with sums where no rule counted days then: it takes all that it measures.
    rows integer,
    -- Decimal strings by currency.
    sums jsonb,
    PRIMARY KEY (batch_id, day),
    -- Rows and sums are measured together.
    CONSTRAINT share_is_whole CHECK ((rows IS NULL) = (sums IS NULL))
  );
  CREATE INDEX unapproved_batches_of_day ON unapproved_days (environment_id, kind, day);

  -- The other batches of which anything was claimed today without an approval, of a batch's environment and kind.
  CREATE FUNCTION others_of_day(batch uuid) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT d.batch_id FROM batches b
    JOIN unapproved_days d ON d.environment_id = b.environment_id AND d.kind = b.kind AND d.day = utc_day()
    WHERE b.id = batch AND d.batch_id <> batch
  $$;

  -- How much of today a batch takes, or would take. On its first day that is all of it; on a later one what was claimed on that
  -- day or is still to be claimed. It is measured anew where a run makes its first claim, and becomes no smaller on a day.
  CREATE FUNCTION share_of_day(batch uuid, anew boolean) RETURNS batch_measures LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE kept unapproved_days; share batch_measures; midnight timestamptz := utc_day()::timestamp AT TIME ZONE 'UTC';
  BEGIN
    share := measure_batch(batch, false);
    SELECT * INTO kept FROM unapproved_days WHERE batch_id = batch AND day = utc_day();
    IF kept.rows IS NOT NULL AND NOT anew THEN
      share.rows := kept.rows;
      share.sums := kept.sums;
      RETURN share;
    END IF;
    IF (kept.batch_id IS NOT NULL AND kept.rows IS NULL)
        OR NOT EXISTS (SELECT FROM unapproved_days WHERE batch_id = batch AND day < utc_day()) THEN
      RETURN share;
    END IF;
    WITH counted AS (
      SELECT record->>'currency' AS currency, count(*) AS rows, sum((record->>'amount')::numeric)::text AS amount
      FROM row_states s JOIN row_inputs i USING (batch_id, row_number)
      LEFT JOIN send_chunks c ON c.batch_id = s.batch_id AND c.chunk = s.chunk
      LEFT JOIN claims l ON l.batch_id = c.batch_id AND l.lease_token = c.lease_token
      WHERE s.batch_id = batch AND (l.claimed_at IS NULL OR l.claimed_at >= midnight)
        AND (s.state IN ('staged', 'waiting', 'ready') OR (s.state = 'sending' AND s.first_sent_at >= midnight))
      GROUP BY 1)
    SELECT greatest(coalesce(sum(rows), 0), kept.rows),
      greater_sums(coalesce(jsonb_object_agg(currency, amount) FILTER (WHERE currency IS NOT NULL AND amount IS NOT NULL), '{}'),
        coalesce(kept.sums, '{}'))
    INTO share.rows, share.sums FROM counted;
    RETURN share;
  END $$;

  -- Whether a batch would reach the thresholds of a day, with what others have claimed today without an approval. A batch of which
  -- only rows in doubt are left takes nothing of the day.
  CREATE FUNCTION reaches_day(batch uuid, rule policy_rules, anew boolean) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE share batch_measures; rows_of_day bigint; sums_of_day jsonb; other uuid;
  BEGIN
    IF rule.day_rows IS NULL AND rule.day_sums = '{}' THEN RETURN false; END IF;
    FOR other IN SELECT o FROM others_of_day(batch) AS o
        WHERE NOT EXISTS (SELECT FROM batch_measures WHERE batch_id = o) ORDER BY o LOOP
      PERFORM measure_batch(other, false);
    END LOOP;
    share := share_of_day(batch, anew);
    SELECT share.rows + coalesce(sum(coalesce(d.rows, m.rows)), 0),
      added_sums(coalesce(jsonb_agg(coalesce(d.sums, m.sums)), '[]') || share.sums) INTO rows_of_day, sums_of_day
    FROM others_of_day(batch) AS o JOIN unapproved_days d ON d.batch_id = o AND d.day = utc_day()
    JOIN batch_measures m ON m.batch_id = o;
    RETURN share.rows > 0 AND reaches(rows_of_day, sums_of_day, rule.day_rows, rule.day_sums);
  END $$;

  -- Notes that a batch is claimed today without an approval, with its share where a rule counts days.
  CREATE FUNCTION count_as_unapproved(batch uuid, reserves boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE share batch_measures;
  BEGIN
    IF reserves THEN
      share := share_of_day(batch, true);
    ELSIF EXISTS (SELECT FROM unapproved_days WHERE batch_id = batch AND day = utc_day()) THEN
      RETURN;
    END IF;
    INSERT INTO unapproved_days (batch_id, day, environment_id, kind, rows, sums)
    SELECT id, utc_day(), environment_id, kind, share.rows, share.sums FROM batches WHERE id = batch
    ON CONFLICT (batch_id, day) DO UPDATE SET rows = excluded.rows, sums = excluded.sums;
  END $$;
`;

const rules = `
  -- The rule of the policy in force for a batch, whether or not it asks for approvals of it.
  CREATE FUNCTION rule_of_batch(batch uuid) RETURNS SETOF policy_rules LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
  BEGIN
    RETURN QUERY SELECT r.* FROM batches b
    JOIN environments e ON e.id = b.environment_id
    JOIN policy_rules r ON r.version = policy_in_force() AND r.mode = e.mode AND r.kind = b.kind
    WHERE b.id = batch;
  END $$;

  -- The rule of the policy in force that asks for approvals of a batch; no line where none does. The batch is measured anew where
  -- a claim asks.
  CREATE FUNCTION approval_rule(batch uuid, anew boolean DEFAULT false) RETURNS SETOF policy_rules LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE rule policy_rules; own batch_measures; call batch_measures; sums_are_limited boolean; has_thresholds boolean;
  BEGIN
    SELECT * INTO rule FROM rule_of_batch(batch);
    IF NOT FOUND OR rule.approvers = 0 THEN RETURN; END IF;
    sums_are_limited := rule.from_sums <> '{}' OR rule.day_sums <> '{}';
    has_thresholds := rule.from_rows IS NOT NULL OR rule.day_rows IS NOT NULL OR sums_are_limited;
    IF NOT has_thresholds AND rule.findings = '{}' THEN
      RETURN NEXT rule;
    ELSIF EXISTS (SELECT FROM payee_changes WHERE batch_id = batch AND (code = 'payee_details_changed' OR code = ANY(rule.findings))) THEN
      RETURN NEXT rule;
    ELSIF has_thresholds THEN
      call := measure_call(batch, anew);
      SELECT * INTO own FROM batch_measures WHERE batch_id = batch;
      IF own.batch_id IS NULL OR reaches(call.rows, call.sums, rule.from_rows, rule.from_sums)
        -- A sum in one currency says nothing of others, nor of payments without an amount.
        OR (sums_are_limited AND rule.other_sums = 'approve' AND (
          EXISTS (SELECT FROM jsonb_each_text(own.sums) s
            WHERE s.value::numeric > 0 AND NOT jsonb_exists(rule.from_sums || rule.day_sums, s.key))
          OR (rule.kind IN ('recipients', 'collections') AND own.bare > 0)))
        OR reaches_day(batch, rule, anew) THEN
        RETURN NEXT rule;
      END IF;
    END IF;
  END $$;
`;

export const thresholds = [sizes, days, rules].join('\n');
