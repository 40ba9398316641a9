-- One event of one order: `order.created`, `order.paid`, `order.shipped`, …
-- Runs once per message, in order within the order, in the transaction of the claim. The statements are
-- harmless a second time even without the claim: unique keys on the inserts, the old status on the update.

-- Record the change; the next number of this order is its place in the order of application. An event
-- that is not about an order breaks the table's check: set aside with its reason, not skipped in silence.
INSERT INTO order_status_changes (message_id, order_id, sequence, status, follows, event_type, occurred_at)
SELECT :message_id,
       :key,
       1 + COALESCE((SELECT max(c.sequence) FROM order_status_changes c WHERE c.order_id = :key), 0),
       substr(CAST(:type AS text), 7),  -- without "order."
       :body -> 'payload' ->> 'previousStatus',
       :type,
       :body ->> 'occurredAt'
WHERE true
ON CONFLICT (message_id) DO NOTHING;

-- The first event opens the order. An event without customer or amount fails here and changes nothing.
INSERT INTO orders (order_id, customer_id, amount_cents, currency, status, message_id, created_at, updated_at)
SELECT :key,
       :body -> 'payload' ->> 'customerId',
       CAST(round(CAST(:body -> 'payload' ->> 'amount' AS numeric) * 100) AS bigint),
       :body -> 'payload' ->> 'currency',
       'created',
       :message_id,
       :body ->> 'occurredAt',
       :body ->> 'occurredAt'
WHERE CAST(:type AS text) = 'order.created'
ON CONFLICT (order_id) DO NOTHING;

-- Later ones move it on, from the status that the producer moved it from.
UPDATE orders
SET status = substr(CAST(:type AS text), 7),
    updated_at = :body ->> 'occurredAt'
WHERE order_id = :key
  AND CAST(:type AS text) <> 'order.created'
  AND status = COALESCE(:body -> 'payload' ->> 'previousStatus', status);
