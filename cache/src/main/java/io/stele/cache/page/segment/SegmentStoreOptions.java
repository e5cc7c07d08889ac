package io.stele.cache.page.segment;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.PageGeometry;
import java.util.Locale;
import java.util.Map;

/**
 * The layout of a page store of segment files: page geometry, units of a segment, reserved shares
 * of tables, and admission.
 *
 * @param unitsPerSegment units of a segment file, a multiple of {@value Places#GROUP}; each file
 *     stays open
 * @param shares the part of each directory's space that is reserved for a table, by table name:
 *     from 0 to 1, at most 1 together. Other tables borrow unused parts
 * @param admission whether a new page of a full cache must have been requested more often than the
 *     page that would be evicted for it (a frequently requested page is also admitted at random,
 *     once in 128 times); else the newest pages stay
 */
public record SegmentStoreOptions(
        PageGeometry geometry, int unitsPerSegment, Map<String, Double> shares, boolean admission) {
    /** 264 MiB: a cache of 1 TB has 4,000 files open. */
    public static final int DEFAULT_UNITS_PER_SEGMENT = 4096;

    /** The default layout, without reserved shares. */
    public static final SegmentStoreOptions DEFAULT =
            new SegmentStoreOptions(PageGeometry.DEFAULT, DEFAULT_UNITS_PER_SEGMENT, Map.of());

    /**
     * The bytes of a directory's limit for table names and spare records in the index file, which
     * exists twice during a rewrite.
     */
    private static final long RESERVED_BYTES = 192 << 10;

    /**
     * Index bytes for each page: two records of the grown file, and one of the new file during a
     * rewrite.
     */
    private static final int INDEX_BYTES_PER_PAGE = 3 * IndexJournal.PAGE_RECORD_BYTES;

    private static final int MIN_PAGES = 16;

    public SegmentStoreOptions {
        requireNonNull(geometry, "geometry is null");
        if (unitsPerSegment < 1 || unitsPerSegment % Places.GROUP != 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected units of a segment that are a multiple of %d, found %d",
                            Places.GROUP,
                            unitsPerSegment));
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

    /** A layout with admission. */
    public SegmentStoreOptions(
            PageGeometry geometry, int unitsPerSegment, Map<String, Double> shares) {
        this(geometry, unitsPerSegment, shares, true);
    }

    /** The smallest limit that a directory can have. */
    public long minBytes() {
        return RESERVED_BYTES + minUnits() * (geometry.unitBytes() + INDEX_BYTES_PER_PAGE);
    }

    private long minUnits() {
        return (long) MIN_PAGES * geometry.unitsPerPage();
    }

    /**
     * The number of units of a directory that may take {@code maxBytes} on disk, including its
     * journal with the most pages.
     */
    int units(long maxBytes) {
        long bytes = maxBytes - RESERVED_BYTES;
        long few = bytes / (geometry.unitBytes() + INDEX_BYTES_PER_PAGE);
        long units = few > PageIndex.MIN_ENTRIES ? unitsOfMany(bytes) : few;
        if (units < minUnits() || units > 1 << 29) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a cache directory's size from %d pages to 32 TiB, found %d bytes",
                            MIN_PAGES,
                            maxBytes));
        }
        return (int) units;
    }

    /**
     * The number of units of a directory that has more units than pages; its pages are {@link
     * PageIndex#MIN_ENTRIES}, or the full pages that fit.
     */
    private long unitsOfMany(long bytes) {
        long index = (long) PageIndex.MIN_ENTRIES * INDEX_BYTES_PER_PAGE;
        long unitsPerPage = geometry.unitsPerPage();
        return Math.min(
                (bytes - index) / geometry.unitBytes(),
                bytes
                        * unitsPerPage
                        / (geometry.unitBytes() * unitsPerPage + INDEX_BYTES_PER_PAGE));
    }

    /** The most bytes on disk that a directory needs for a number of full pages. */
    public long bytes(long pages) {
        long units = Math.max(pages * geometry.unitsPerPage(), minUnits());
        long entries = PageIndex.maxEntries(units, geometry.unitsPerPage());
        return RESERVED_BYTES
                + units * geometry.unitBytes()
                + (entries + 1) * INDEX_BYTES_PER_PAGE
                + geometry.unitBytes();
    }

    /** The most heap bytes of a directory's index, by the directory's size on disk. */
    public long indexHeapBytes(long maxBytes) {
        long units = units(maxBytes);
        return PageIndex.maxEntries(units, geometry.unitsPerPage())
                        * (long) PageIndex.HEAP_BYTES_PER_ENTRY
                + units / Byte.SIZE;
    }

    int segment(int unit) {
        return unit / unitsPerSegment;
    }

    /** The offset of a unit in its segment. */
    long offset(int unit) {
        return (long) (unit % unitsPerSegment) * geometry.unitBytes();
    }
}
