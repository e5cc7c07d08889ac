package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A predicate that one secondary index answers: it gives every column of the index single values.
 * Immutable.
 *
 * @param keys every combination of the values, as {@link KeyEncoder#forColumns} forms them
 */
public record IndexCondition(IndexSchema index, List<byte[]> keys) {
    /** Most combinations: each is a seek in every file of the index. */
    public static final int MAX_KEYS = 100;

    public IndexCondition {
        requireNonNull(index, "index is null");
        keys = List.copyOf(keys);
    }

    /**
     * How the rows of interest can be found by an index that is ready: by the one with most
     * columns, of those the one with fewest keys. Empty where there is none, or where the predicate
     * gives the whole primary key.
     */
    public static Optional<IndexCondition> of(TableSchema table, ScanPredicate predicate) {
        boolean byKey =
                table.hasPrimaryKey()
                        && table.primaryKey().stream()
                                .noneMatch(column -> values(predicate, column).isEmpty());
        if (byKey || predicate.isAll()) {
            return Optional.empty();
        }
        Optional<IndexCondition> best = Optional.empty();
        for (IndexSchema index : table.options().indexes()) {
            if (index.ready()) {
                Optional<IndexCondition> found = of(table, index, predicate);
                if (found.isPresent() && (best.isEmpty() || found.get().isBetter(best.get()))) {
                    best = found;
                }
            }
        }
        return best;
    }

    private boolean isBetter(IndexCondition other) {
        int columns = Integer.compare(index.columns().size(), other.index.columns().size());
        return columns > 0 || (columns == 0 && keys.size() < other.keys.size());
    }

    private static Optional<IndexCondition> of(
            TableSchema table, IndexSchema index, ScanPredicate predicate) {
        List<List<Optional<byte[]>>> combinations = List.of(List.of());
        for (int column : index.columns()) {
            List<byte[]> values = values(predicate, column);
            if (values.isEmpty() || values.size() * combinations.size() > MAX_KEYS) {
                return Optional.empty();
            }
            List<List<Optional<byte[]>>> longer = new ArrayList<>();
            for (List<Optional<byte[]>> combination : combinations) {
                for (byte[] value : values) {
                    List<Optional<byte[]>> parts = new ArrayList<>(combination);
                    parts.add(Optional.of(value));
                    longer.add(parts);
                }
            }
            combinations = longer;
        }
        KeyEncoder encoder = KeyEncoder.forColumns(table, index.columns());
        return Optional.of(
                new IndexCondition(index, combinations.stream().map(encoder::join).toList()));
    }

    /** The values that a column may have; none where they are no list, or null is among them. */
    private static List<byte[]> values(ScanPredicate predicate, int columnId) {
        ColumnDomain domain = predicate.domains().get(columnId);
        if (domain == null
                || domain.nullAllowed()
                || domain.ranges().size() > MAX_KEYS
                || !domain.ranges().stream().allMatch(ValueRange::isSingle)) {
            return List.of();
        }
        return domain.ranges().stream().map(range -> range.low().orElseThrow()).toList();
    }
}
