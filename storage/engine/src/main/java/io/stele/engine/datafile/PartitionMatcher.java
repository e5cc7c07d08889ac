package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.PartitionFilter;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A test of a file's partition, or of a range of primary keys, against a predicate's domains of
 * partition columns. Other domains are ignored. The test is exact for partitions, since all rows of
 * a file have the same partition values. Thread-safe.
 */
public final class PartitionMatcher implements PartitionFilter {
    private final KeyEncoder encoder;
    private final List<@Nullable ColumnDomain> domains = new ArrayList<>();
    private final boolean all;
    private volatile @Nullable List<Range> ranges; // computed once, as each shard asks for them

    public PartitionMatcher(TableSchema schema, ScanPredicate predicate) {
        this(KeyEncoder.forColumns(schema, schema.partitionedBy()), predicate);
    }

    private PartitionMatcher(KeyEncoder encoder, ScanPredicate predicate) {
        requireNonNull(predicate, "predicate is null");
        this.encoder = encoder;
        boolean any = false;
        for (ColumnSchema column : encoder.columns()) {
            ColumnDomain domain = isExact(column) ? predicate.domains().get(column.id()) : null;
            domains.add(domain);
            any |= domain != null;
        }
        this.all = !any;
    }

    /**
     * A matcher of ranges of primary keys, which contain the partition columns.
     *
     * @param predicate with domains of partition columns only
     */
    static PartitionMatcher ofKeys(TableSchema schema, ScanPredicate predicate) {
        return new PartitionMatcher(KeyEncoder.forPrimaryKey(schema), predicate);
    }

    /** Whether a domain of the column decides exactly for every value. */
    public static boolean isExact(ColumnSchema column) {
        // A NaN has a key like other values, but domains do not contain it.
        return column.type().isOrderable()
                && column.type().kind() != TypeKind.REAL
                && column.type().kind() != TypeKind.DOUBLE;
    }

    /** Whether the rows of a file match; true if the file has no partition values. */
    public boolean matches(FileEntry file) {
        return file.partition().isEmpty() || matches(file.partition().get());
    }

    /**
     * For a matcher of {@link #ofKeys}: false only if no key from {@code min} to {@code max}, both
     * inclusive, matches.
     */
    boolean mayMatchBetween(byte[] min, byte[] max) {
        ColumnDomain first = domains.getFirst();
        return first == null
                || first.mayMatch(
                        new ColumnStats(
                                encoder.split(min).getFirst(),
                                encoder.split(max).getFirst(),
                                0,
                                false),
                        1);
    }

    /**
     * For a matcher of {@link #ofKeys}: true only if every key from {@code min} to {@code max},
     * both inclusive, matches.
     */
    boolean matchesAllBetween(byte[] min, byte[] max) {
        if (all) {
            return true;
        }
        List<Optional<byte[]>> low = encoder.split(min);
        List<Optional<byte[]>> high = encoder.split(max);
        int same = 0;
        while (same < low.size()
                && Arrays.equals(low.get(same).orElseThrow(), high.get(same).orElseThrow())) {
            same++;
        }
        // Columns after the first that differs may have any value.
        int free = Math.min(same + 1, domains.size());
        return domains.subList(free, domains.size()).stream().allMatch(Objects::isNull)
                && (same == low.size()
                        || containsBetween(
                                domains.get(same),
                                low.get(same).orElseThrow(),
                                high.get(same).orElseThrow()))
                && matches(min);
    }

    private static boolean containsBetween(@Nullable ColumnDomain domain, byte[] low, byte[] high) {
        return domain == null
                || domain.ranges().stream()
                        .map(ColumnDomain::of)
                        .anyMatch(range -> range.contains(low) && range.contains(high));
    }

    /**
     * Whether a partition matches.
     *
     * @param partition encoded values of the partition columns
     */
    @Override
    public boolean matches(byte[] partition) {
        if (all) {
            return true;
        }
        List<Optional<byte[]>> values = encoder.split(partition);
        for (int i = 0; i < domains.size(); i++) {
            ColumnDomain domain = domains.get(i);
            if (domain != null) {
                boolean in = values.get(i).map(domain::contains).orElse(domain.nullAllowed());
                if (!in) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public List<Range> ranges() {
        List<Range> known = ranges;
        if (known == null) {
            known = PartitionRanges.of(encoder, domains).orElseGet(PartitionFilter.super::ranges);
            ranges = known;
        }
        return known;
    }
}
