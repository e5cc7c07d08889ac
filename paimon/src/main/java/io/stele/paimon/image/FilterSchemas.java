package io.stele.paimon.image;

import org.apache.paimon.schema.TableSchema;

/** The lookup, by id, of the schemas with which files of one table were written. */
@FunctionalInterface
interface FilterSchemas {
    TableSchema schema(long id);
}
