package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.block.ArrayValueBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.ArrayType;
import java.util.List;

/**
 * The system table {@code "t$indexes"} of a table's primary key and secondary indexes, which JDBC's
 * metadata cannot show through Trino.
 */
final class IndexesTable extends MetadataTable {
    private static final ArrayType NAMES = new ArrayType(VARCHAR);

    private final TableSchema table;

    IndexesTable(SchemaTableName name, TableSchema table) {
        super(
                name,
                ImmutableList.of(
                        new ColumnMetadata("index_name", VARCHAR),
                        new ColumnMetadata("columns", NAMES),
                        new ColumnMetadata("is_primary", BOOLEAN),
                        new ColumnMetadata("is_unique", BOOLEAN),
                        new ColumnMetadata("is_ready", BOOLEAN)));
        this.table = requireNonNull(table, "table is null");
    }

    @Override
    void addRows(Rows rows) {
        if (table.hasPrimaryKey()) {
            rows.add(utf8Slice("PRIMARY"), names(table.primaryKey()), true, true, true);
        }
        for (IndexSchema index : table.options().indexes()) {
            rows.add(
                    utf8Slice(index.name()),
                    names(index.columns()),
                    false,
                    index.unique(),
                    index.ready());
        }
    }

    private Block names(List<Integer> columnIds) {
        List<ColumnSchema> columns = table.columns(columnIds);
        return ArrayValueBuilder.buildArrayValue(
                NAMES,
                columns.size(),
                names -> columns.forEach(column -> VARCHAR.writeString(names, column.name())));
    }
}
