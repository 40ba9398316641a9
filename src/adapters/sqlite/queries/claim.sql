INSERT INTO processed_messages (consumer, message_id, generation, shard, key, position, event_type,
                                body_hash, attempt, published_at, processed_at)
VALUES (:consumer, :message_id, :generation, :shard, :key, :position, :event_type,
        :body_hash, 1, :published_at, CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
ON CONFLICT (consumer, message_id) DO NOTHING
