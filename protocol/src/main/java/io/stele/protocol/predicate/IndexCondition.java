package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;

/**
 * A condition under which a lookup by one secondary index finds all matching rows: the predicate
 * has single values for every column of the index. Immutable.
 *
 * @param keys every combination of the values, in the form of {@link KeyEncoder#forColumns}
 */
public record IndexCondition(IndexSchema index, List<byte[]> keys) {
    /** The most combinations: each is a seek in every file of the index. */
    public static final int MAX_KEYS = 100;

    public IndexCondition {
        requireNonNull(index, "index is null");
        keys = List.copyOf(keys);
    }

    /**
     * The condition for the best ready index: the index with the most bound columns, then with the
     * fewest keys. Empty if there is none, or if the predicate binds the whole primary key.
     */
    public static Optional<IndexCondition> of(TableSchema table, ScanPredicate predicate) {
        return PredicateKeys.bindsPrimaryKey(table, predicate)
                ? Optional.empty()
                : best(table, predicate, false);
    }

    /**
     * The condition for the best ready unique index, in which no key has more than one row; also if
     * the predicate binds the whole primary key.
     */
    public static Optional<IndexCondition> ofUnique(TableSchema table, ScanPredicate predicate) {
        return best(table, predicate, true);
    }

    private static Optional<IndexCondition> best(
            TableSchema table, ScanPredicate predicate, boolean uniqueOnly) {
        Optional<IndexCondition> best = Optional.empty();
        for (IndexSchema index : table.options().indexes()) {
            if (index.ready() && (index.unique() || !uniqueOnly)) {
                KeyEncoder encoder = KeyEncoder.forColumns(table, index.columns());
                Optional<IndexCondition> found =
                        PredicateKeys.of(encoder, predicate, MAX_KEYS)
                                .map(keys -> new IndexCondition(index, keys));
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
}
