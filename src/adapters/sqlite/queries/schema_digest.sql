SELECT digest FROM consumer_schemas WHERE consumer = :consumer
