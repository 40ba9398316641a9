SELECT body_hash FROM processed_messages WHERE consumer = :consumer AND message_id = :message_id
