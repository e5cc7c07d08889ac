package io.stele.paimon.image;

import org.apache.paimon.schema.TableSchema;

/** The schemas by which files of one table were written. */
@FunctionalInterface
interface FilterSchemas {
    TableSchema schema(long id);
}
