-- Tables of the order ledger. `topo apply` runs this file in one transaction, and again when it changes,
-- on PostgreSQL and on SQLite.

CREATE TABLE IF NOT EXISTS orders (
    order_id     text PRIMARY KEY,
    customer_id  text NOT NULL,
    amount_cents bigint NOT NULL CHECK (amount_cents >= 0),
    currency     text NOT NULL,
    status       text NOT NULL,
    message_id   text NOT NULL UNIQUE,  -- of the event that created the order
    created_at   text NOT NULL,         -- RFC 3339, as the producer wrote it
    updated_at   text NOT NULL
);

-- Every status change ever applied; `sequence` numbers them per order, in order of application.
CREATE TABLE IF NOT EXISTS order_status_changes (
    message_id  text PRIMARY KEY,
    order_id    text NOT NULL,
    sequence    bigint NOT NULL,
    status      text NOT NULL,
    follows     text,                   -- the status before, by the producer's account; may be absent
    event_type  text NOT NULL CHECK (event_type LIKE 'order._%'),
    occurred_at text NOT NULL,
    UNIQUE (order_id, sequence)
);

-- Empty as long as order is kept: changes that do not follow the change applied before them.
DROP VIEW IF EXISTS order_violations;
CREATE VIEW order_violations AS
SELECT c.order_id, c.sequence, c.message_id, c.event_type, c.follows AS expected, p.status AS found
FROM order_status_changes c
LEFT JOIN order_status_changes p ON p.order_id = c.order_id AND p.sequence = c.sequence - 1
WHERE c.follows <> p.status
   OR (c.status = 'created') <> (p.status IS NULL);
