package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.PartitionFilter.Range;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.KeyBytes;
import io.stele.protocol.row.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The computation of the ranges of encoded partitions that domains of their columns allow: one for
 * each combination of the values of the first columns, cut by the ranges of the next one. Confined
 * to one thread.
 *
 * <p>Encoded partitions are ordered by their first column, then by the next one; null is behind all
 * values. All encodings of a value are prefixes of what comes from the following columns.
 */
final class PartitionRanges {
    /** More are not worth the combination: what they leave in is tested one by one. */
    private static final int MAX_RANGES = 1_000;

    private final KeyEncoder encoder;
    private final List<@Nullable ColumnDomain> domains;

    private PartitionRanges(KeyEncoder encoder, List<@Nullable ColumnDomain> domains) {
        this.encoder = requireNonNull(encoder, "encoder is null");
        this.domains = requireNonNull(domains, "domains is null");
    }

    /**
     * The ranges, ascending and without overlap; empty if only {@link Range#ALL} is known.
     *
     * @param encoder with null markers
     * @param domains of its columns; null: any value
     */
    static Optional<List<Range>> of(KeyEncoder encoder, List<@Nullable ColumnDomain> domains) {
        if (domains.isEmpty() || domains.getFirst() == null) {
            return Optional.empty();
        }
        return new PartitionRanges(encoder, domains).ranges();
    }

    /** The beginning of partitions with these values; empty if no partition can have them. */
    private Optional<byte[]> beginning(List<Optional<byte[]>> values) {
        try {
            return Optional.of(encoder.joinPrefix(values));
        } catch (SteleException tooLong) {
            if (tooLong.code() == ErrorCode.KEY_TOO_LARGE) {
                return Optional.empty();
            }
            throw tooLong;
        }
    }

    private Optional<List<Range>> ranges() {
        List<List<Optional<byte[]>>> prefixes = List.of(List.of());
        for (ColumnDomain domain : domains) {
            if (domain == null) {
                break;
            }
            if (!isValues(domain)
                    || (long) prefixes.size() * (domain.ranges().size() + 1) > MAX_RANGES) {
                return cut(prefixes, domain);
            }
            List<List<Optional<byte[]>>> longer = new ArrayList<>();
            for (List<Optional<byte[]>> prefix : prefixes) {
                domain.ranges().forEach(range -> longer.add(with(prefix, range.low())));
                if (domain.nullAllowed()) {
                    longer.add(with(prefix, Optional.empty()));
                }
            }
            prefixes = longer;
        }
        List<Range> ranges = new ArrayList<>();
        for (List<Optional<byte[]>> prefix : prefixes) {
            beginning(prefix)
                    .ifPresent(lower -> ranges.add(new Range(lower, KeyBytes.afterPrefix(lower))));
        }
        return Optional.of(ranges);
    }

    private static boolean isValues(ColumnDomain domain) {
        return domain.ranges().stream().allMatch(ValueRange::isSingle);
    }

    /**
     * The ranges of partitions that begin with a prefix, cut by the domain of the next column;
     * empty if a bound is longer than any partition, which may be on either side of it.
     */
    private Optional<List<Range>> cut(List<List<Optional<byte[]>>> prefixes, ColumnDomain domain) {
        boolean areMany = (long) prefixes.size() * (domain.ranges().size() + 1) > MAX_RANGES;
        List<ValueRange> cuts = areMany ? List.of(around(domain.ranges())) : domain.ranges();
        List<Range> ranges = new ArrayList<>();
        for (List<Optional<byte[]>> prefix : prefixes) {
            Optional<byte[]> begin = beginning(prefix);
            Optional<byte[]> nulls = beginning(with(prefix, Optional.empty()));
            if (begin.isEmpty() || nulls.isEmpty()) {
                continue; // no partition begins so
            }
            for (ValueRange range : cuts) {
                Optional<byte[]> lower =
                        range.low().isEmpty()
                                ? begin
                                : bound(prefix, range.low().get(), !range.lowInclusive());
                Optional<byte[]> upper =
                        range.high().isEmpty()
                                ? nulls
                                : bound(prefix, range.high().get(), range.highInclusive());
                if (lower.isEmpty() || upper.isEmpty()) {
                    return Optional.empty();
                }
                if (Arrays.compareUnsigned(lower.get(), upper.get()) < 0) {
                    ranges.add(new Range(lower.get(), upper));
                }
            }
            if (domain.nullAllowed()) {
                ranges.add(new Range(nulls.get(), KeyBytes.afterPrefix(nulls.get())));
            }
        }
        return Optional.of(ranges);
    }

    private Optional<byte[]> bound(List<Optional<byte[]>> prefix, byte[] value, boolean isBehind) {
        Optional<byte[]> at = beginning(with(prefix, Optional.of(value)));
        return isBehind ? at.flatMap(KeyBytes::afterPrefix) : at;
    }

    /** From the first range to the last one. */
    private static ValueRange around(List<ValueRange> ranges) {
        ValueRange first = ranges.getFirst();
        ValueRange last = ranges.getLast();
        return new ValueRange(first.low(), first.lowInclusive(), last.high(), last.highInclusive());
    }

    private static List<Optional<byte[]>> with(
            List<Optional<byte[]>> prefix, Optional<byte[]> value) {
        List<Optional<byte[]>> longer = new ArrayList<>(prefix);
        longer.add(value);
        return longer;
    }
}
