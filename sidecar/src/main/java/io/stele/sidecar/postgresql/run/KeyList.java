package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.Computation;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of the primary keys that a fixed plan lists, each once, in encoded form.
 * Stateless.
 */
final class KeyList {
    /** More keys are a scan, or a batch job. */
    static final int MAX_KEYS = 65_536;

    private KeyList() {}

    /** A key as a key of maps. */
    record Key(byte[] bytes) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    static List<byte[]> of(Access.ByKey access, RowBuilder rows, Scope scope) {
        List<ColumnSchema> columns = rows.table().primaryKeyColumns();
        List<List<Object>> combinations = List.of(List.of());
        for (int i = 0; i < columns.size(); i++) {
            List<Object> values = values(access.columns().get(i), columns.get(i), scope);
            check((long) combinations.size() * values.size());
            List<List<Object>> longer = new ArrayList<>();
            for (List<Object> combination : combinations) {
                for (Object value : values) {
                    List<Object> key = new ArrayList<>(combination);
                    key.add(value);
                    longer.add(key);
                }
            }
            combinations = longer;
        }
        return keys(combinations, rows);
    }

    static List<byte[]> of(Access.ByKeyList access, RowBuilder rows, Scope scope) {
        List<ColumnSchema> columns = rows.table().primaryKeyColumns();
        check(access.keys().size());
        List<List<Object>> found = new ArrayList<>();
        for (List<Computation> computations : access.keys()) {
            List<Object> key = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                value(computations.get(i).evaluate(scope), columns.get(i), scope)
                        .ifPresent(key::add);
            }
            if (key.size() == columns.size()) {
                found.add(key);
            }
        }
        return keys(found, rows);
    }

    private static List<byte[]> keys(List<List<Object>> values, RowBuilder rows) {
        if (values.size() == 1) {
            return List.of(rows.key(values.getFirst()));
        }
        Set<Key> keys = new LinkedHashSet<>();
        values.forEach(key -> keys.add(new Key(rows.key(key))));
        return keys.stream().map(Key::bytes).toList();
    }

    /** The values that are not NULL and that the column can have. */
    static List<Object> values(Access.Candidates candidates, ColumnSchema column, Scope scope) {
        List<Object> values = new ArrayList<>();
        switch (candidates) {
            case Access.OneOf one -> {
                for (Computation computation : one.values()) {
                    value(computation.evaluate(scope), column, scope).ifPresent(values::add);
                }
            }
            case Access.Elements elements -> {
                if (elements.array().evaluate(scope) instanceof List<?> array) {
                    for (Object element : array) {
                        value(element, column, scope).ifPresent(values::add);
                    }
                }
            }
        }
        return values;
    }

    private static Optional<Object> value(
            @Nullable Object value, ColumnSchema column, Scope scope) {
        return value == null
                ? Optional.empty()
                : ColumnValues.toEqual(column.type(), value, scope.session().zone());
    }

    private static void check(long count) {
        if (count > MAX_KEYS) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected at most %s keys in a statement, found %s".formatted(MAX_KEYS, count));
        }
    }

    /** The primary key of a row as a key of maps. */
    static Key of(RowBuilder rows, BinaryRow row) {
        return new Key(rows.keyOf(row));
    }

    /** Whether a table is the same, with the same columns. */
    static boolean isSame(TableSchema first, TableSchema second) {
        return first.id().equals(second.id()) && first.schemaVersion() == second.schemaVersion();
    }
}
