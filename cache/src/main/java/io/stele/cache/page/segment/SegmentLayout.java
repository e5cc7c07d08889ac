package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.PageGeometry;
import java.util.Locale;
import java.util.Map;

/**
 * How a store of segment files lays out its pages, and whose they are to be.
 *
 * @param unitsPerSegment units of a segment file; each file is kept open
 * @param shares of the space of each directory, what is reserved for a table, by its name: from 0
 *     to 1, all of them together at most 1. What a table does not use, others borrow
 * @param admission whether a page that comes into a full cache has to have been asked for more
 *     often than the one that would go for it; else the newest stay
 */
public record SegmentLayout(
        PageGeometry geometry, int unitsPerSegment, Map<String, Double> shares, boolean admission) {
    /** 258 MiB: a cache of 1 TB has 4,000 files open. */
    public static final int DEFAULT_UNITS_PER_SEGMENT = 1024;

    /** Nothing reserved. */
    public static final SegmentLayout DEFAULT =
            new SegmentLayout(PageGeometry.DEFAULT, DEFAULT_UNITS_PER_SEGMENT, Map.of());

    /**
     * Of a directory's limit, for the index: its names and spare records, twice while it is written
     * anew.
     */
    private static final long RESERVED_BYTES = 192 << 10;

    /** Three records of a page that takes one unit: see {@link SegmentDirectory}. */
    private static final int INDEX_BYTES_PER_UNIT = 3 * IndexJournal.PAGE_RECORD_BYTES;

    private static final int MIN_PAGES = 16;

    public SegmentLayout {
        requireNonNull(geometry, "geometry is null");
        if (unitsPerSegment < 1) {
            throw new IllegalArgumentException(
                    "Expected at least 1 unit a segment, found " + unitsPerSegment);
        }
        shares = Map.copyOf(shares);
        double sum = 0;
        for (Map.Entry<String, Double> share : shares.entrySet()) {
            if (!(share.getValue() >= 0)) {
                throw new IllegalArgumentException(
                        String.format(
                                Locale.ROOT,
                                "Expected a share of at least 0 for %s, found %s",
                                share.getKey(),
                                share.getValue()));
            }
            sum += share.getValue();
        }
        if (sum > 1) {
            throw new IllegalArgumentException(
                    "Expected shares of at most 1 together, found " + sum);
        }
    }

    /** With admission. */
    public SegmentLayout(PageGeometry geometry, int unitsPerSegment, Map<String, Double> shares) {
        this(geometry, unitsPerSegment, shares, true);
    }

    /** The smallest limit that a directory can have. */
    public long minBytes() {
        return RESERVED_BYTES
                + (long) MIN_PAGES
                        * PageGeometry.UNITS_PER_PAGE
                        * (geometry.unitBytes() + INDEX_BYTES_PER_UNIT);
    }

    /** Units of a directory that may take {@code maxBytes} on disk. */
    int units(long maxBytes) {
        long units = (maxBytes - RESERVED_BYTES) / (geometry.unitBytes() + INDEX_BYTES_PER_UNIT);
        if (units < (long) MIN_PAGES * PageGeometry.UNITS_PER_PAGE || units > 1 << 30) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a cache directory's size from %d pages to 256 TiB, found %d bytes",
                            MIN_PAGES,
                            maxBytes));
        }
        return (int) units;
    }

    int segment(int unit) {
        return unit / unitsPerSegment;
    }

    /** Where a unit begins in its segment. */
    long offset(int unit) {
        return (long) (unit % unitsPerSegment) * geometry.unitBytes();
    }
}
