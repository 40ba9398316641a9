SELECT digest FROM {schema}.consumer_schemas WHERE consumer = $1
