package io.stele.paimon.type;

import java.util.List;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.DataField;

/** Schemas of tables as readers of their files take them. Stateless. */
public final class ReadSchemas {
    private ReadSchemas() {}

    /** A schema with other fields; all else is the same. */
    public static TableSchema withFields(TableSchema schema, List<DataField> fields) {
        return new TableSchema(
                schema.version(),
                schema.id(),
                fields,
                schema.highestFieldId(),
                schema.partitionKeys(),
                schema.primaryKeys(),
                schema.options(),
                schema.comment(),
                schema.timeMillis());
    }
}
