package io.stele.connector.handle;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.VarcharType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Trino's handle of a change scan of a table, for {@code table_changes}: of the table function, and
 * of the scan that Trino makes of it.
 *
 * @param table at the snapshot up to which changes are returned
 * @param columns the columns of the table that the function returns, before its own columns
 * @param afterLsn changes above this LSN are returned; the lease of this LSN belongs to the
 *     transaction
 * @param constraint a predicate that every wanted change satisfies, on the returned row and on the
 *     LSN and time of the change; advisory
 */
public record TableChangesHandle(
        SteleTableHandle table,
        List<SteleColumnHandle> columns,
        long afterLsn,
        TupleDomain<SteleColumnHandle> constraint)
        implements ConnectorTableFunctionHandle, ConnectorTableHandle {
    /** The kind of the change. */
    public static final SteleColumnHandle TYPE =
            new SteleColumnHandle(-11, "_change_type", VarcharType.VARCHAR);

    /** The LSN of the change. */
    public static final SteleColumnHandle VERSION =
            new SteleColumnHandle(-12, "_change_version", BigintType.BIGINT);

    /** The time of the change. */
    public static final SteleColumnHandle TIMESTAMP =
            new SteleColumnHandle(
                    -13, "_change_timestamp", TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS);

    public TableChangesHandle {
        requireNonNull(table, "table is null");
        columns = List.copyOf(columns);
        requireNonNull(constraint, "constraint is null");
        checkArgument(
                afterLsn <= table.readLsn(),
                "Expected changes up to an LSN at or above %s, found %s",
                afterLsn,
                table.readLsn());
    }

    /** A scan of all changes. */
    public TableChangesHandle(
            SteleTableHandle table, List<SteleColumnHandle> columns, long afterLsn) {
        this(table, columns, afterLsn, TupleDomain.all());
    }

    public TableChangesHandle withConstraint(TupleDomain<SteleColumnHandle> newConstraint) {
        return new TableChangesHandle(table, columns, afterLsn, newConstraint);
    }

    /** The columns of the function: those of the table, and its own. */
    public List<SteleColumnHandle> allColumns() {
        return Stream.concat(columns.stream(), Stream.of(TYPE, VERSION, TIMESTAMP)).toList();
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        String text =
                "%s changes after %s up to %s"
                        .formatted(table.table().qualifiedName(), afterLsn, table.readLsn());
        if (constraint.isAll()) {
            return text;
        }
        return constraint.isNone()
                ? text + " constraint=FALSE"
                : text
                        + constraint.getDomains().orElseThrow().keySet().stream()
                                .map(SteleColumnHandle::name)
                                .sorted()
                                .collect(Collectors.joining(", ", " constraint on [", "]"));
    }
}
