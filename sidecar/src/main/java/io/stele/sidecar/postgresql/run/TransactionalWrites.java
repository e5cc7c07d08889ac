package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.FixedPlan.ColumnValue;
import io.stele.sidecar.postgresql.plan.FixedPlan.ConflictAction;
import io.stele.sidecar.postgresql.plan.FixedPlan.DeletePlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.UpdatePlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The execution of INSERT, UPDATE and DELETE that read rows and write the results into a {@link
 * RowTransaction}, whose commit fails if these rows have changed meanwhile. Thread-safe.
 */
final class TransactionalWrites {
    /** More rows are the work of an engine that plans, such as Trino. */
    private static final int MAX_ROWS = 65_536;

    private static final long MAX_BYTES = 64 << 20;

    private final RowFinder finder;

    TransactionalWrites(RowFinder finder) {
        this.finder = requireNonNull(finder, "finder is null");
    }

    /**
     * Inserts rows; returns the rows that were written.
     *
     * @param rows encoded, in the order of the statement
     */
    List<byte[]> insert(
            InsertPlan plan,
            RowBuilder builder,
            List<byte[]> rows,
            Scope scope,
            RowTransaction transaction,
            Client client)
            throws IOException {
        if (!plan.table().hasPrimaryKey()) {
            rows.forEach(row -> transaction.append(plan.table(), row));
            return rows;
        }
        Map<KeyList.Key, byte[]> present = present(builder, rows, transaction, client);
        List<byte[]> written = new ArrayList<>();
        Set<KeyList.Key> changed = new HashSet<>();
        for (byte[] row : rows) {
            BinaryRow proposed = builder.view(row);
            KeyList.Key key = KeyList.of(builder, proposed);
            byte[] old = present.get(key);
            Optional<byte[]> result =
                    old == null
                            ? Optional.of(row)
                            : onConflict(plan, builder, builder.view(old), proposed, scope);
            if (result.isPresent()) {
                if (!changed.add(key)) {
                    throw new PostgresException(
                            SqlState.CARDINALITY_VIOLATION,
                            "Expected each primary key once in a statement that updates on conflict, found one twice");
                }
                transaction.put(plan.table(), key.bytes(), result.get());
                present.put(key, result.get());
                written.add(result.get());
            }
        }
        return written;
    }

    private Map<KeyList.Key, byte[]> present(
            RowBuilder builder, List<byte[]> rows, RowTransaction transaction, Client client)
            throws IOException {
        Map<KeyList.Key, byte[]> present = new HashMap<>();
        List<byte[]> keys =
                rows.stream()
                        .map(row -> KeyList.of(builder, builder.view(row)))
                        .distinct()
                        .map(KeyList.Key::bytes)
                        .toList();
        try (RowSource found = finder.byKeys(keys, builder, Optional.of(transaction), client)) {
            while (found.next()) {
                present.put(KeyList.of(builder, found.row()), found.row().toByteArray());
            }
        }
        return present;
    }

    private static Optional<byte[]> onConflict(
            InsertPlan plan, RowBuilder builder, BinaryRow old, BinaryRow proposed, Scope scope) {
        switch (plan.onConflict()) {
            case FAIL ->
                    throw new PostgresException(
                            SqlState.UNIQUE_VIOLATION,
                            "Expected a new primary key in %s, found one that has a row: (%s)"
                                    .formatted(
                                            plan.table().qualifiedName(),
                                            shownKey(plan.table(), proposed)));
            case SKIP -> {
                return Optional.empty();
            }
            case REPLACE -> {
                return Optional.of(proposed.toByteArray());
            }
            default -> {}
        }
        if (plan.onConflict() == ConflictAction.MERGE) {
            List<@Nullable Object> values = Rows.toObjects(old);
            plan.given().forEach(column -> values.set(column, Rows.objectAt(proposed, column)));
            return Optional.of(builder.row(values));
        }
        scope.withRow(old).withExcluded(proposed);
        if (plan.condition().isPresent() && !plan.condition().get().isTrue(scope)) {
            return Optional.empty();
        }
        return Optional.of(assigned(plan.assignments(), builder, old, scope));
    }

    private static String shownKey(TableSchema table, BinaryRow row) {
        List<String> values = new ArrayList<>();
        table.primaryKey()
                .forEach(
                        columnId ->
                                values.add(
                                        String.valueOf(
                                                Rows.objectAt(row, table.indexOf(columnId)))));
        return String.join(", ", values);
    }

    /** The row with some columns changed; the scope has it. */
    private static byte[] assigned(
            List<ColumnValue> assignments, RowBuilder builder, BinaryRow old, Scope scope) {
        List<@Nullable Object> values = Rows.toObjects(old);
        for (ColumnValue assignment : assignments) {
            values.set(
                    assignment.column(),
                    builder.columnValue(assignment.column(), assignment.value(), scope));
        }
        return builder.row(values);
    }

    List<byte[]> update(
            UpdatePlan plan,
            RowBuilder builder,
            Scope scope,
            RowTransaction transaction,
            Client client)
            throws IOException {
        List<byte[]> olds =
                matching(plan.rows(), plan.table(), builder, scope, transaction, client);
        List<byte[]> written = new ArrayList<>();
        for (byte[] bytes : olds) {
            BinaryRow old = builder.view(bytes);
            byte[] row = assigned(plan.assignments(), builder, old, scope.withRow(old));
            transaction.put(plan.table(), builder.keyOf(old), row);
            written.add(row);
        }
        return written;
    }

    List<byte[]> delete(
            DeletePlan plan,
            RowBuilder builder,
            Scope scope,
            RowTransaction transaction,
            Client client)
            throws IOException {
        List<byte[]> olds =
                matching(plan.rows(), plan.table(), builder, scope, transaction, client);
        for (byte[] old : olds) {
            transaction.delete(plan.table(), builder.keyOf(builder.view(old)));
        }
        return olds;
    }

    /**
     * Collects all rows before any is changed, because a statement does not see its own changes.
     */
    private List<byte[]> matching(
            Access.Filtered wanted,
            TableSchema table,
            RowBuilder builder,
            Scope scope,
            RowTransaction transaction,
            Client client)
            throws IOException {
        List<byte[]> found = new ArrayList<>();
        long bytes = 0;
        try (RowSource rows =
                finder.open(wanted.access(), builder, scope, Optional.of(transaction), client)) {
            while (rows.next()) {
                scope.withRow(rows.row());
                if (wanted.residual().isPresent() && !wanted.residual().get().isTrue(scope)) {
                    continue;
                }
                bytes += rows.row().length();
                if (found.size() == MAX_ROWS || bytes > MAX_BYTES) {
                    throw new PostgresException(
                            SqlState.LIMIT_EXCEEDED,
                            "Expected at most %s rows of %s, of at most %s bytes, to change, found more"
                                    .formatted(MAX_ROWS, table.qualifiedName(), MAX_BYTES),
                            Optional.of("Change them in parts, or ask Trino."));
                }
                found.add(rows.row().toByteArray());
            }
        }
        return found;
    }
}
