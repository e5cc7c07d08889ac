package io.stele.connector.metadata.catalog;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of tables that store the rows of materialized views, {@code storage$} and the table's
 * id, and the checks that protect these tables. Listings omit them, and only a refresh writes into
 * them.
 */
public final class StorageTables {
    private static final String PREFIX = "storage$";
    private static final Pattern NAME = Pattern.compile("storage\\$([1-9][0-9]{0,17})");

    private StorageTables() {}

    public static SchemaTableName name(ViewSchema view) {
        return new SchemaTableName(view.schemaName(), PREFIX + view.storageTable().orElseThrow());
    }

    /** The id in a name; empty if it is the name of another table. */
    static Optional<TableId> id(SchemaTableName name) {
        Matcher matcher = NAME.matcher(name.getTableName());
        return matcher.matches()
                ? Optional.of(new TableId(Long.parseLong(matcher.group(1))))
                : Optional.empty();
    }

    /**
     * The table of a handle, which a statement wants to write; NOT_SUPPORTED for a system or
     * metadata table, whose handles are Trino's.
     */
    public static SteleTableHandle requireTable(ConnectorTableHandle handle) {
        if (handle instanceof SteleTableHandle table) {
            return table;
        }
        throw new TrinoException(
                NOT_SUPPORTED,
                "Expected a table to change, found %s, which shows what the system knows and cannot be changed"
                        .formatted(handle));
    }

    /**
     * The table of a handle, which a statement wants to change; throws NOT_SUPPORTED also if it
     * stores rows of a materialized view.
     */
    public static SteleTableHandle requireOwn(ConnectorTableHandle handle) {
        SteleTableHandle table = requireTable(handle);
        if (id(table.name()).isPresent()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a table to change, found %s, which has the rows of a materialized view: refresh that"
                            .formatted(table.name()));
        }
        return table;
    }
}
