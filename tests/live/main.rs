//! Tests against a real RabbitMQ and a real PostgreSQL that this run starts for itself.
