package io.stele.connector.read.live;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.protocol.Lsn;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.type.DateTimeEncoding;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A range of LSNs that includes all changes that a query of {@code table_changes} wants, from its
 * conditions on version and timestamp.
 *
 * @param after the lower bound, exclusive
 * @param upTo the upper bound, inclusive
 */
record ChangeLsnRange(Lsn after, Lsn upTo) {
    private static final int COUNTER_BITS = 16;

    static ChangeLsnRange of(TableChangesHandle changes) {
        ChangeLsnRange all =
                new ChangeLsnRange(new Lsn(changes.afterLsn()), new Lsn(changes.table().readLsn()));
        return all.within(changes, TableChangesHandle.VERSION, value -> (long) value, 0)
                .within(
                        changes,
                        TableChangesHandle.TIMESTAMP,
                        value -> DateTimeEncoding.unpackMillisUtc((long) value),
                        COUNTER_BITS);
    }

    /** Whether it includes no LSN. */
    boolean isEmpty() {
        return after.compareTo(upTo) >= 0;
    }

    /**
     * @param bits number of low bits of an LSN that the column's values do not have
     */
    private ChangeLsnRange within(
            TableChangesHandle changes,
            SteleColumnHandle column,
            ToLongFunction<Object> value,
            int bits) {
        Optional<Domain> domain =
                changes.constraint().getDomains().map(domains -> domains.get(column));
        if (domain.isEmpty() || domain.get().isNone() || domain.get().isOnlyNull()) {
            return this;
        }
        Range span = domain.get().getValues().getRanges().getSpan();
        long low = after.value();
        long high = upTo.value();
        // Both columns are whole numbers here
        if (!span.isLowUnbounded()) {
            long least = value.applyAsLong(span.getLowBoundedValue());
            if (span.isLowInclusive()) {
                low = Math.max(low, first(least, bits) - 1);
            } else {
                low = least == Long.MAX_VALUE ? least : Math.max(low, first(least + 1, bits) - 1);
            }
        }
        if (!span.isHighUnbounded()) {
            long most = value.applyAsLong(span.getHighBoundedValue());
            if (!span.isHighInclusive()) {
                high = Math.min(high, first(most, bits) - 1);
            } else if (most < Long.MAX_VALUE) {
                high = Math.min(high, first(most + 1, bits) - 1);
            }
        }
        return new ChangeLsnRange(new Lsn(low), new Lsn(Math.max(0, high)));
    }

    /** The first LSN of a value; at most the largest long. */
    private static long first(long value, int bits) {
        return value <= 0 ? 0 : value > Long.MAX_VALUE >> bits ? Long.MAX_VALUE : value << bits;
    }
}
