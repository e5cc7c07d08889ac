package io.stele.sidecar.postgresql.run;

import io.stele.engine.read.KeyRange;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyBytes;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access.Bound;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The computation of the key ranges that contain the rows within bounds, disjoint and in key order,
 * each with the shards that may have some. There is one range for each combination of the values
 * that the first columns of the key are equal to, cut by the bounds of the next column. Confined to
 * one thread.
 */
final class KeyRanges {
    /** The most ranges; more become one range from the least to the greatest value of a column. */
    static final int MAX_RANGES = 1000;

    private final TableSchema table;
    private final RowBuilder rows;
    private final Scope scope;
    private final List<Bound> bounds;
    private final List<ColumnSchema> key;
    private final Map<ColumnSchema, Optional<List<Object>>> equalities = new HashMap<>();

    /** A range and the shards to read it from. */
    record Part(KeyRange range, List<Integer> shards) {
        Part {
            shards = List.copyOf(shards);
        }
    }

    private KeyRanges(List<Bound> bounds, RowBuilder rows, Scope scope) {
        this.table = rows.table();
        this.rows = rows;
        this.scope = scope;
        this.bounds = bounds;
        this.key = table.primaryKeyColumns();
    }

    /**
     * The ranges of a table with a primary key.
     *
     * @param bounds of any columns; bounds that are of no use for keys are ignored
     */
    static List<Part> of(List<Bound> bounds, RowBuilder rows, Scope scope) {
        return new KeyRanges(bounds, rows, scope).parts();
    }

    private List<Part> parts() {
        List<List<Object>> prefixes = List.of(List.of());
        int depth = 0; // columns of the prefixes
        KeyBounds next = null;
        while (depth < key.size()) {
            ColumnSchema column = key.get(depth);
            Optional<List<Object>> values = equalities(column);
            if (values.isEmpty()) {
                next = KeyBounds.of(column, boundsOf(column), scope);
                break;
            }
            if ((long) prefixes.size() * values.get().size() > MAX_RANGES) {
                next = KeyBounds.around(column, values.get());
                break;
            }
            prefixes = longer(prefixes, values.get());
            depth++;
        }
        Map<byte[], Part> parts = new TreeMap<>(Arrays::compareUnsigned);
        for (List<Object> prefix : prefixes) {
            range(prefix, next)
                    .ifPresent(
                            range ->
                                    parts.computeIfAbsent(
                                            range.lower(),
                                            ignored -> new Part(range, shards(prefix))));
        }
        return List.copyOf(parts.values());
    }

    private List<Bound> boundsOf(ColumnSchema column) {
        int index = table.indexOf(column.id());
        return bounds.stream().filter(bound -> bound.column() == index).toList();
    }

    /** The values of the first equality of a column; absent: there is none. */
    private Optional<List<Object>> equalities(ColumnSchema column) {
        return equalities.computeIfAbsent(column, this::findEqualities);
    }

    private Optional<List<Object>> findEqualities(ColumnSchema column) {
        return boundsOf(column).stream()
                .filter(bound -> bound.operator() == Operator.EQUAL)
                .findFirst()
                .map(bound -> KeyList.values(bound.candidates(), column, scope));
    }

    private static List<List<Object>> longer(List<List<Object>> prefixes, List<Object> values) {
        List<List<Object>> longer = new ArrayList<>();
        for (List<Object> prefix : prefixes) {
            for (Object value : values) {
                longer.add(with(prefix, value));
            }
        }
        return longer;
    }

    private static List<Object> with(List<Object> prefix, Object value) {
        List<Object> longer = new ArrayList<>(prefix);
        longer.add(value);
        return longer;
    }

    /** The range of a prefix; absent if it contains no key. */
    private Optional<KeyRange> range(List<Object> prefix, @Nullable KeyBounds next) {
        Optional<byte[]> first = encoded(prefix);
        if (first.isEmpty() || (next != null && next.isEmpty())) {
            return Optional.empty();
        }
        byte[] lower = first.get();
        Optional<byte[]> upper = KeyBytes.afterPrefix(first.get());
        if (next != null && next.low().isPresent()) {
            KeyBounds.Limit low = next.low().get();
            Optional<byte[]> from = encoded(with(prefix, low.value()));
            if (from.isPresent() && !low.isInclusive()) {
                from = KeyBytes.afterPrefix(from.get());
                if (from.isEmpty()) {
                    return Optional.empty();
                }
            }
            lower = from.orElse(lower);
        }
        if (next != null && next.high().isPresent()) {
            KeyBounds.Limit high = next.high().get();
            Optional<byte[]> to = encoded(with(prefix, high.value()));
            if (to.isPresent()) {
                upper = high.isInclusive() ? KeyBytes.afterPrefix(to.get()) : to;
            }
        }
        return upper.isPresent() && Arrays.compareUnsigned(lower, upper.get()) >= 0
                ? Optional.empty()
                : Optional.of(new KeyRange(lower, upper));
    }

    /** The first bytes of keys with these values; absent: they are too long for any key. */
    private Optional<byte[]> encoded(List<Object> values) {
        return unlessTooLong(() -> rows.key(values));
    }

    private static <T> Optional<T> unlessTooLong(Supplier<T> encoding) {
        try {
            return Optional.of(encoding.get());
        } catch (SteleException refused) {
            if (refused.code() == ErrorCode.KEY_TOO_LARGE) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** The shards of the rows whose keys begin with some values. */
    private List<Integer> shards(List<Object> prefix) {
        List<List<Object>> combinations = List.of(List.of());
        for (ColumnSchema column : table.distributionColumns()) {
            int place = key.indexOf(column);
            Optional<List<Object>> values =
                    place >= 0 && place < prefix.size()
                            ? Optional.of(List.of(prefix.get(place)))
                            : equalities(column);
            if (values.isEmpty() || (long) combinations.size() * values.get().size() > MAX_RANGES) {
                return IntStream.range(0, table.shardCount()).boxed().toList();
            }
            combinations = longer(combinations, values.get());
        }
        TreeSet<Integer> shards = new TreeSet<>();
        for (List<Object> values : combinations) {
            unlessTooLong(() -> rows.shardOfDistribution(values)).ifPresent(shards::add);
        }
        return List.copyOf(shards);
    }
}
